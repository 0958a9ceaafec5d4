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
		if (!w->plan.any_run &&
		    load_be16(data + stamp_offset + STAMP_RUN_AT) != w->plan.run) {
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
	uint64_t meta; /* second half of struct frame_meta */
	uint16_t run;  /* in network order */
	bool any_run;
};

static struct expected expect(const struct plan *plan)
{
	return (struct expected){
		.meta = meta_word_of(MATCH_PLAIN),
		.run = abi_be16(plan->run),
		.any_run = plan->any_run,
	};
}

/* A frame of ours, as almost all are: turned round in a few steps. False, and untouched, if not. */
static inline bool reflect_expected(const struct expected *e, uint8_t *data, const enum swap swap,
				    const bool set_reply)
{
	uint8_t *stamp = data + STAMP_OFFSET;

	if (meta_word(data) != e->meta)
		return false;
	if (ABI_LOAD(uint16_t, stamp + STAMP_RUN_AT) != e->run && !e->any_run)
		return false;
	if (set_reply)
		stamp_set_reply(stamp);
	swap_plain(data, swap);
	return true;
}

/* What became of a burst. */
struct turned {
	uint32_t bytes; /* of all frames */
	uint32_t back_bytes, nback;
	uint64_t back[BURST_MAX]; /* frames that are not sent */
};

/*
 * Turn n frames round that lie together in the ring; those that are sent go to the TX ring with the
 * same descriptor. Returns how many.
 */
static inline __attribute__((always_inline)) uint32_t
reflect_frames(struct worker *w, const struct xdp_desc *rx, uint32_t n, struct xdp_desc *const tx,
	       struct turned *t, const enum swap swap, const bool set_reply)
{
	const struct expected e = expect(&w->plan);
	const struct xdp_desc *const end = rx + n, *ahead = rx;
	uint8_t *const area = w->queue->area;
	struct xdp_desc *to = tx;
	uint32_t bytes = 0;

	for (; ahead != end && ahead != rx + PREFETCH_AHEAD; ahead++)
		PREFETCH_FRAME(area, ahead->addr);
	for (; rx != end; rx++) {
		uint8_t *data = area + rx->addr;

		if (ahead != end)
			PREFETCH_FRAME(area, ahead++->addr);
		bytes += rx->len;
		if (!reflect_expected(&e, data, swap, set_reply) &&
		    !reflect_frame(w, data, rx->len)) {
			t->back[t->nback++] = rx->addr;
			t->back_bytes += rx->len;
			continue;
		}
		*to++ = *rx;
	}
	t->bytes += bytes;
	return (uint32_t)(to - tx);
}

/* In pieces that wrap in neither ring; as one usually reflects, without a question per frame. */
static void reflect_burst(struct worker *w, uint32_t in, uint32_t at, uint32_t n, struct turned *t)
{
	const struct queue *q = w->queue, *out = w->out;
	const struct plan *plan = &w->plan;

	while (n) {
		const struct xdp_desc *rx = queue_rx_desc(q, in);
		struct xdp_desc *tx = queue_tx_desc(out, at);
		uint32_t rx_to_end = q->rx_mask + 1 - (in & q->rx_mask);
		uint32_t tx_to_end = out->tx_mask + 1 - (at & out->tx_mask);
		uint32_t piece = n < rx_to_end ? n : rx_to_end;

		piece = piece < tx_to_end ? piece : tx_to_end;
		at += plan->swap == SWAP_L4 && plan->set_reply
			      ? reflect_frames(w, rx, piece, tx, t, SWAP_L4, true)
			      : reflect_frames(w, rx, piece, tx, t, plan->swap, plan->set_reply);
		in += piece;
		n -= piece;
	}
}

uint32_t role_reflect(struct worker *w)
{
	struct queue *q = w->queue, *out = w->out;
	struct worker_counters *count = w->count, *out_count = w->out_count;
	struct turned t;
	uint32_t in, at, room, n;

	out_count->completed += queue_reap(out);
	room = queue_tx_room(out, w->plan.burst, &at);
	n = room ? queue_rx_peek(q, room, &in) : 0;
	if (!n) {
		queue_rx_wake(q);
		return 0;
	}
	t.bytes = t.back_bytes = t.nback = 0;
	reflect_burst(w, in, at, n, &t);
	queue_rx_release(q, n);
	for (uint32_t i = 0; i < t.nback; i++)
		queue_fill_one(q, t.back[i]);
	queue_tx_submit(out, n - t.nback);
	count->received += n;
	count->received_bytes += t.bytes;
	count->matched += n - t.nback;
	out_count->submitted += n - t.nback;
	out_count->submitted_bytes += t.bytes - t.back_bytes;
	if (n > t.nback && queue_wants_kick(out))
		worker_kick(w);
	return n;
}
