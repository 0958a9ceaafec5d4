/* SPDX-License-Identifier: MIT */
/*
 * Is the sender of these frames a run of this host? Then its stamps and our receive times are of
 * one clock and their difference is a latency; else it is not.
 */
#ifndef RUN_KIN_H
#define RUN_KIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct kin {
	pthread_t thread;
	bool started;
	int stop;	    /* atomic */
	int found;	    /* atomic: 1: a run of this host sends with this id */
	uint32_t *run_seen; /* 0, or 1 << 16 | id of the run that is counted */
};

/*
 * Look at the live sockets of this host, in a thread of its own since others may be slow to
 * answer, until one of them owns the run in *run_seen. Silent; without a thread nothing is found.
 */
void kin_start(struct kin *kin, uint32_t *run_seen);
bool kin_found(const struct kin *kin);
void kin_stop(struct kin *kin); /* NULL-safe, idempotent */

#endif
