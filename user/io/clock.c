/* SPDX-License-Identifier: MIT */
/* The monotonic clock, CPU time of threads, and a sleep that signals don't shorten. */
#include "io/clock.h"
#include <errno.h>
#include <time.h>

#define NS_PER_SECOND 1000000000ull

static uint64_t to_ns(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * NS_PER_SECOND + (uint64_t)ts->tv_nsec;
}

uint64_t clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return to_ns(&ts);
}

uint64_t clock_thread_cpu(pthread_t thread)
{
	struct timespec ts;
	clockid_t id;

	if (pthread_getcpuclockid(thread, &id) || clock_gettime(id, &ts))
		return 0;
	return to_ns(&ts);
}

void clock_sleep(uint64_t ns)
{
	uint64_t end = clock_now() + ns;
	struct timespec ts = {
		.tv_sec = (time_t)(end / NS_PER_SECOND),
		.tv_nsec = (long)(end % NS_PER_SECOND),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}
