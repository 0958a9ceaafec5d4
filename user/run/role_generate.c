/* SPDX-License-Identifier: MIT */
/* The generator: frames of the template, each with its flow's ports and its own stamp. */
#include "run/worker.h"

/*
 * Frames that lie ready are patched, not copied: 8 bytes of UDP header where there are flows, and
 * the stamp, whose check follows from the one before.
 */
static inline __attribute__((always_inline)) void
generate_frames(struct worker *w, struct xdp_desc *desc, uint32_t n, const bool one_flow)
{
	const struct frame *frame = w->plan.frame;
	const uint32_t len = frame->len, udp_sum = frame->udp_sum;
	const uint64_t udp_rest = frame->udp_rest, now = w->now, head = w->stamp_head;
	const uint32_t burst_sum = stamp_burst_sum(head, now);
	struct queue *q = w->queue;
	struct flow_walk walk = w->walk;
	uint8_t *const area = q->area;
	const uint64_t *free = q->free + q->nfree;
	uint32_t check = stamp_check(burst_sum, walk.flow, walk.seq);

	for (const struct xdp_desc *end = desc + n; desc != end; desc++) {
		uint64_t addr = *--free;
		uint8_t *data = area + addr;

		if (!one_flow)
			frame_set_flow(data, udp_sum, udp_rest, walk.flow);
		stamp_write(data + STAMP_OFFSET, head, check, walk.flow, walk.seq, now);
		*desc = (struct xdp_desc){.addr = addr, .len = len};
		if (one_flow) {
			walk.seq++;
			check = stamp_check_next(check, STAMP_CHECK_STEP);
		} else {
			flow_walk_next(&walk);
			check = stamp_check(burst_sum, walk.flow, walk.seq);
		}
	}
	q->nfree -= n;
	w->walk = walk;
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
