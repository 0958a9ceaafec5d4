/* SPDX-License-Identifier: MIT */
/*
 * The reflector: frames go out as they came in, from the same memory, on the same port or another.
 * What must not be sent back was refused in the program; a damaged or stale frame is counted and
 * given back. With no room to send, frames wait in the RX ring: none is dropped here.
 */
#include "run/worker.h"

/* Take it (true) or give it back? Turns it round when taken. */
static inline bool reflect_frame(struct worker *w, uint8_t *data, uint32_t len)
{
	const struct frame_meta *meta = (const struct frame_meta *)(data - sizeof(*meta));
	uint32_t stamp_offset, kind;

	if (meta->magic == FRAME_META_MAGIC) {
		stamp_offset = meta->stamp_offset;
		kind = meta->kind;
		if (stamp_offset + STAMP_LEN > len)
			stamp_offset = 0;
	} else {
		kind = match_frame(w->plan.match, data, data + len, &stamp_offset);
		w->count->user_stamped++;
	}
	if (kind == MATCH_LOOKALIKE) {
		w->count->corrupt++;
		return false;
	}
	if (stamp_offset) {
		if (!w->plan.any_run && load_be16(data + stamp_offset + 4) != w->plan.run) {
			w->count->stale++;
			return false;
		}
		if (w->plan.set_reply)
			stamp_set_reply(data + stamp_offset);
	}
	swap_frame(data, data + len, w->plan.swap);
	return true;
}

uint32_t role_reflect(struct worker *w)
{
	struct queue *q = w->queue, *out = w->out;
	struct worker_counters *count = w->count, *out_count = w->out_count;
	uint64_t back[BURST_MAX]; /* frames that are not sent */
	uint32_t in, at, room, n, sent = 0, nback = 0;
	uint64_t bytes = 0, sent_bytes = 0;

	out_count->completed += queue_reap(out);
	room = queue_tx_room(out, w->plan.burst, &at);
	n = room ? queue_rx_peek(q, room, &in) : 0;
	if (!n) {
		queue_rx_wake(q);
		return 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct xdp_desc *desc = queue_rx_desc(q, in + i);

		bytes += desc->len;
		if (!reflect_frame(w, q->area + desc->addr, desc->len)) {
			back[nback++] = desc->addr;
			continue;
		}
		*queue_tx_desc(out, at + sent++) =
			(struct xdp_desc){.addr = desc->addr, .len = desc->len};
		sent_bytes += desc->len;
	}
	queue_rx_release(q, n);
	while (nback)
		queue_fill_one(q, back[--nback]);
	queue_tx_submit(out, sent);
	count->received += n;
	count->received_bytes += bytes;
	count->matched += sent;
	out_count->submitted += sent;
	out_count->submitted_bytes += sent_bytes;
	if (sent && queue_wants_kick(out))
		worker_kick(w);
	return n;
}
