/* SPDX-License-Identifier: MIT */
/*
 * Log-linear histogram of nanoseconds, two significant digits, 1 ns to 10 s: the index formula of
 * HdrHistogram with 256 sub-buckets, so a value is known to better than 1 %. Exact count, sum, min
 * and max beside it. One writer; readers copy it as it grows.
 */
#ifndef ABI_HIST_H
#define ABI_HIST_H

#include "abi/bytes.h"

#define HIST_HALF_BITS 7
#define HIST_HALF      (1u << HIST_HALF_BITS)
#define HIST_MAX_NS    10000000000ull
#define HIST_BUCKETS   3584 /* hist_index(HIST_MAX_NS) = 3477, rounded up to whole octaves */

struct hist {
	__u64 count;	/* values recorded, those over the range included */
	__u64 sum;	/* ns */
	__u64 min;	/* ns; valid when count > 0 */
	__u64 max;	/* ns */
	__u64 negative; /* values below zero: counted here, in no bucket and not in count */
	__u64 over;	/* values above HIST_MAX_NS: in count, in no bucket */
	__u64 bucket[HIST_BUCKETS];
};

/*
 * Place of the highest bit of a value that is not 0, in steps: BPF has no instruction for it. Each
 * step is arithmetic, for the verifier would follow both ways of every question.
 */
static inline __u64 hist_log2_steps(__u64 v)
{
	__u64 n = 0;

	for (__u64 step = 32; step; step /= 2) {
		__u64 above = v >> step;

		ABI_PIN(above);
		above = (0 - above) >> 63; /* 1: there is something */
		v >>= above * step;
		n += above * step;
	}
	return n;
}

static inline __u64 hist_log2(__u64 v)
{
#ifdef __bpf__ /* nor has clang 14 one to offer instead */
	return hist_log2_steps(v);
#else
	return 63 - (__u64)__builtin_clzll(v);
#endif
}

static inline __u32 hist_index(__u64 v)
{
	__u64 octave = hist_log2(v | (2 * HIST_HALF - 1)) - HIST_HALF_BITS;

	return (octave << HIST_HALF_BITS) + (__u32)(v >> octave);
}

/* Lowest value that falls into a bucket. */
static inline __u64 hist_low(__u32 index)
{
	__u32 octave = index >> HIST_HALF_BITS;

	if (octave < 2)
		return index;
	octave--;
	return (__u64)(index - (octave << HIST_HALF_BITS)) << octave;
}

/* Below zero, or over the range: in no bucket. */
static inline void hist_note_outside(struct hist *h, __s64 ns)
{
	if (ns < 0) {
		h->negative++;
		return;
	}
	if (!h->count)
		h->min = (__u64)ns;
	if ((__u64)ns > h->max)
		h->max = (__u64)ns;
	h->count++;
	h->sum += (__u64)ns;
	h->over++;
}

static inline void hist_note(struct hist *h, __s64 ns)
{
	__u64 v = (__u64)ns;

	if (v > HIST_MAX_NS) {
		hist_note_outside(h, ns);
		return;
	}
	if (v > h->max) {
		h->max = v;
		if (!h->count)
			h->min = v;
	} else if (v < h->min) {
		h->min = v;
	}
	h->count++;
	h->sum += v;
	h->bucket[hist_index(v)]++;
}

#endif
