/* SPDX-License-Identifier: MIT */
/* The generator: frames of the template, each with its flow's ports and its own stamp. */
#include "run/worker.h"

/* Frames that lie ready are patched, not copied: 8 bytes of UDP header where there are flows. */
static void generate_frames(struct worker *w, uint32_t index, uint32_t n)
{
	const struct frame *frame = w->plan.frame;
	const uint32_t len = frame->len, udp_sum = frame->udp_sum;
	const uint64_t udp_rest = frame->udp_rest, now = w->now, head = w->stamp_head;
	const uint32_t burst_sum = stamp_burst_sum(head, now);
	struct queue *q = w->queue;
	struct flow_walk walk = w->walk;
	const bool one_flow = walk.first + walk.step >= walk.flows;
	uint8_t *const area = q->area;
	const uint64_t *free = q->free + q->nfree;

	for (uint32_t i = 0; i < n; i++) {
		struct xdp_desc *desc = queue_tx_desc(q, index + i);
		uint64_t addr = *--free;
		uint8_t *data = area + addr;

		if (!one_flow)
			frame_set_flow(data, udp_sum, udp_rest, walk.flow);
		stamp_put(data + STAMP_OFFSET, head, burst_sum, walk.flow, walk.seq, now);
		*desc = (struct xdp_desc){.addr = addr, .len = len};
		flow_walk_next(&walk);
	}
	q->nfree -= n;
	w->walk = walk;
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

	if (!due)
		return 0;
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
	generate_frames(w, index, n);
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
