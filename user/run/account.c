/* SPDX-License-Identifier: MIT */
/* From two snapshots and the workers' windows to the result of a trial. */
#include "core/stats.h"
#include "run/state.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the two ends of a direction --- */

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
}

/* Do both devices count every frame of ours? Else wire_lost can't be told. */
static bool wire_counted(const struct ledger_end *from, const struct ledger_end *to)
{
	return from->netdev.tx_packets + from->netdev.tx_dropped >= from->worker.completed &&
	       to->netdev.rx_packets >= to->program.seen;
}

/* --- flows --- */

struct flow_sum {
	struct window window; /* merged over the port's queues */
	bool seen, moved;
};

static struct flow_sum flow_merge(const struct session *s, int port, uint32_t flow)
{
	struct flow_sum sum = {};

	for (uint32_t i = 0; i < s->nworkers; i++) {
		const struct worker *w = &s->worker[i];
		const struct window *one =
			w->port == (uint32_t)port ? worker_window(w, flow) : NULL;
		struct window *m = &sum.window;

		if (!one)
			continue;
		m->corrupt += one->corrupt;
		if (!one->unique && !one->too_late)
			continue;
		if (!sum.seen || (int32_t)(one->next - m->next) > 0)
			m->next = one->next;
		if (!sum.seen || (int32_t)(one->base - m->base) < 0)
			m->base = one->base;
		m->unique += one->unique;
		m->duplicate += one->duplicate;
		m->reordered += one->reordered;
		m->too_late += one->too_late;
		sum.moved = sum.seen;
		sum.seen = true;
	}
	return sum;
}

/* How many frames of a flow left its queue: round robin, so by arithmetic. UNKNOWN: not ours. */
static int64_t flow_sent(const struct session *s, int port, uint32_t flow)
{
	for (uint32_t i = 0; port >= 0 && i < s->nworkers; i++) {
		const struct worker *w = &s->worker[i];
		uint32_t share, place;

		if (w->port != (uint32_t)port || w->plan.tx != TX_GENERATE ||
		    flow % w->plan.tx_queues != w->plan.tx_index)
			continue;
		share = flow_share(w->plan.flows, w->plan.tx_index, w->plan.tx_queues);
		place = flow / w->plan.tx_queues;
		return (int64_t)(w->pacer.sent / share + (place < w->pacer.sent % share));
	}
	return UNKNOWN;
}

static struct result_flow flow_row(uint32_t flow, const struct flow_sum *sum, int64_t sent)
{
	const struct window *w = &sum->window;
	struct result_flow row = {
		.flow = flow,
		.moved = sum->moved,
		.matched = (int64_t)w->unique,
		.duplicate = sum->moved ? UNKNOWN : w->duplicate,
		.reordered = sum->moved ? UNKNOWN : w->reordered,
		.too_late = sum->moved ? UNKNOWN : w->too_late,
		.corrupt = w->corrupt,
	};

	row.lost = window_missing(w);
	if (sent != UNKNOWN)
		row.lost = sent - row.matched - w->too_late - row.corrupt;
	return row;
}

/* All flows while they are few, else those that lost most. */
static void flow_keep(struct result_direction *d, const struct result_flow *row, bool all)
{
	uint32_t least = 0;

	if (d->nflow_rows < FLOW_ROWS_MAX) {
		if (all || row->lost || row->corrupt)
			d->flow[d->nflow_rows++] = *row;
		return;
	}
	for (uint32_t i = 1; i < FLOW_ROWS_MAX; i++)
		if (d->flow[i].lost < d->flow[least].lost)
			least = i;
	if (row->lost > d->flow[least].lost)
		d->flow[least] = *row;
}

/* sender: port whose generator made the frames, -1: none of ours. */
static void account_flows(const struct session *s, int sender, int port, struct result_direction *d,
			  struct ledger_input *in)
{
	uint32_t flows = 0;

	for (uint32_t i = 0; i < s->nworkers; i++)
		if (s->worker[i].port == (uint32_t)port && s->worker[i].windows)
			flows = s->worker[i].plan.rx_flows;
	d->flows = sender >= 0 ? s->config->flows : UNKNOWN;
	for (uint32_t flow = 0; flow < flows; flow++) {
		struct flow_sum sum = flow_merge(s, port, flow);
		int64_t sent = flow_sent(s, sender, flow);
		struct result_flow row;

		if (!sum.seen && sent <= 0 && !sum.window.corrupt)
			continue;
		row = flow_row(flow, &sum, sent);
		d->flows_seen += sum.seen;
		d->flows_with_loss += row.lost > 0;
		in->flow_moved += sum.moved;
		in->missing += window_missing(&sum.window);
		flow_keep(d, &row, sender >= 0 && flows <= FLOW_ROWS_MAX);
	}
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

static int account_direction(const struct session *s, const struct phase *phase,
			     const struct phase_direction *pd, const struct snapshot *end,
			     uint64_t ns, struct result_direction *d)
{
	struct ledger_end from, to;
	struct ledger_input in = {.expect = UNKNOWN};
	/* Who made the frames that arrive: the sender, or the far end that gets its own back. */
	bool to_reflects = pd->to >= 0 && phase->rx[pd->to] == RX_REFLECT;
	bool from_reflects = pd->from >= 0 && phase->tx[pd->from] != TX_GENERATE;
	int sender = pd->from;
	int err = 0;

	strncpy(d->from, port_name(s, pd->from), sizeof(d->from) - 1);
	strncpy(d->to, port_name(s, pd->to), sizeof(d->to) - 1);
	strncpy(d->leg, pd->leg, sizeof(d->leg) - 1);
	if (from_reflects || (pd->from < 0 && s->config->command == COMMAND_SEND))
		sender = pd->to;
	if (pd->from >= 0) {
		end_of(s, pd->from, end, &from);
		in.from = &from;
	}
	if (pd->to >= 0) {
		end_of(s, pd->to, end, &to);
		in.to = &to;
		account_flows(s, pd->from < 0 && !s->config->expect_return ? -1 : sender, pd->to, d,
			      &in);
	}
	in.scheduled = sender >= 0 && s->config->rate.unit != RATE_MAX;
	in.reflected_out = from_reflects;
	in.leg_to_reflector = to_reflects;
	in.wire_counted = in.from && in.to && wire_counted(&from, &to);
	in.zero_copy_receiver = pd->to >= 0 && s->ports.port[pd->to].mode == MODE_ZERO_COPY;
	if (s->config->expect)
		in.expect = (int64_t)s->config->expect;
	if (s->config->expect_return && pd->from < 0)
		in.expect = (int64_t)to.worker.submitted;
	ledger_close(&in, &d->ledger);
	if (to_reflects || pd->to < 0)
		d->flows = d->flows_seen = d->flows_with_loss = UNKNOWN;
	if (to_reflects && !in.from)
		d->ledger.lost = UNKNOWN;
	account_rates(in.from, in.to, s->ports.port[pd->to >= 0 ? pd->to : pd->from].nic.speed_bps,
		      ns, d);
	latency_none(&d->latency, to_reflects ? "this end reflects" : "");
	if (pd->to >= 0 && !to_reflects)
		err = account_latency(s, sender, pd->to, &to, d);
	latency_none(&d->lateness, "no schedule");
	if (!err && pd->from >= 0 && !from_reflects && in.scheduled) {
		d->lateness.why[0] = '\0';
		err = account_lateness(s, pd->from, d);
	}
	return err;
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
		q->queue_id = w->queue->queue_id;
		queue_counters_sub(&end->queue[w->slot], &s->start->queue[w->slot], &q->count);
	}
	return 0;
}

static int account_threads(const struct session *s, struct result_trial *trial)
{
	trial->thread = calloc(s->crew.nthreads, sizeof(*trial->thread));
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
