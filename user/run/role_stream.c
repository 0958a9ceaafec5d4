/* SPDX-License-Identifier: MIT */
/* The generator of the kernel engine: a program makes the frames, a thread stays in the call. */
#include "run/worker.h"
#include <errno.h>
#include <math.h>
#include <string.h>

#define LOOKS_MAX    (1u << 20) /* frames looked at in one call: a stop takes 0.1 s at most */
#define AHEAD_NS     150000u	/* a call takes so long to begin, its waiting included */
#define SLEEP_GAP_NS 500000u	/* frames so far apart have a call each, and sleep between them */
#define REST_NS	     100000u	/* between two calls where another stream wants the CPU */
#define BATCH_FAST   64		/* more at a time overruns veth's ring of 256 */
#define BATCH_MIDDLE 8
#define PPS_FAST     1400000.0 /* one frame at a time can't be faster */
#define PPS_MIDDLE   1000000.0
#define BULK	     16 /* kernel/bpf/devmap.c: DEV_MAP_BULK_SIZE */
#define TWO_32	     4294967296.0
#define CAP_NS	     10000000u
#define CAP_BURSTS   2

/* Few frames at a time are on time, many are cheap. */
static uint32_t batch_for(const struct plan *plan)
{
	uint32_t batch = BATCH_FAST;

	if (plan->shares_cpu && plan->pps > 0)
		return plan->burst; /* as many as have become due while the thread slept */
	if (plan->in_flight)
		return 1;
	if (plan->pps > 0 && plan->pps < PPS_MIDDLE)
		batch = 1;
	else if (plan->pps > 0 && plan->pps < PPS_FAST)
		batch = BATCH_MIDDLE;
	return batch < plan->burst ? batch : plan->burst;
}

/* The gap is rounded up: a known time then never has one frame too many. */
static void set_gap(struct stream *s, double pps, uint32_t batch)
{
	long double gap = pps > 0 ? ceill(1e9L * TWO_32 / pps) : 0;

	s->gap_ns = (uint64_t)(gap / TWO_32);
	s->gap_frac = (uint32_t)(gap - (long double)s->gap_ns * TWO_32);
	s->cap_ns = CAP_BURSTS * batch * (s->gap_ns + 1);
	if (s->cap_ns < CAP_NS)
		s->cap_ns = CAP_NS;
}

void stream_prepare(struct worker *w)
{
	const struct plan *plan = &w->plan;
	struct stream *s = w->stream;

	memset(s, 0, sizeof(*s));
	w->batch = batch_for(plan);
	s->head = w->stamp_head;
	s->head_sum = fold16(w->stamp_head);
	s->stop_ns = STREAM_FOREVER;
	s->limit = plan->limit;
	s->stamp_every = plan->stamp_every ? plan->stamp_every : 1;
	/* One by one: the program waits on the CPU for the next, and none waits for others to
	 * leave. */
	s->bulk = w->batch < BULK ? w->batch : BULK;
	s->slot = w->slot;
	if (plan->tx != TX_GENERATE || !w->sending) {
		s->done = 1;
		return;
	}
	s->len = plan->frame->len;
	set_gap(s, plan->pps, w->batch);
	flow_walk_init(&s->walk, plan->flows, plan->tx_index, plan->tx_queues);
}

uint64_t stream_next_ns(const struct worker *w)
{
	uint64_t due = w->stream->due_ns, rested = w->kicked_at + REST_NS;

	if (!w->plan.shares_cpu || !stream_paced(w->stream))
		return due - AHEAD_NS;
	return due > rested ? due : rested;
}

/* All that are due, and one more: it finds the end of the schedule. */
static uint32_t frames_due(const struct stream *s, uint64_t now)
{
	uint64_t n = now > s->due_ns ? (now - s->due_ns) / (s->gap_ns + 1) : 0;

	return n < LOOKS_MAX ? (uint32_t)n + 1 : LOOKS_MAX;
}

/* Frames far apart: only the next one, the thread sleeps in between. */
static uint32_t looks_for(const struct worker *w, uint64_t now)
{
	const struct stream *s = w->stream;
	uint64_t left = s->limit - s->sent;

	if (w->plan.shares_cpu && stream_paced(s))
		return frames_due(s, now);
	if (s->gap_ns >= SLEEP_GAP_NS)
		return 1;
	return !stream_paced(s) && left < LOOKS_MAX ? (uint32_t)left + 1 : LOOKS_MAX;
}

/* The program has brought most of it to the counters; between two calls nobody else writes them. */
static void publish(struct worker *w)
{
	struct worker_counters *count = w->count;
	uint64_t n = w->stream->sent - w->stream->published;

	count->wanted += n;
	count->submitted += n;
	count->submitted_bytes += n * w->stream->len;
	count->completed += n;
	w->stream->published = w->stream->sent;
}

uint32_t role_stream(struct worker *w, uint64_t now)
{
	struct stream *s = w->stream;
	uint64_t before = s->sent;
	int err;

	if (now < stream_next_ns(w))
		return 0;
	s->bulk_at = s->bulk_left = s->stamp_left = 0; /* a pause between calls is no delay */
	err = inside_run(w->inside, w->plan.frame->data, w->plan.frame->len, looks_for(w, now),
			 w->batch);
	if (err && err != -EINTR)
		w->error = err;
	publish(w);
	w->kicked_at = now;
	w->pacer.sent = s->sent;
	w->sent_at = s->now;
	/* One at a time with a stamp of its own leaves at once, as far as the clock can tell. */
	w->burst_span = s->bulk > 1 || (!stream_paced(s) && s->stamp_every > 1) ? s->bulk_span : 1;
	__atomic_store_n(&w->sending, !s->done, __ATOMIC_RELEASE);
	return (uint32_t)(s->sent - before);
}
