/* SPDX-License-Identifier: MIT */
/* The threads of a trial and who serves which queue. */
#ifndef RUN_CREW_H
#define RUN_CREW_H

#include "run/worker.h"
#include <pthread.h>
#include <sched.h>

enum crew_state { CREW_WAIT, CREW_RUN, CREW_DRAIN, CREW_STOP };

struct crew;

struct crew_thread {
	pthread_t id;
	struct crew *crew;
	uint32_t index;
	int pin;	  /* CPU, or -1 */
	uint64_t busy_at; /* last round that handled frames */
	int ran_on;	  /* CPU seen last */
	uint32_t nworkers;
	struct worker *worker[2 * QUEUES_MAX];
	uint64_t cpu_ns; /* used in all, filled when the thread has ended */
};

struct crew {
	int state; /* enum crew_state, atomic */
	bool spin;
	bool streams; /* threads run streams, not rings */
	uint32_t nthreads, started;
	struct crew_thread thread[PORTS_MAX * QUEUES_MAX];
};

/*
 * Share out workers (grouped by port; with pairs, workers i and i + n/2 must stay together) over
 * threads: min(queues, allowed CPUs - 1), at least one per port. Pinned only where every thread
 * can have a CPU and one is left, or when cpus names them.
 */
void crew_assign(struct crew *crew, struct worker *workers, uint32_t n, uint32_t nports, bool pairs,
		 const cpu_set_t *cpus);

/* The same for the kernel engine: a thread for each worker that sends, on the CPU of its place. */
void crew_assign_streams(struct crew *crew, struct worker *workers, uint32_t n,
			 const cpu_set_t *cpus);

/* Start all threads; they wait until the state is CREW_RUN. Says what is wrong. */
int crew_start(struct crew *crew);
void crew_set(struct crew *crew, enum crew_state state);
void crew_join(struct crew *crew); /* sets CREW_STOP and waits for all; idempotent */

/* CPU time of a thread so far and where it runs. */
uint64_t crew_cpu_ns(const struct crew *crew, uint32_t thread);

#endif
