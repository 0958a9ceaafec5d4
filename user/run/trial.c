/* SPDX-License-Identifier: MIT */
/* One trial: plans, start, wait, drain, stop. Every wait in here has a deadline. */
#include "io/clock.h"
#include "io/log.h"
#include "run/state.h"
#include <errno.h>
#include <math.h>
#include <string.h>

#define START_DELAY_NS	1000000ull  /* for the threads to be there when the schedule begins */
#define QUIET_NS	50000000ull /* nothing arrived for so long: the wire is empty */
#define DRAIN_MAX_NS	2000000000ull
#define STALL_NS	5000000000ull /* --frames without --duration: no progress for so long */
#define NEVER		(UINT64_MAX / 2)
#define IN_FLIGHT_FEW	4	      /* --latency-mode: frames wait for nobody */
#define GRACE_NS	20000000ull   /* for the last frames that were due, at the end of a trial */
#define LOOK_NS		2000000ull    /* how often the end of a limited trial is looked for */
#define SETTLE_EVERY_NS 1000000000ull /* real cards: counters are read until two reads agree */
#define SETTLE_MAX_NS	5000000000ull

static bool phase_generates(const struct phase *phase)
{
	return phase->tx[0] == TX_GENERATE || phase->tx[1] == TX_GENERATE;
}

/* --- plans --- */

static bool queue_generates(const struct session *s, const struct phase *phase,
			    const struct worker *w)
{
	const struct run_port *port = &s->ports.port[w->port];
	uint32_t q = w->slot - port->first_slot;

	return phase->tx[w->port] == TX_GENERATE && q < port->streams && q < s->config->flows;
}

/* Kernel engine: two streams on one CPU? Then neither may wait on it for its next frame. */
static bool stream_shares(const struct session *s, const struct phase *phase, uint32_t i)
{
	const struct worker *w = &s->worker[i], *other = s->worker;

	for (; w->stream && other != s->worker + s->nworkers; other++)
		if (other != w && other->stream && other->place == w->place &&
		    queue_generates(s, phase, other))
			return true;
	return false;
}

static void plan_generator(struct session *s, const struct trial_spec *spec, int port, uint32_t q,
			   double pps, struct plan *plan)
{
	const struct config *config = s->config;
	uint32_t queues = s->ports.port[port].streams;
	uint32_t active = config->flows < queues ? config->flows : queues;

	plan->tx = TX_GENERATE;
	plan->frame = &s->ports.port[port].frame;
	plan->flows = config->flows;
	plan->tx_index = q;
	plan->tx_queues = queues;
	plan->pps = pps / active;
	plan->stamp_every = config->stamp_every;
	if (config->latency_mode) {
		plan->in_flight = IN_FLIGHT_FEW;
		plan->burst = plan->burst < IN_FLIGHT_FEW ? plan->burst : IN_FLIGHT_FEW;
	}
	plan->send_flags = port == 1 ? STAMP_FROM_B : 0;
	plan->limit = UINT64_MAX;
	if (q >= active)
		plan->limit = 0;
	else if (spec->frames)
		plan->limit = spec->frames / active + (q < spec->frames % active);
}

static void plan_worker(struct session *s, const struct trial_spec *spec, const struct worker *w,
			uint32_t q, double pps, struct plan *plan)
{
	const struct config *config = s->config;
	const struct phase *phase = spec->phase;
	bool sender_known = phase_generates(phase);

	*plan = (struct plan){
		.rx = phase->rx[w->port],
		.run = s->run,
		.any_run = !sender_known,
		.expect_flags = phase->expect[w->port],
		.ignore_flags = phase->any_flags ? STAMP_REPLY | STAMP_FROM_B : 0,
		.burst = config->burst,
		.rx_flows = flows_expected(config),
		.window_bits = window_bits_for(config),
		.verify_full = config->verify_full,
		.macs = config->command == COMMAND_BENCH ? s->ports.port[1 - w->port].frame.data
							 : NULL,
		.no_time = config->no_receive_time,
		.swap = config->swap,
		.set_reply = !s->ports.bridge,
		.match = &s->ports.port[w->port].match,
	};
	if (phase->tx[w->port] == TX_GENERATE)
		plan_generator(s, spec, (int)w->port, q, pps, plan);
}

/* What comes in here goes out on the other port's queue of the same place. */
static void bridge_worker(struct session *s, struct worker *w)
{
	uint32_t place = w->slot - s->ports.port[w->port].first_slot;
	struct run_port *other = &s->ports.port[1 - w->port];

	w->out = &other->queue[place];
	w->out_count = &s->ports.maps.slot[other->first_slot + place].worker;
}

/* What the kernel engine's program of a port does with the frames that come in. */
static void plan_inside(struct session *s, const struct phase *phase, int i)
{
	struct inside *in = s->ports.port[i].prog.inside;

	inside_clear(in);
	*in->plan = (struct receive_plan){
		.flows = flows_expected(s->config),
		.run = s->run,
		.any_run = !phase_generates(phase),
		.set_reply = !s->ports.bridge,
		.expect = phase->expect[i],
		.ignore = phase->any_flags ? STAMP_REPLY | STAMP_FROM_B : 0,
	};
}

static int trial_plan(struct session *s, const struct trial_spec *spec, struct result_trial *trial)
{
	memset(s->run_seen, 0, sizeof(s->run_seen));
	for (int i = 0; i < s->ports.n && s->ports.engine == ENGINE_KERNEL; i++)
		plan_inside(s, spec->phase, i);
	for (uint32_t i = 0; i < s->nworkers; i++) {
		struct worker *w = &s->worker[i];
		const struct run_port *port = &s->ports.port[w->port];
		double pps = 0;
		struct plan plan;
		int err =
			rate_to_pps(&spec->rate, s->config->frame_bytes, port->nic.speed_bps, &pps);

		if (err) {
			log_error("%s: %s", port->nic.text,
				  err == -ENODATA ? "speed unknown: give --rate in pps"
						  : "--rate is out of range for this frame size");
			return err;
		}
		if (spec->phase->tx[w->port] == TX_GENERATE && pps > 0)
			trial->wanted_pps = pps;
		w->out = w->queue;
		w->out_count = w->count;
		if (s->ports.bridge && !w->inside && spec->phase->rx[w->port] == RX_REFLECT)
			bridge_worker(s, w);
		plan_worker(s, spec, w, w->slot - port->first_slot, pps, &plan);
		plan.shares_cpu = stream_shares(s, spec->phase, i);
		err = worker_prepare(w, &plan);
		if (err)
			return err;
	}
	return 0;
}

static void ports_set_phase(struct session *s, const struct phase *phase)
{
	for (int i = 0; i < s->ports.n; i++)
		prog_set_phase(&s->ports.port[i].prog, !phase			    ? STEER_CLOSED
						       : phase->rx[i] == RX_REFLECT ? STEER_REFLECT
										    : STEER_COUNT);
}

/* --- while it runs --- */

struct progress {
	uint64_t submitted, completed, invalid, received, matched;
	bool sending;
	int error; /* of the first worker that has one */
	const struct worker *failed;
};

static struct progress trial_progress(const struct session *s)
{
	struct progress p = {};

	for (uint32_t i = 0; i < s->nworkers; i++) {
		const struct worker *w = &s->worker[i];
		const struct worker_counters *c = w->count;

		p.submitted += __atomic_load_n(&c->submitted, __ATOMIC_RELAXED);
		p.completed += __atomic_load_n(&c->completed, __ATOMIC_RELAXED);
		p.received += __atomic_load_n(&c->received, __ATOMIC_RELAXED);
		p.matched += __atomic_load_n(&c->matched, __ATOMIC_RELAXED);
		p.sending |= __atomic_load_n(&w->sending, __ATOMIC_ACQUIRE);
		if (w->error && !p.failed)
			p.failed = w;
	}
	return p;
}

/* A socket that can't be kicked any more ends the run, with words. */
static int trial_failed(const struct session *s, const struct progress *p)
{
	const struct worker *w = p->failed;

	if (!w)
		return 0;
	log_error("%s queue %u can't send any more: %s%s", s->ports.port[w->port].nic.text,
		  worker_queue_id(s, w), strerror(-w->error),
		  w->error == -ENXIO || w->error == -EINVAL
			  ? " (the XDP program is gone, or the device was reset)"
			  : "");
	return w->error;
}

/* Its socket is told; a program alone is not, but then there is no such device any more. */
static bool worker_port_gone(struct session *s, const struct worker *w)
{
	struct run_port *port = &s->ports.port[w->port];
	struct port_counters now;

	if (!w->inside)
		return queue_error(w->queue);
	return w->slot == port->first_slot && nic_counters(&port->nic, &now);
}

/* A port that was taken away ends the run, with words: a receiver would wait for ever. */
static int trial_port_gone(struct session *s)
{
	for (uint32_t i = 0; i < s->nworkers; i++) {
		const struct worker *w = &s->worker[i];

		if (!worker_port_gone(s, w))
			continue;
		log_error("%s went away while it was used: unplugged, or its driver unbound",
			  s->ports.port[w->port].nic.text);
		return -ENODEV;
	}
	return 0;
}

/* Until the time is up, all frames are sent, or the user wants to stop. */
static int trial_wait(struct session *s, const struct trial_spec *spec, uint64_t start)
{
	uint64_t end = spec->duration_ns ? start + spec->duration_ns : NEVER;
	uint64_t last_submitted = 0, moved_at = start, now;
	bool limited = spec->frames || s->config->expect;
	uint64_t matched_before = trial_progress(s).matched;

	while (!s->stop && (now = clock_now()) < end + GRACE_NS) {
		struct progress p = trial_progress(s);
		int err = trial_port_gone(s);

		if (!err)
			err = trial_failed(s, &p);
		if (err)
			return err;
		if ((spec->frames || now >= end) && !p.sending)
			break;
		if (s->config->expect && p.matched - matched_before >= s->config->expect)
			break;
		if (p.submitted != last_submitted) {
			last_submitted = p.submitted;
			moved_at = now;
		} else if (spec->frames && p.sending && now > moved_at + STALL_NS &&
			   spec->rate.unit == RATE_MAX) {
			log_warn("nothing could be sent for 5 s: stopping");
			break;
		}
		session_attend(s, limited || now + LOOK_NS > end ? now + LOOK_NS : end);
	}
	return 0;
}

/* Is anything in the rings, because a thread gets no CPU? Then it is not quiet yet. */
static bool rings_wait(const struct session *s)
{
	bool waiting = false;

	for (uint32_t i = 0; i < s->nworkers && s->ports.engine == ENGINE_XSK; i++) {
		struct queue_gauges g = {};

		queue_gauges(s->worker[i].queue, &g);
		waiting |= g.rx_ring || g.tx_ring;
	}
	return waiting;
}

/* After sending: until all has completed and nothing arrives any more. False: it timed out. */
static bool trial_drain(struct session *s)
{
	uint64_t start = clock_now(), quiet_since = start, now;
	struct progress last = trial_progress(s);

	while ((now = clock_now()) < start + DRAIN_MAX_NS && s->stop < 2) {
		struct progress p = trial_progress(s);

		if (p.received != last.received || p.completed != last.completed || rings_wait(s))
			quiet_since = now;
		last = p;
		if (p.completed == p.submitted && now - quiet_since >= QUIET_NS)
			return true;
		session_attend(s, now + LOOK_NS);
	}
	return false;
}

/* What is in the RX rings still comes in, what is on the TX rings still goes out. */
static void trial_empty_rings(struct session *s)
{
	uint64_t deadline = clock_now() + QUIET_NS;

	do
		clock_sleep(LOOK_NS / 2);
	while (rings_wait(s) && clock_now() < deadline);
}

/* Cards refresh their counters in their own time: read until two reads agree. */
static void trial_settle(struct session *s, struct snapshot *end)
{
	uint64_t deadline = clock_now() + SETTLE_MAX_NS;
	struct port_counters before[PORTS_MAX];
	bool real = false;

	session_sample(s, end);
	for (int i = 0; i < s->ports.n; i++)
		real |= !s->ports.port[i].nic.speed_nominal;
	while (real && clock_now() < deadline && s->stop < 2) {
		memcpy(before, end->port, sizeof(before));
		session_attend(s, clock_now() + SETTLE_EVERY_NS);
		session_sample(s, end);
		if (!memcmp(before, end->port, sizeof(before)))
			break;
	}
}

/*
 * How long frames were sent: when a limit ended it, to the last burst and, with a schedule, until
 * one more would have been due; else to the end of the trial.
 */
static uint64_t trial_sending_ns(const struct session *s, uint64_t start, uint64_t end)
{
	uint64_t last = 0;
	bool sending = false;

	for (uint32_t i = 0; i < s->nworkers; i++) {
		const struct worker *w = &s->worker[i];

		sending |= w->sending;
		if (w->sent_at + (uint64_t)w->pacer.gap_ns > last)
			last = w->sent_at + (uint64_t)w->pacer.gap_ns;
	}
	return !sending && last > start && last < end ? last - start : end - start;
}

static int64_t trial_frames_held(struct session *s)
{
	int64_t held = 0;

	for (int i = 0; i < s->ports.n && s->ports.engine == ENGINE_XSK; i++) {
		struct run_port *port = &s->ports.port[i];

		for (uint32_t q = 0; q < port->queues; q++)
			held += (int64_t)port->rx_frames + port->tx_frames -
				queue_frames_accounted(&port->queue[q]);
	}
	return held;
}

/* --- the trial --- */

/* Queues of a port take turns, so that together they keep the port's schedule. */
static uint64_t queue_shift(const struct worker *w)
{
	uint32_t active = w->plan.flows < w->plan.tx_queues ? w->plan.flows : w->plan.tx_queues;

	if (w->plan.tx != TX_GENERATE || w->plan.tx_index >= active)
		return 0;
	return (uint64_t)(w->pacer.gap_ns * w->plan.tx_index / active);
}

static void trial_begin(struct session *s, const struct trial_spec *spec, uint64_t start)
{
	for (uint32_t i = 0; i < s->nworkers; i++) {
		struct worker *w = &s->worker[i];

		worker_start(w, start + queue_shift(w),
			     spec->duration_ns ? start + spec->duration_ns : UINT64_MAX);
	}
	session_sample(s, s->start);
	if (!spec->silent) {
		s->trial_name = spec->phase->name;
		s->trial_start = start;
		s->next_interval = start + s->config->interval_ns;
		memcpy(s->tick, s->start, snapshot_size(s->start->nslots));
	}
	ports_set_phase(s, spec->phase);
	crew_set(&s->crew, CREW_RUN);
}

/* Their threads are inside the kernel; this is how they hear of it. */
static void trial_stop_streams(struct session *s)
{
	for (uint32_t i = 0; i < s->nworkers; i++)
		if (s->worker[i].stream)
			__atomic_store_n(&s->worker[i].stream->stop, 1, __ATOMIC_RELEASE);
}

int session_trial(struct session *s, const struct trial_spec *spec, struct result_trial *trial)
{
	const struct phase *phase = spec->phase;
	uint64_t start, end;
	int err, ret;

	trial->wanted_pps = NAN;
	trial->frame_bytes = phase_generates(phase) ? s->config->frame_bytes : 0;
	trial->flows = phase_generates(phase) ? s->config->flows : 0;
	trial->run = s->run;
	strncpy(trial->name, phase->name, sizeof(trial->name) - 1);
	err = trial_plan(s, spec, trial);
	if (!err)
		err = crew_start(&s->crew);
	if (err)
		return err;
	start = clock_now() + START_DELAY_NS;
	trial_begin(s, spec, start);
	err = trial_wait(s, spec, start);
	crew_set(&s->crew, CREW_DRAIN);
	trial_stop_streams(s);
	end = clock_now();
	if (spec->duration_ns && end > start + spec->duration_ns)
		end = start + spec->duration_ns;
	if (phase_generates(phase) && !err)
		trial->drain_timed_out = !trial_drain(s);
	ports_set_phase(s, NULL);
	trial_empty_rings(s);
	crew_join(&s->crew);
	trial->drain_ns = clock_now() - end;
	trial->duration_ns = trial_sending_ns(s, start, end);
	trial->stopped_early = s->stop && (spec->duration_ns || spec->frames);
	trial->frames_held = trial_frames_held(s);
	trial_settle(s, s->now);
	s->now->trial = s->trial_index;
	s->trial_name = NULL;
	s->run++;
	ret = session_account(s, phase, s->now, trial); /* what was done until then, too */
	return err ? err : ret;
}
