/* SPDX-License-Identifier: MIT */
/* The counter: reads the stamp of every frame, then gives the frame back. */
#include "meta.h"
#include "run/worker.h"

#define PREFETCH \
	6 /* frames ahead; all lie at the same place of a page, and so compete in the cache */

/* What is known of a received frame. */
struct arrival {
	uint8_t *data;
	uint32_t len;
	uint32_t stamp_offset; /* 0: no right stamp */
	uint64_t time_ns;
};

/*
 * The program has put time and stamp offset in front of the frame. Where it could not, the time is
 * ours and the stamp is looked for here.
 */
static inline void arrival_read(struct worker *w, const struct xdp_desc *desc, struct arrival *a)
{
	const struct frame_meta *meta;

	a->data = w->queue->area + desc->addr;
	a->len = desc->len;
	meta = (const struct frame_meta *)(a->data - sizeof(*meta));
	if (meta->magic == FRAME_META_MAGIC) {
		a->time_ns = meta->time_ns;
		a->stamp_offset = meta->stamp_offset;
		if (a->stamp_offset &&
		    (a->stamp_offset + STAMP_LEN > a->len || !stamp_ok(a->data + a->stamp_offset)))
			a->stamp_offset = 0;
		return;
	}
	a->time_ns = w->now;
	a->stamp_offset = match_stamp(w->plan.match, a->data, a->data + a->len);
	w->count->user_stamped++;
}

/* Is it a frame of the run that we count? The first run that comes is ours when any may come. */
static bool run_is_ours(struct worker *w, uint16_t run)
{
	uint32_t seen = 0;

	if (!w->plan.any_run)
		return run == w->plan.run;
	if (__atomic_compare_exchange_n(w->run_seen, &seen, 1u << 16 | run, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		seen = 1u << 16 | run;
	if ((uint16_t)seen != run)
		return false;
	w->plan.run = run;
	w->plan.any_run = false;
	return true;
}

static struct window *window_of(const struct worker *w, uint32_t flow)
{
	return (struct window *)(w->windows + (size_t)flow * w->window_stride);
}

/* No right stamp: damaged if addresses and ports are those of our flows, else not ours. */
static void count_damaged(struct worker *w, const struct arrival *a)
{
	const struct match_config *match = w->plan.match;
	const uint8_t *end = a->data + a->len;
	uint32_t ethertype = 0, off = match_l3(a->data, end, &ethertype), flow;

	if (!off || ethertype != ETHERTYPE_IPV4 || !match_lookalike(match, a->data, end, off)) {
		w->count->foreign++;
		return;
	}
	w->count->corrupt++;
	flow = frame_port_flow(a->data + off + 20);
	if (flow < w->plan.rx_flows)
		window_of(w, flow)->corrupt++;
}

/* Any frame: every question is asked. */
static __attribute__((noinline)) void count_frame(struct worker *w, const struct xdp_desc *desc)
{
	struct worker_counters *count = w->count;
	enum window_verdict verdict;
	struct window *window;
	struct arrival a;
	struct stamp stamp;

	arrival_read(w, desc, &a);
	if (!a.stamp_offset) {
		count_damaged(w, &a);
		return;
	}
	stamp_get(a.data + a.stamp_offset, &stamp);
	if (!run_is_ours(w, stamp.run)) {
		count->stale++;
		return;
	}
	if ((stamp.flags & ~w->plan.ignore_flags) != w->plan.expect_flags ||
	    stamp.flow >= w->plan.rx_flows) {
		count->foreign++;
		return;
	}
	window = window_of(w, stamp.flow);
	if (a.stamp_offset != STAMP_OFFSET)
		count->retagged++;
	if (w->plan.verify_full && !frame_intact(a.data, a.len, a.stamp_offset)) {
		count->corrupt++;
		window->corrupt++;
		return;
	}
	verdict = window_note(window, (__u64 *)(window + 1), w->window_mask, stamp.seq);
	switch (verdict) {
	case WINDOW_DUPLICATE:
		count->duplicate++;
		return;
	case WINDOW_TOO_LATE:
		count->too_late++;
		return;
	case WINDOW_REORDERED:
		count->reordered++;
		break;
	case WINDOW_JOINED:
		count->joined_late++;
		break;
	default:
		break;
	}
	count->matched++;
	hist_note(w->latency, stamp_age(a.time_ns, stamp.time));
}

/* --- almost all frames are like this ------------------------------------------------------------
 */

/* What the next frame of a flow looks like, as far as it is the same for all of a burst. */
struct expected {
	uint64_t meta;	     /* second half of struct frame_meta: a right stamp, where we send it */
	uint64_t head, mask; /* of the stamp: run and flags */
	uint8_t *area;
	char *windows;
	uint64_t window_stride;
	uint32_t flows, window_mask;
	bool verify_full;
};

static void expect(const struct worker *w, struct expected *e)
{
	const struct plan *plan = &w->plan;
	const struct frame_meta meta = {.magic = FRAME_META_MAGIC,
					.stamp_offset = STAMP_OFFSET,
					.kind = MATCH_STAMP};

	*e = (struct expected){
		.meta = meta_word_stamped(),
		.head = stamp_head(plan->run, plan->expect_flags),
		.mask = stamp_head(0xffff, 0xf & ~plan->ignore_flags),
		.area = w->queue->area,
		.windows = w->windows,
		.window_stride = w->window_stride,
		.flows = plan->any_run ? 0 : plan->rx_flows,
		.window_mask = w->window_mask,
		.verify_full = plan->verify_full,
	};
}

/*
 * The next frame of its flow, marked by the program as having a right stamp: counted in a few
 * steps. False, and nothing done, for any other.
 */
static inline bool count_expected(const struct expected *e, const struct xdp_desc *desc,
				  struct hist *latency, struct hist_burst *burst)
{
	const uint8_t *data = e->area + desc->addr;
	struct window *window;
	struct stamp stamp;

	if (meta_word(data) != e->meta ||
	    ((load_be64(data + STAMP_OFFSET) ^ e->head) & e->mask) != 0)
		return false;
	stamp_get(data + STAMP_OFFSET, &stamp);
	if (stamp.flow >= e->flows)
		return false;
	window = (struct window *)(e->windows + stamp.flow * e->window_stride);
	if (stamp.seq != window->next)
		return false;
	if (e->verify_full && !frame_intact(data, desc->len, STAMP_OFFSET))
		return false;
	window_next(window, (__u64 *)(window + 1), e->window_mask, stamp.seq);
	hist_burst_note(latency, burst, stamp_age(meta_time(data), stamp.time));
	return true;
}

/* Metadata and stamp lie in two cache lines. */
static inline void prefetch_frame(const struct queue *q, uint32_t index)
{
	const uint8_t *data = q->area + queue_rx_desc(q, index)->addr;

	__builtin_prefetch(data - sizeof(struct frame_meta));
	__builtin_prefetch(data + STAMP_OFFSET);
}

static void count_burst(struct worker *w, uint32_t index, uint32_t n)
{
	const struct queue *q = w->queue;
	struct hist *latency = w->latency;
	struct hist_burst burst;
	struct expected e;
	uint64_t bytes = 0;
	uint32_t matched = 0;

	expect(w, &e);
	hist_burst_start(&burst);
	for (uint32_t i = 0; i < n && i < PREFETCH; i++)
		prefetch_frame(q, index + i);
	for (uint32_t i = 0; i < n; i++) {
		const struct xdp_desc *desc = queue_rx_desc(q, index + i);

		if (i + PREFETCH < n)
			prefetch_frame(q, index + i + PREFETCH);
		bytes += desc->len;
		if (count_expected(&e, desc, latency, &burst))
			matched++;
		else
			count_frame(w, desc);
	}
	hist_burst_end(latency, &burst);
	w->count->matched += matched;
	w->count->received += n;
	w->count->received_bytes += bytes;
}

uint32_t role_count(struct worker *w)
{
	struct queue *q = w->queue;
	uint32_t index, n = queue_rx_peek(q, w->plan.burst, &index);

	if (!n) {
		queue_rx_wake(q);
		return 0;
	}
	count_burst(w, index, n);
	queue_rx_recycle(q, index, n);
	return n;
}
