/* SPDX-License-Identifier: MIT */
/* The counter: reads the stamp of every frame, then gives the frame back. */
#include "run/meta.h"
#include "run/worker.h"
#include <string.h>

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

/* --verify full. An intact frame is the example for those that follow. */
static bool frame_holds(struct worker *w, const struct arrival *a)
{
	if (!frame_intact(a->data, a->len, a->stamp_offset))
		return false;
	if (w->plan.macs && memcmp(a->data, w->plan.macs, 12) != 0)
		return false;
	if (a->stamp_offset == STAMP_OFFSET)
		frame_remember(&w->example, a->data, a->len);
	return true;
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
	if (w->plan.verify_full && !frame_holds(w, &a)) {
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
	if (!w->plan.no_time)
		hist_note(w->latency, stamp_age(a.time_ns, stamp.time));
}

/* --- almost all frames are like this ------------------------------------------------------------
 */

/* What the next frame of a flow looks like, as far as it is the same for all of a burst. */
struct expected {
	uint64_t meta;	     /* second half of struct frame_meta: a right stamp, where we send it */
	uint64_t head, mask; /* of the stamp: run and flags, in network order */
	uint8_t *area;
	char *windows;
	uint64_t window_stride;
	uint32_t flows; /* 0: every frame is asked everything */
	uint32_t window_mask;
};

static struct expected expect(const struct worker *w)
{
	const struct plan *plan = &w->plan;

	return (struct expected){
		.meta = meta_word_of(MATCH_STAMP),
		.head = abi_be64(stamp_head(plan->run, plan->expect_flags)),
		.mask = abi_be64(stamp_head(0xffff, 0xf & ~plan->ignore_flags)),
		.area = w->queue->area,
		.windows = w->windows,
		.window_stride = w->window_stride,
		.flows = plan->any_run ? 0 : plan->rx_flows,
		.window_mask = w->window_mask,
	};
}

/*
 * The next frame of its flow, marked by the program as having a right stamp: counted in a few
 * steps. False, and nothing done, for any other.
 */
static inline __attribute__((always_inline)) bool
count_expected(const struct expected *e, const struct xdp_desc *desc, struct hist *latency,
	       const struct frame_example *example)
{
	const uint8_t *data = e->area + desc->addr, *stamp = data + STAMP_OFFSET;
	struct window *window;
	uint32_t flow, seq;

	if (meta_word(data) != e->meta || !stamp_has_head(stamp, e->head, e->mask))
		return false;
	flow = stamp_flow(stamp);
	if (flow >= e->flows)
		return false;
	window = (struct window *)(e->windows + flow * e->window_stride);
	seq = stamp_seq(stamp);
	if (seq != window->next)
		return false;
	if (example && !frame_is_like(example, data, desc->len))
		return false;
	window_next(window, (__u64 *)(window + 1), e->window_mask, seq);
	if (latency)
		hist_note(latency, stamp_age(meta_time(data), stamp_time_unmasked(stamp)));
	return true;
}

/* A piece of a burst that lies together in the ring. Returns its bytes. */
static inline __attribute__((always_inline)) uint32_t
count_frames(struct worker *w, const struct xdp_desc *desc, uint32_t n, struct hist *latency,
	     const struct frame_example *example)
{
	const struct xdp_desc *const end = desc + n, *ahead = desc;
	const struct expected e = expect(w);
	uint32_t bytes = 0, others = 0;

	for (; ahead != end && ahead != desc + PREFETCH_AHEAD; ahead++)
		PREFETCH_FRAME(e.area, ahead->addr);
	for (; desc != end; desc++) {
		if (ahead != end)
			PREFETCH_FRAME(e.area, ahead++->addr);
		bytes += desc->len;
		if (!count_expected(&e, desc, latency, example)) {
			count_frame(w, desc);
			others++;
		}
	}
	w->count->matched += n - others;
	return bytes;
}

static uint32_t count_piece(struct worker *w, const struct xdp_desc *desc, uint32_t n)
{
	struct hist *latency = w->plan.no_time ? NULL : w->latency;

	if (w->plan.verify_full)
		return count_frames(w, desc, n, latency, &w->example);
	if (latency)
		return count_frames(w, desc, n, w->latency, NULL);
	return count_frames(w, desc, n, NULL, NULL);
}

static void count_burst(struct worker *w, uint32_t index, uint32_t n)
{
	const struct queue *q = w->queue;
	const uint32_t to_end = q->rx_mask + 1 - (index & q->rx_mask);
	const uint32_t first = n < to_end ? n : to_end;

	w->count->received += n;
	w->count->received_bytes += count_piece(w, queue_rx_desc(q, index), first);
	if (n > first)
		w->count->received_bytes += count_piece(w, q->rx_desc, n - first);
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
