/* SPDX-License-Identifier: MIT */
/*
 * A heat: all subjects of one work with the same frame size and number of queues, measured in turn,
 * round after round, so that what else the machine does hits all of them alike.
 */
#ifndef BENCH_HEAT_H
#define BENCH_HEAT_H

#include "bench.h"
#include "subjects.h"

#define HEAT_CELLS  16
#define HEAT_ABSENT (-1)

struct cell {
	const struct subject *subject;
	int rounds;	     /* that were measured: all, or why says why not; or HEAT_ABSENT */
	double ns[ROUNDS];   /* CPU time of all that ran the path, per frame that arrived */
	double mpps[ROUNDS]; /* by the clock */
	double lost[ROUNDS]; /* part of the frames that was lost before the subject */
	double bytes;	     /* of a frame as it arrived, without FCS; 0: not known */
	char command[512];
	char why[160]; /* it was not measured, or what is odd; "": all is well */
};

struct heat {
	enum work work;
	uint32_t queues, size;
	int rounds;
	struct cell cell[HEAT_CELLS];
	int ncells;
};

struct course {
	const char *program; /* xdploop */
	const char *root;    /* of the peers; NULL: none */
	int feeder_cpus[2], worker_cpus[2];
};

/* Which CPUs feed and which work; -EINVAL, said, when there are none. */
int course_cpus(struct course *course, uint32_t queues);

/* Measures every cell, and says in it why it could not. */
void heat_run(struct heat *heat, const struct course *course);

/* The cell of a subject that was measured in all rounds, or NULL. */
const struct cell *heat_cell(const struct heat *heat, const char *name);

#endif
