/* SPDX-License-Identifier: MIT */
/* The generator: frames of the template, each with its flow's ports and its own stamp. */
#include "run/worker.h"

/* The frames of a queue in their order: what a frame has to hold follows from the one before. */
struct line {
	struct flow_walk walk;
	uint32_t burst_sum, check, check_step; /* of the stamp */
	uint32_t limit;			       /* flows below it are reached by steps */
	uint64_t udp;			       /* header */
};

static inline void line_restart(struct line *l, const struct frame *frame)
{
	uint32_t limit = frame_udp_limit(l->walk.flow);

	l->limit = limit < l->walk.flows ? limit : l->walk.flows;
	l->check = stamp_check(l->burst_sum, l->walk.flow, l->walk.seq);
	l->udp = frame_udp(frame->udp_sum, frame->udp_rest, l->walk.flow);
}

static inline void line_next(struct line *l, const struct frame *frame)
{
	uint32_t step = l->walk.step;

	if (l->walk.flow + step < l->limit) {
		l->walk.flow += step;
		l->check = stamp_check_next(l->check, l->check_step);
		l->udp = frame_udp_next(l->udp, step);
	} else {
		flow_walk_next(&l->walk);
		line_restart(l, frame);
	}
}

/* Frames that lie ready are patched, not copied: the stamp, and the UDP header where it changes. */
static inline __attribute__((always_inline)) void
generate_frames(struct worker *w, struct xdp_desc *desc, uint32_t n, const bool one_flow)
{
	const struct frame *frame = w->plan.frame;
	const uint64_t now = w->now, head = w->stamp_head;
	const uint32_t len = frame->len;
	struct queue *q = w->queue;
	uint8_t *const area = q->area;
	const uint64_t *free = q->free + q->nfree;
	struct line line = {
		.walk = w->walk,
		.burst_sum = stamp_burst_sum(head, now),
		.check_step = stamp_check_step(one_flow ? 1 : w->walk.step),
	};

	line_restart(&line, frame);
	for (const struct xdp_desc *end = desc + n; desc != end; desc++) {
		uint64_t addr = *--free;
		uint8_t *data = area + addr;

		if (!one_flow)
			store_be64(data + FRAME_UDP_AT, line.udp);
		stamp_write(data + STAMP_OFFSET, head, line.check, line.walk.flow, line.walk.seq,
			    now);
		*desc = (struct xdp_desc){.addr = addr, .len = len};
		if (one_flow) {
			line.walk.seq++;
			line.check = stamp_check_next(line.check, line.check_step);
		} else {
			line_next(&line, frame);
		}
	}
	q->nfree -= n;
	w->walk = line.walk;
}

/* The piece of a burst that lies together in the ring. */
static void generate_piece(struct worker *w, uint32_t index, uint32_t n)
{
	struct xdp_desc *desc = queue_tx_desc(w->queue, index);

	if (w->walk.first + w->walk.step >= w->walk.flows)
		generate_frames(w, desc, n, true);
	else
		generate_frames(w, desc, n, false);
}

static void generate_burst(struct worker *w, uint32_t index, uint32_t n)
{
	uint32_t mask = w->queue->tx_mask, to_end = mask + 1 - (index & mask);

	if (n > to_end) {
		generate_piece(w, index, to_end);
		index += to_end;
		n -= to_end;
	}
	generate_piece(w, index, n);
}

/* Beyond the cap nothing is caught up; it is counted under what stood in the way. */
static void generate_give_up(struct worker *w, bool no_room)
{
	uint64_t n = pacer_give_up(&w->pacer);

	if (no_room)
		w->count->given_up_no_room += n;
	else
		w->count->given_up_late += n;
}

uint32_t role_generate(struct worker *w)
{
	struct worker_counters *count = w->count;
	struct queue *q = w->queue;
	uint64_t wanted = w->pacer.wanted, due = pacer_due(&w->pacer, w->now);
	uint32_t n, room, index;

	if (!due) {
		if (w->now >= w->pacer.stop_ns)
			__atomic_store_n(&w->sending, false, __ATOMIC_RELEASE);
		return 0;
	}
	n = due < w->plan.burst ? (uint32_t)due : w->plan.burst;
	if (q->nfree < n)
		count->completed += queue_reap(q);
	room = queue_tx_room(q, n, &index);
	if (room > q->nfree)
		room = q->nfree;
	n = n < room ? n : room;
	generate_give_up(w, !n);
	count->wanted += w->pacer.wanted - wanted;
	if (!n) {
		worker_kick(w);
		return 0;
	}
	if (w->plan.pps > 0)
		hist_note(w->lateness, (int64_t)(w->now - pacer_next_ns(&w->pacer)));
	generate_burst(w, index, n);
	queue_tx_submit(q, n);
	pacer_sent(&w->pacer, n);
	count->submitted += n;
	count->submitted_bytes += (uint64_t)n * w->plan.frame->len;
	w->sent_at = w->now;
	__atomic_store_n(&w->sending, !pacer_done(&w->pacer), __ATOMIC_RELEASE);
	w->burst_at = w->now;
	if (queue_wants_kick(q))
		worker_kick(w);
	return n;
}
