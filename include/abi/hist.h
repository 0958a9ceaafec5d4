/* SPDX-License-Identifier: MIT */
/*
 * Log-linear histogram of nanoseconds, two significant digits, 1 ns to 10 s: the index formula of
 * HdrHistogram with 256 sub-buckets, so a value is known to better than 1 %. Exact count, sum, min
 * and max beside it. One writer; readers copy it as it grows.
 */
#ifndef ABI_HIST_H
#define ABI_HIST_H

#include <linux/types.h>

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

static inline __u32 hist_index(__u64 v)
{
	__u32 octave = 63 - HIST_HALF_BITS - __builtin_clzll(v | (2 * HIST_HALF - 1));

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

static inline void hist_note(struct hist *h, __s64 ns)
{
	__u64 v = (__u64)ns;

	if (ns < 0) {
		h->negative++;
		return;
	}
	if (v < h->min || !h->count)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->count++;
	h->sum += v;
	if (v > HIST_MAX_NS) {
		h->over++;
		return;
	}
	h->bucket[hist_index(v)]++;
}

/*
 * The same for a burst: buckets are counted at once, count, sum, min and max at its end, which
 * keeps them in registers. start, any number of notes, end.
 */
struct hist_burst {
	__u64 count, sum, min, max;
};

static inline void hist_burst_start(struct hist_burst *b)
{
	*b = (struct hist_burst){.min = ~0ull};
}

static inline void hist_burst_note(struct hist *h, struct hist_burst *b, __s64 ns)
{
	__u64 v = (__u64)ns;

	if (v > HIST_MAX_NS) { /* or below zero */
		hist_note(h, ns);
		return;
	}
	b->min = v < b->min ? v : b->min;
	b->max = v > b->max ? v : b->max;
	b->count++;
	b->sum += v;
	h->bucket[hist_index(v)]++;
}

static inline void hist_burst_end(struct hist *h, const struct hist_burst *b)
{
	if (!b->count)
		return;
	if (b->min < h->min || !h->count)
		h->min = b->min;
	if (b->max > h->max)
		h->max = b->max;
	h->count += b->count;
	h->sum += b->sum;
}

#endif
