/* SPDX-License-Identifier: MIT */
/*
 * The test stand: a cable of the lab with the product's program at both ends and its socket and
 * worker on queue 0 of each. Frames go from near to far; spare is a port of another cable.
 */
#ifndef BENCH_STAND_H
#define BENCH_STAND_H

#include "io/lab.h"
#include "io/prog.h"
#include "run/worker.h"

#define STAND_RUN   0x5eed
#define STAND_BURST 64 /* the product's default */

enum { NEAR, FAR, ENDS };

struct stand {
	struct lab lab;
	struct nic nic[ENDS], spare;
	struct prog_maps maps;
	struct match_config match[ENDS];
	struct prog prog[ENDS];
	struct umem umem[ENDS];
	struct queue queue[ENDS];
	struct worker worker[ENDS];
	struct frame frame; /* 64 bytes */
	uint32_t queues;
};

/* Says what is wrong. */
int stand_open(struct stand *stand, uint32_t queues);
void stand_close(struct stand *stand);

struct program_counters *stand_program(struct stand *stand, int end); /* of queue 0 */

#endif
