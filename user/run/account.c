/* SPDX-License-Identifier: MIT */
/* From two snapshots and the workers' windows to the result of a trial. */
#include "core/stats.h"
#include "run/state.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the two ends of a direction --- */

/* That a frame was handed to the driver proves nothing: its counters tell what left. */
static void end_left(struct ledger_end *out)
{
	uint64_t left = out->netdev.tx_packets + out->netdev.tx_dropped;

	if (left < out->worker.completed)
		out->worker.completed = left;
}

static void end_of(const struct session *s, int i, const struct snapshot *now,
		   struct ledger_end *out)
{
	const struct run_port *port = &s->ports.port[i];

	memset(out, 0, sizeof(*out));
	/* One slot more than queues: what came in on queues without a socket. */
	for (uint32_t q = 0; q <= port->queues; q++) {
		uint32_t slot = port->first_slot + q;
		struct queue_counters d;

		queue_counters_sub(&now->queue[slot], &s->start->queue[slot], &d);
		worker_counters_add(&out->worker, &d.worker);
		program_counters_add(&out->program, &d.program);
		socket_counters_add(&out->socket, &d.socket);
		out->in_ring += d.gauge.rx_ring;
	}
	netdev_counters_sub(&now->port[i].netdev, &s->start->port[i].netdev, &out->netdev);
	if (port->sent_is_counted)
		end_left(out);
}

/*
 * Do both devices count every frame of ours? Else wire_lost can't be told. What went backwards is
 * not a count: the device is gone, or something reset it.
 */
static bool wire_counted(const struct ledger_end *from, const struct ledger_end *to)
{
	return (int64_t)from->netdev.tx_packets >= 0 && (int64_t)to->netdev.rx_packets >= 0 &&
	       from->netdev.tx_packets + from->netdev.tx_dropped >= from->worker.completed &&
	       to->netdev.rx_packets >= to->program.seen;
}

/* --- time --- */

static void latency_of(const struct hist *h, struct result_latency *out)
{
	out->samples = (int64_t)h->count;
	out->min = h->count ? (int64_t)h->min : UNKNOWN;
	out->max = h->count ? (int64_t)h->max : UNKNOWN;
	out->mean = h->count ? (double)h->sum / (double)h->count : NAN;
	out->median = hist_quantile(h, 1, 2);
	out->p90 = hist_quantile(h, 9, 10);
	out->p99 = hist_quantile(h, 99, 100);
	out->p999 = hist_quantile(h, 999, 1000);
	out->negative = (int64_t)h->negative;
	out->over = (int64_t)h->over;
	out->resolution_ns = UNKNOWN;
}

static void latency_none(struct result_latency *out, const char *why)
{
	const struct hist empty = {};

	latency_of(&empty, out);
	out->source = LATENCY_NONE;
	strncpy(out->why, why, sizeof(out->why) - 1);
}

static int account_latency(const struct session *s, int sender, int port,
			   const struct ledger_end *to, struct result_direction *d)
{
	struct hist *sum;
	uint64_t span = 0;

	if (s->config->no_receive_time) {
		latency_none(&d->latency, "not asked for (--stamp none)");
		return 0;
	}
	if (sender < 0 && !kin_found(&s->kin)) {
		latency_none(&d->latency, "no common clock");
		return 0;
	}
	sum = calloc(1, sizeof(*sum));
	if (!sum)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->nworkers; i++) {
		const struct worker *w = &s->worker[i];

		if (w->port == (uint32_t)port)
			hist_add(sum, w->latency);
		if (w->plan.tx == TX_GENERATE && w->burst_span > span)
			span = w->burst_span;
	}
	latency_of(sum, &d->latency);
	d->latency.source = !to->worker.user_stamped			     ? LATENCY_XDP
			    : to->worker.user_stamped == to->worker.received ? LATENCY_USER
									     : LATENCY_MIXED;
	d->latency.resolution_ns = span ? (int64_t)span : UNKNOWN;
	d->hist = sum;
	return 0;
}

static int account_lateness(const struct session *s, int port, struct result_direction *d)
{
	struct hist *sum = calloc(1, sizeof(*sum));

	if (!sum)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->nworkers; i++)
		if (s->worker[i].port == (uint32_t)port)
			hist_add(sum, s->worker[i].lateness);
	latency_of(sum, &d->lateness);
	free(sum);
	return 0;
}

static double per_second(int64_t n, uint64_t ns)
{
	return n == UNKNOWN || !ns ? NAN : (double)n * 1e9 / (double)ns;
}

static void account_rates(const struct ledger_end *from, const struct ledger_end *to,
			  uint64_t speed_bps, uint64_t ns, struct result_direction *d)
{
	struct result_rates *r = &d->rates;
	double tx_bytes = NAN, rx_bytes = NAN;

	if (from && from->worker.submitted)
		tx_bytes = (double)from->worker.submitted_bytes / (double)from->worker.submitted;
	if (to && to->worker.received)
		rx_bytes = (double)to->worker.received_bytes / (double)to->worker.received;
	r->tx_pps = per_second(d->ledger.submitted, ns);
	r->rx_pps = per_second(d->ledger.matched, ns);
	r->tx_l1_bps = l1_bps(r->tx_pps, tx_bytes + FCS_LEN);
	r->tx_l2_bps = l2_bps(r->tx_pps, tx_bytes + FCS_LEN);
	r->rx_l1_bps = l1_bps(r->rx_pps, rx_bytes + FCS_LEN);
	r->rx_l2_bps = l2_bps(r->rx_pps, rx_bytes + FCS_LEN);
	r->line_percent = NAN;
	if (speed_bps)
		r->line_percent = 100 * (to ? r->rx_l1_bps : r->tx_l1_bps) / (double)speed_bps;
}

/* --- a direction --- */

static const char *port_name(const struct session *s, int i)
{
	return i < 0 ? "" : s->ports.port[i].nic.text;
}

/* What is known of a direction while it is worked out. */
struct account {
	const struct session *s;
	const struct phase_direction *ends;
	bool to_reflects, from_reflects;
	int sender; /* port whose generator made the frames that arrive; -1: none of ours */
	struct ledger_end from, to;
	struct ledger_input in;
};

static void account_names(const struct account *a, struct result_direction *d)
{
	snprintf(d->from, sizeof(d->from), "%s", port_name(a->s, a->ends->from));
	snprintf(d->to, sizeof(d->to), "%s", port_name(a->s, a->ends->to));
	snprintf(d->leg, sizeof(d->leg), "%s", a->ends->leg);
}

/* Who sent and who received, and what kind of ends they are. */
static void account_ends(struct account *a, const struct phase *phase, const struct snapshot *end)
{
	const struct session *s = a->s;
	int from = a->ends->from, to = a->ends->to;

	a->to_reflects = to >= 0 && phase->rx[to] == RX_REFLECT;
	a->from_reflects = from >= 0 && phase->tx[from] != TX_GENERATE;
	a->sender = from;
	/* What a reflector sends comes home to who made it; so does what send gets back. */
	if (a->from_reflects || (from < 0 && s->config->command == COMMAND_SEND))
		a->sender = to;
	a->in.expect = UNKNOWN;
	if (from >= 0) {
		end_of(s, from, end, &a->from);
		a->in.from = &a->from;
	}
	if (to >= 0) {
		end_of(s, to, end, &a->to);
		a->in.to = &a->to;
	}
}

static void account_ledger(struct account *a, struct result_direction *d)
{
	const struct config *config = a->s->config;
	struct ledger_input *in = &a->in;
	int from = a->ends->from, to = a->ends->to;

	/* A reflector keeps no windows. Of what comes back, all is missed only if it should. */
	if (to >= 0 && !a->to_reflects)
		account_flows(a->s, from < 0 && !config->expect_return ? -1 : a->sender, to, d, in);
	in->scheduled = a->sender >= 0 && config->rate.unit != RATE_MAX;
	in->reflected_out = a->from_reflects;
	in->leg_to_reflector = a->to_reflects;
	in->wire_counted = in->from && in->to && wire_counted(&a->from, &a->to);
	in->zero_copy_receiver = to >= 0 && a->s->ports.port[to].mode == MODE_ZERO_COPY;
	if (config->expect)
		in->expect = (int64_t)config->expect;
	if (config->expect_return && from < 0)
		in->expect = (int64_t)a->to.worker.submitted;
	ledger_close(in, &d->ledger);
	if (a->to_reflects || to < 0)
		d->flows = d->flows_seen = d->flows_with_loss = UNKNOWN;
	if (a->to_reflects && from < 0)
		d->ledger.lost = UNKNOWN;
}

static int account_times(const struct account *a, struct result_direction *d)
{
	int err = 0;

	latency_none(&d->latency, a->to_reflects ? "this end reflects" : "");
	latency_none(&d->lateness, "no schedule");
	if (a->ends->to >= 0 && !a->to_reflects)
		err = account_latency(a->s, a->sender, a->ends->to, &a->to, d);
	if (!err && a->ends->from >= 0 && !a->from_reflects && a->in.scheduled) {
		d->lateness.why[0] = '\0';
		err = account_lateness(a->s, a->ends->from, d);
	}
	return err;
}

static int account_direction(const struct session *s, const struct phase *phase,
			     const struct phase_direction *ends, const struct snapshot *end,
			     uint64_t ns, struct result_direction *d)
{
	struct account a = {.s = s, .ends = ends};
	int port = ends->to >= 0 ? ends->to : ends->from;

	account_names(&a, d);
	account_ends(&a, phase, end);
	account_ledger(&a, d);
	account_rates(a.in.from, a.in.to, s->ports.port[port].nic.speed_bps, ns, d);
	return account_times(&a, d);
}

/* --- queues, threads --- */

static int account_queues(const struct session *s, const struct snapshot *end,
			  struct result_trial *trial)
{
	trial->queue = calloc(s->nworkers, sizeof(*trial->queue));
	if (!trial->queue)
		return -ENOMEM;
	trial->nqueues = s->nworkers;
	for (uint32_t i = 0; i < s->nworkers; i++) {
		const struct worker *w = &s->worker[i];
		struct result_queue *q = &trial->queue[i];

		q->port = w->port;
		q->queue_id = worker_queue_id(s, w);
		queue_counters_sub(&end->queue[w->slot], &s->start->queue[w->slot], &q->count);
	}
	return 0;
}

static int account_threads(const struct session *s, struct result_trial *trial)
{
	trial->thread = calloc(s->crew.nthreads + 1, sizeof(*trial->thread));
	if (!trial->thread)
		return -ENOMEM;
	trial->nthreads = s->crew.nthreads;
	for (uint32_t t = 0; t < trial->nthreads; t++) {
		trial->thread[t].thread = t;
		trial->thread[t].cpu = (uint32_t)s->crew.thread[t].ran_on;
		trial->thread[t].cpu_ns = s->crew.thread[t].cpu_ns;
	}
	for (uint32_t i = 0; i < s->nworkers; i++) {
		const struct worker_counters *c = &trial->queue[i].count.worker;

		if (s->worker[i].inside && s->worker[i].stream)
			trial->thread[s->worker[i].thread].frames += c->submitted;
		else if (!s->worker[i].inside)
			trial->thread[s->worker[i].thread].frames += c->submitted + c->received;
	}
	return 0;
}

int session_account(struct session *s, const struct phase *phase, const struct snapshot *end,
		    struct result_trial *trial)
{
	int err = account_queues(s, end, trial);

	if (!err)
		err = account_threads(s, trial);
	for (int i = 0; !err && i < phase->ndirections; i++) {
		err = account_direction(s, phase, &phase->direction[i], end, trial->duration_ns,
					&trial->direction[i]);
		trial->ndirections++;
	}
	return err;
}

void session_trial_free(struct result_trial *trial)
{
	for (uint32_t i = 0; i < trial->ndirections; i++)
		free((void *)trial->direction[i].hist);
	free(trial->queue);
	free(trial->thread);
	memset(trial, 0, sizeof(*trial));
}
