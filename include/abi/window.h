/* SPDX-License-Identifier: MIT */
/*
 * Sequence window: which sequence numbers of a flow have come, over the last nbits numbers.
 *
 * Conforms to RFC 4737 (a frame is reordered when its number is below the next expected one) and
 * RFC 5236 (only the first copy counts), O(1) per frame in the usual case, serial arithmetic.
 * The caller keeps nbits / 64 words of bitmap; nbits is a power of two, 64 to 4096.
 */
#ifndef ABI_WINDOW_H
#define ABI_WINDOW_H

#include "abi/bytes.h"

#define WINDOW_BITS_MIN 64
#define WINDOW_BITS_MAX 4096

enum window_verdict {
	WINDOW_IN_ORDER,
	WINDOW_REORDERED, /* first copy, late: unique and reordered */
	WINDOW_JOINED,	  /* very first arrival, beyond the window: no head loss is invented */
	WINDOW_DUPLICATE,
	WINDOW_TOO_LATE, /* below the window: duplicate or reordered, can't be told */
	WINDOW_VERDICTS,
};

struct window {
	__u64 unique; /* first copies */
	__u32 next;   /* highest sequence seen + 1 */
	__u32 base;   /* first sequence that is expected */
	__u32 duplicate;
	__u32 reordered;
	__u32 too_late;
	__u32 corrupt; /* kept here for its flow, does not touch the window */
};

/*
 * Sequence numbers from base to next that never came. A damaged frame fills a gap of its flow, and
 * so does one that was too late; where that one was a copy, none are missing rather than -1.
 */
static inline __u32 window_missing(const struct window *w)
{
	__u32 gaps = w->next - w->base - (__u32)w->unique, filled = w->too_late + w->corrupt;

	return gaps > filled ? gaps - filled : 0;
}

/* Is the number that is back below next also below base? base matters until 2^32 were passed. */
static inline int window_before_base(const struct window *w, __u32 back)
{
	__u32 span = w->next - w->base;

	return back > span && w->unique <= span;
}

static inline int window_test_and_set(__u64 *bits, __u32 mask, __u32 seq)
{
	__u32 i = seq & mask;
	__u64 bit = 1ull << (i & 63);
	__u64 old = bits[i >> 6];

	bits[i >> 6] = old | bit;
	return !!(old & bit);
}

/*
 * Forget the numbers from..from+n-1, n <= nbits, a word at a time. One question for each word that
 * is cleared: the verifier follows every answer, and without CAP_PERFMON also wrong guesses of the
 * CPU.
 */
static inline void window_clear(__u64 *bits, __u32 mask, __u32 from, __u32 n)
{
	__u32 at = from & mask, shift = at & 63, words = mask >> 6, whole;

	if (n <= 64 - shift) {
		if (n)
			bits[at >> 6] &= ~(~0ull >> (64 - n) << shift);
		return;
	}
	bits[at >> 6] &= ~(~0ull << shift);
	n -= 64 - shift;
	whole = n >> 6;
	for (__u32 i = 1; i <= words && i <= whole; i++) {
		bits[((at >> 6) + i) & words] = 0;
		ABI_PIN(i);
	}
	bits[((at >> 6) + whole + 1) & words] &= ~0ull << (n & 63);
}

/* All of them, from any on: without CAP_PERFMON no index may be known to the verifier. */
static inline void window_clear_all(__u64 *bits, __u32 mask, __u32 from)
{
	for (__u32 i = 0; i <= mask >> 6; i++) {
		bits[((from >> 6) + i) & mask >> 6] = 0;
		ABI_PIN(i); /* no pointer that ends up behind the last */
	}
}

/* A number at or above next, after a gap of d > 0. */
static inline enum window_verdict window_jump(struct window *w, __u64 *bits, __u32 mask, __u32 seq,
					      __u32 d)
{
	enum window_verdict verdict = WINDOW_IN_ORDER;

	if (d > mask) {
		window_clear_all(bits, mask, seq);
		if (!w->unique) {
			w->base = seq;
			verdict = WINDOW_JOINED;
		}
	} else {
		window_clear(bits, mask, w->next, d);
	}
	bits[(seq & mask) >> 6] |= 1ull << (seq & 63);
	w->next = seq + 1;
	w->unique++;
	return verdict;
}

/* The very number that is expected next. */
static inline void window_next(struct window *w, __u64 *bits, __u32 mask, __u32 seq)
{
	bits[(seq & mask) >> 6] |= 1ull << (seq & 63);
	w->next = seq + 1;
	w->unique++;
}

/* Note sequence number seq; mask = nbits - 1. */
static inline enum window_verdict window_note(struct window *w, __u64 *bits, __u32 mask, __u32 seq)
{
	__s32 d = (__s32)(seq - w->next);

	if (d == 0) {
		window_next(w, bits, mask, seq);
		return WINDOW_IN_ORDER;
	}
	if (d > 0)
		return window_jump(w, bits, mask, seq, (__u32)d);
	if (-(__u32)d > mask + 1 || window_before_base(w, -(__u32)d)) {
		w->too_late++;
		return WINDOW_TOO_LATE;
	}
	if (window_test_and_set(bits, mask, seq)) {
		w->duplicate++;
		return WINDOW_DUPLICATE;
	}
	w->reordered++;
	w->unique++;
	return WINDOW_REORDERED;
}

#endif
