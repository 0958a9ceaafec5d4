/* SPDX-License-Identifier: MIT */
/*
 * The reflector: frames go out as they came in, from the same memory, on the same port or another.
 * What must not be sent back was refused in the program; a damaged or stale frame is counted and
 * given back. With no room to send, frames wait in the RX ring: none is dropped here.
 */
#include "meta.h"
#include "run/worker.h"

/* Any frame: take it (true) or give it back? Turns it round when taken. */
static __attribute__((noinline)) bool reflect_frame(struct worker *w, uint8_t *data, uint32_t len)
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

/* What is the same for all frames of a burst. */
struct expected {
	uint64_t meta, head, run_mask;
	enum swap swap;
	bool set_reply;
};

static struct expected expect(const struct plan *plan)
{
	return (struct expected){
		.meta = meta_word_stamped(),
		.head = stamp_head(plan->run, 0),
		.run_mask = plan->any_run ? 0 : stamp_head(0xffff, 0) ^ stamp_head(0, 0),
		.swap = plan->swap,
		.set_reply = plan->set_reply,
	};
}

/* A frame of ours, as almost all are: turned round in a few steps. False, and untouched, if not. */
static inline bool reflect_expected(const struct expected *e, uint8_t *data, uint32_t len)
{
	if (meta_word(data) != e->meta ||
	    ((load_be64(data + STAMP_OFFSET) ^ e->head) & e->run_mask) != 0 ||
	    !swap_is_plain(data, data + len))
		return false;
	if (e->set_reply)
		stamp_set_reply(data + STAMP_OFFSET);
	swap_plain(data, e->swap);
	return true;
}

uint32_t role_reflect(struct worker *w)
{
	struct queue *q = w->queue, *out = w->out;
	struct worker_counters *count = w->count, *out_count = w->out_count;
	const struct expected e = expect(&w->plan);
	uint64_t back[WORKER_BURST_MAX]; /* frames that are not sent */
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
		const uint64_t addr = desc->addr;
		const uint32_t len = desc->len;
		uint8_t *data = q->area + addr;

		bytes += len;
		if (!reflect_expected(&e, data, len) && !reflect_frame(w, data, len)) {
			back[nback++] = addr;
			continue;
		}
		*queue_tx_desc(out, at + sent++) = (struct xdp_desc){.addr = addr, .len = len};
		sent_bytes += len;
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
