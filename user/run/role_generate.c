/* SPDX-License-Identifier: MIT */
/* The generator: frames of the template, each with its flow's ports and its own stamp. */
#include "run/worker.h"

/*
 * Some frames of a queue in their order, such that each is the one before plus a constant: their
 * flows end before a port would wrap, their checks before they would fall below the least.
 */
struct line {
	uint64_t udp, udp_step; /* header */
	uint64_t high, low;	/* the stamp's first 16 bytes */
	uint64_t high_step, low_step;
	uint16_t tail; /* and its last two, in network order */
};

/* One flow: the sequence numbers go up. */
static uint32_t line_of_flow(struct line *l, const struct flow_walk *walk, uint32_t check)
{
	uint32_t last = UINT32_MAX - walk->seq;

	l->udp_step = 0;
	l->low_step = 1ull << 24;
	l->high_step = 0 - (256ull << 32);
	return (check >> 8 < last ? check >> 8 : last) + 1;
}

/* One frame of each flow: ports and flow go up, the UDP checksum, which is never 0, goes down. */
static uint32_t line_of_flows(struct line *l, const struct flow_walk *walk, uint32_t check)
{
	uint32_t step = walk->step, most = check >> 8, to_wrap = (l->udp & 0xffff) - 1;
	uint32_t limit = frame_udp_limit(walk->flow);

	limit = limit < walk->flows ? limit : walk->flows;
	l->udp_step = frame_udp_step(step);
	l->low_step = (uint64_t)step << 56;
	l->high_step = (step >> 8) - ((uint64_t)step << 40);
	most = most < to_wrap ? most : to_wrap;
	most = most < limit - 1 - walk->flow ? most : limit - 1 - walk->flow;
	return most / step + 1;
}

/* The line that begins with the next frame. Returns its length. */
static uint32_t line_begin(struct line *l, const struct worker *w)
{
	const struct frame *frame = w->plan.frame;
	const struct flow_walk *walk = &w->walk;
	uint32_t check = stamp_check(w->burst_sum, walk->flow, walk->seq);

	l->high = stamp_high(w->stamp_head, check, walk->flow);
	l->low = stamp_low(walk->flow, walk->seq, w->now);
	l->tail = abi_be16((uint16_t)w->now);
	l->udp = frame_udp(frame->udp_sum, frame->udp_rest, walk->flow);
	return flow_walk_is_one(walk) ? line_of_flow(l, walk, check)
				      : line_of_flows(l, walk, check);
}

/* Frames that lie ready are patched, not copied: UDP header and stamp. */
static void generate_line(struct queue *q, struct line l, struct xdp_desc *desc, uint32_t n,
			  uint32_t len)
{
	const struct xdp_desc *const end = desc + n;
	const uint64_t *free = q->free + q->nfree;
	uint8_t *const area = q->area;

	for (; desc != end; desc++) {
		uint64_t addr = *--free;
		uint8_t *data = area + addr;

		desc->addr = addr;
		desc->len = len;
		desc->options = 0;
		store_be64(data + FRAME_UDP_AT, l.udp);
		store_be64(data + STAMP_OFFSET, l.high);
		store_be64(data + STAMP_OFFSET + 8, l.low);
		ABI_STORE(uint16_t, data + STAMP_OFFSET + 16, l.tail);
		l.udp += l.udp_step;
		l.low += l.low_step;
		l.high += l.high_step + (l.low < l.low_step);
	}
	q->nfree -= n;
}

static void generate_burst(struct worker *w, uint32_t index, uint32_t n)
{
	struct queue *q = w->queue;

	w->burst_sum = stamp_burst_sum(w->stamp_head, w->now);
	while (n) {
		uint32_t to_end = q->tx_mask + 1 - (index & q->tx_mask), part;
		struct line line;

		part = line_begin(&line, w);
		part = part < n ? part : n;
		part = part < to_end ? part : to_end;
		generate_line(q, line, queue_tx_desc(q, index), part, w->plan.frame->len);
		flow_walk_skip(&w->walk, part);
		index += part;
		n -= part;
	}
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
	if (q->nfree < n || w->plan.in_flight)
		count->completed += queue_reap(q);
	if (w->plan.in_flight && n > w->plan.in_flight - q->outstanding)
		n = w->plan.in_flight - q->outstanding;
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
