/* SPDX-License-Identifier: MIT */
/*
 * The reflector: frames go out as they came in, from the same memory, on the same port or another.
 * What must not be sent back was refused in the program; a damaged or stale frame is counted and
 * given back. With no room to send, frames wait in the RX ring: none is dropped here.
 */
#include "run/meta.h"
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
	uint64_t meta;		 /* second half of struct frame_meta: a right stamp in its place */
	uint64_t head, run_mask; /* of the stamp, in network order */
	enum swap swap;
	bool set_reply;
};

static struct expected expect(const struct plan *plan)
{
	return (struct expected){
		.meta = meta_word_stamped(),
		.head = abi_be64(stamp_head(plan->run, 0)),
		.run_mask = plan->any_run ? 0 : abi_be64(stamp_head(0xffff, 0)),
		.swap = plan->swap,
		.set_reply = plan->set_reply,
	};
}

/* A frame of ours, as almost all are: turned round in a few steps. False, and untouched, if not. */
static inline bool reflect_expected(const struct expected *e, uint8_t *data)
{
	if (meta_word(data) != e->meta ||
	    !stamp_has_head(data + STAMP_OFFSET, e->head, e->run_mask) || !swap_is_plain(data))
		return false;
	if (e->set_reply)
		stamp_set_reply(data + STAMP_OFFSET);
	swap_plain(data, e->swap);
	return true;
}

/* Frames of a burst that are not sent. */
struct back {
	uint64_t addr[BURST_MAX], bytes;
	uint32_t n;
};

/*
 * Turn n frames round; those that are sent go to the TX ring from index at on, with the same
 * descriptor. Returns the bytes of all n.
 */
static uint64_t reflect_burst(struct worker *w, uint32_t in, uint32_t at, uint32_t n,
			      struct back *back)
{
	const struct expected e = expect(&w->plan);
	const struct xdp_desc *const rx = w->queue->rx_desc;
	struct xdp_desc *const tx = w->out->tx_desc;
	const uint32_t rx_mask = w->queue->rx_mask, tx_mask = w->out->tx_mask, end = in + n;
	uint8_t *const area = w->queue->area;
	uint32_t ahead = in;
	uint64_t bytes = 0;

	for (; ahead != end && ahead != in + PREFETCH_AHEAD; ahead++)
		PREFETCH_FRAME(area + rx[ahead & rx_mask].addr);
	for (; in != end; in++) {
		const struct xdp_desc *desc = &rx[in & rx_mask];
		uint8_t *data = area + desc->addr;

		if (ahead != end)
			PREFETCH_FRAME(area + rx[ahead++ & rx_mask].addr);
		bytes += desc->len;
		if (!reflect_expected(&e, data) && !reflect_frame(w, data, desc->len)) {
			back->addr[back->n++] = desc->addr;
			back->bytes += desc->len;
			continue;
		}
		tx[at++ & tx_mask] = *desc;
	}
	return bytes;
}

uint32_t role_reflect(struct worker *w)
{
	struct queue *q = w->queue, *out = w->out;
	struct worker_counters *count = w->count, *out_count = w->out_count;
	struct back back;
	uint32_t in, at, room, n;
	uint64_t bytes;

	out_count->completed += queue_reap(out);
	room = queue_tx_room(out, w->plan.burst, &at);
	n = room ? queue_rx_peek(q, room, &in) : 0;
	if (!n) {
		queue_rx_wake(q);
		return 0;
	}
	back.n = 0;
	back.bytes = 0;
	bytes = reflect_burst(w, in, at, n, &back);
	queue_rx_release(q, n);
	for (uint32_t i = 0; i < back.n; i++)
		queue_fill_one(q, back.addr[i]);
	queue_tx_submit(out, n - back.n);
	count->received += n;
	count->received_bytes += bytes;
	count->matched += n - back.n;
	out_count->submitted += n - back.n;
	out_count->submitted_bytes += bytes - back.bytes;
	if (n > back.n && queue_wants_kick(out))
		worker_kick(w);
	return n;
}
