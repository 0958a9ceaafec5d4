/* SPDX-License-Identifier: MIT */
/*
 * Pacing on an absolute schedule: frame n is due at start + n / rate, in 64.64 fixed point, so
 * nothing adds up. A worker that comes late catches up to a cap; what is beyond is given up and
 * counted, never hidden.
 */
#ifndef CORE_RATE_H
#define CORE_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct pacer {
	uint64_t start_ns;
	uint64_t stop_ns; /* end of the schedule; UINT64_MAX: none. What was due before stays due */
	uint64_t rate;	 /* frames per ns, 0.64 fixed point; 0 = no schedule: as fast as possible */
	double gap_ns;	 /* 1 / rate */
	uint64_t slots;	 /* frames the clock alone has asked for so far */
	uint64_t wanted; /* frames the schedule has asked for so far, limit included */
	uint64_t settled; /* of these: sent or given up */
	uint64_t cap;	  /* frames that may be outstanding before some are given up */
	uint64_t limit;	  /* frames to send in all; UINT64_MAX: no limit */
	uint64_t sent;
};

/*
 * pps: this queue's share (0: no schedule). burst: frames per burst. limit: exact number of frames
 * or UINT64_MAX. The cap is 10 ms worth of frames, at least two bursts.
 */
void pacer_init(struct pacer *p, double pps, uint32_t burst, uint64_t limit, uint64_t start_ns);

/* Frames due and not settled at now; 0 before start. With no schedule: what the limit leaves. */
uint64_t pacer_due(struct pacer *p, uint64_t now);

/* n frames were put on the ring. */
static inline void pacer_sent(struct pacer *p, uint64_t n)
{
	p->sent += n;
	p->settled += n;
}

/* Frames beyond the cap: gives them up and returns their number (0 almost always). */
uint64_t pacer_give_up(struct pacer *p);

/* When the next frame is due; UINT64_MAX when nothing more will be. */
uint64_t pacer_next_ns(const struct pacer *p);

/* Has the limit been reached? */
static inline bool pacer_done(const struct pacer *p)
{
	return p->sent >= p->limit;
}

#endif
