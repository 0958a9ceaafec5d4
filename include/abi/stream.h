/* SPDX-License-Identifier: MIT */
/*
 * A stream: the frames that one TX queue sends when an XDP program makes them (kernel engine). The
 * schedule is absolute: frame n is due at start + n gaps, the gap in 2^-32 ns, so nothing adds up;
 * what is later than a cap is given up and counted. User space sets a stream before a trial and
 * reads it afterwards; while it runs only the program writes to it, but for stop.
 */
#ifndef ABI_STREAM_H
#define ABI_STREAM_H

#include "abi/flow.h"

#define STREAM_FOREVER (~0ull)
#define STREAM_BYTES   (STAMP_OFFSET + STAMP_LEN) /* of each frame that are written anew */

struct stream {
	/* set before a trial */
	__u64 head;	   /* of the stamps: stamp_head() */
	__u64 head_sum;	   /* and its sum, folded */
	__u64 stop_ns;	   /* nothing is due from then on; STREAM_FOREVER: no end */
	__u64 gap_ns;	   /* between frames, and */
	__u64 cap_ns;	   /* what is later than this is given up */
	__u64 limit;	   /* frames to send in all; STREAM_FOREVER: no limit */
	__u32 gap_frac;	   /* 2^-32 ns more; both 0: as fast as possible */
	__u32 stamp_every; /* frames that share a clock reading, when there is no schedule */
	__u32 bulk;	   /* frames that leave together: their stamps may be as early as that */
	__u32 slot;	   /* of the counters */
	__u32 len;	   /* of a frame, without FCS */
	__u32 raw;	   /* send the template as it is, without stamp */
	/* kept by the program */
	struct flow_walk walk;
	__u64 due_ns; /* the next frame; before the first: the start */
	__u32 due_frac;
	__u32 done; /* limit or stop was reached */
	__u64 now;  /* last clock reading */
	__u64 sent;
	__u64 published; /* of them, those that stand in the counters */
	__u64 bulk_at;	 /* when the first frame of this bulk was stamped; 0: not known */
	__u64 bulk_span; /* longest so far */
	__u32 bulk_left, stamp_left;
	/* by user space at any time */
	__u32 stop;
} __attribute__((aligned(64)));

enum stream_answer { STREAM_SEND, STREAM_WAIT, STREAM_DONE };

static inline int stream_paced(const struct stream *s)
{
	return !!(s->gap_ns | s->gap_frac);
}

/* Is a frame due at now? */
static inline enum stream_answer stream_ask(const struct stream *s, __u64 now)
{
	if (s->stop || s->sent >= s->limit)
		return STREAM_DONE;
	if ((stream_paced(s) ? s->due_ns : now) >= s->stop_ns)
		return STREAM_DONE;
	return now < s->due_ns ? STREAM_WAIT : STREAM_SEND;
}

/* The schedule goes n frames on; n below 2^31. */
static inline void stream_advance(struct stream *s, __u64 n)
{
	__u64 frac = s->due_frac + n * s->gap_frac;

	s->due_ns += n * s->gap_ns + (frac >> 32);
	s->due_frac = (__u32)frac;
}

/* Gives up what is too late at now; how many frames that are. All were due before the stop. */
static inline __u64 stream_give_up(struct stream *s, __u64 now)
{
	__u64 last = now < s->stop_ns ? now : s->stop_ns - 1, n;

	if (last < s->due_ns || last - s->due_ns <= s->cap_ns)
		return 0;
	/* Rounded down: what is left is found the next time. */
	n = (last - s->due_ns - s->cap_ns) / (s->gap_ns + !!s->gap_frac);
	n = n < 1u << 30 ? n : 1u << 30;
	stream_advance(s, n);
	return n;
}

/* The clock was read. */
static inline void stream_tick(struct stream *s, __u64 now)
{
	s->now = now;
	s->stamp_left = s->stamp_every;
	if (s->bulk_left)
		return;
	if (s->bulk_at && now > s->bulk_at + s->bulk_span) /* it may go back a little */
		s->bulk_span = now - s->bulk_at;
	s->bulk_at = now;
	s->bulk_left = s->bulk;
}

/* The frame was written: on to the next one. */
static inline void stream_sent(struct stream *s)
{
	s->sent++;
	s->stamp_left--;
	if (s->bulk_left)
		s->bulk_left--;
	flow_walk_next(&s->walk);
	if (stream_paced(s))
		stream_advance(s, 1);
}

#endif
