/* SPDX-License-Identifier: MIT */
/*
 * Pacing: how many frames the clock asks for, in 0.64 fixed point. The only division is made once,
 * when the pacer is set up.
 */
#include "core/rate.h"
#include <math.h>

#define NS_PER_S     1e9
#define TWO_64	     18446744073709551616.0
#define CATCH_UP_SEC 0.01

/*
 * A hair below the true rate (4e-16 of it): the frames of a whole number of periods are then never
 * one too many because of rounding, and an hour at 1e9 frames/s lacks less than 1/500 frame.
 */
static uint64_t rate_from_pps(double pps)
{
	double scaled = pps * (TWO_64 / NS_PER_S);
	uint64_t rate;

	if (!(pps > 0))
		return 0;
	rate = scaled < TWO_64 ? (uint64_t)scaled : UINT64_MAX;
	rate -= rate >> 51;
	return rate > 1 ? rate - 1 : 1;
}

/* Frames after the first that are due when ns have passed. */
static inline uint64_t frames_after(uint64_t rate, uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)rate * ns) >> 64);
}

void pacer_init(struct pacer *p, double pps, uint32_t burst, uint64_t limit, uint64_t start_ns)
{
	uint64_t rate = rate_from_pps(pps);
	uint64_t cap = rate ? (uint64_t)fmin(pps * CATCH_UP_SEC, NS_PER_S) : 0;

	*p = (struct pacer){
		.start_ns = start_ns,
		.stop_ns = UINT64_MAX,
		.rate = rate,
		.gap_ns = rate ? TWO_64 / (double)rate : 0,
		.cap = cap > 2ull * burst ? cap : 2ull * burst,
		.limit = limit,
	};
}

uint64_t pacer_due(struct pacer *p, uint64_t now)
{
	uint64_t left = p->limit - p->sent, slots, due;

	if (now < p->start_ns)
		return 0;
	if (now >= p->stop_ns) {
		if (!p->rate || p->stop_ns <= p->start_ns)
			return 0;
		now = p->stop_ns - 1; /* a run of known time has a known number of frames */
	}
	if (!p->rate)
		return left;
	slots = frames_after(p->rate, now - p->start_ns) + 1;
	if (slots > p->slots) /* a clock that goes back asks for nothing twice */
		p->slots = slots;
	due = p->slots - p->settled;
	if (due > left)
		due = left;
	p->wanted = p->settled + due;
	return due;
}

uint64_t pacer_give_up(struct pacer *p)
{
	uint64_t n;

	if (p->wanted <= p->settled + p->cap)
		return 0;
	/* All slots that are too old, even those beyond the limit: the frames left move up. */
	n = p->slots - p->settled - p->cap;
	p->settled += n;
	p->wanted = p->settled + p->cap;
	return n;
}

uint64_t pacer_next_ns(const struct pacer *p)
{
	uint64_t after;

	if (pacer_done(p))
		return UINT64_MAX;
	if (!p->rate)
		return p->start_ns;
	/* Floating point comes within a nanosecond, below; the fixed-point schedule decides. */
	after = (uint64_t)((double)p->settled * p->gap_ns);
	while (frames_after(p->rate, after) < p->settled)
		after++;
	after += p->start_ns;
	return after < p->stop_ns ? after : UINT64_MAX;
}
