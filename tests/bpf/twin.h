/* SPDX-License-Identifier: MIT */
/*
 * The kernel engine's program and the worker of the xsk engine side by side: each frame is put
 * through both, and all that they count must be the same. The worker has rings in memory, in which
 * the test lays the frame as the program steer would.
 */
#ifndef TESTS_BPF_TWIN_H
#define TESTS_BPF_TWIN_H

#include "io/inside.h"
#include "rig.h"
#include "run/worker.h"

#define TWIN_SLOTS  10 /* 0 is nobody's, as in rig.h; 1 and 2 are queues 0 and 1 */
#define TWIN_REST   3
#define TWIN_OTHER  4 /* 4 and 5: the queues of a bridge's other port */
#define TWIN_RING   64
#define TWIN_PLACES 2

struct twin_rings {
	struct queue queue;
	struct queue_io *io;
	uint32_t producer[4], consumer[4], flags[4];
	struct xdp_desc rx[TWIN_RING], tx[TWIN_RING];
	uint64_t fill[TWIN_RING], completion[TWIN_RING], free[1];
};

struct twin_pair {
	struct rig rig;
	struct plan plan; /* of the worker */
	enum steer_phase phase;
	bool then_pass, bridge, by_cpu; /* windows by CPU, or by queue */
	struct worker worker[TWIN_PLACES];
	struct hist latency[TWIN_PLACES], lateness;
	uint32_t run_seen;
	struct twin_rings in, out;
	uint8_t area[4096];
	struct counter_slot want[TWIN_SLOTS]; /* what the program's counters have to be */
};

/* What is not given is as in rig.h: vector_match, two queues, flows 8, windows of 64 bits. */
struct twin_spec {
	enum match_mode mode;
	enum steer_phase phase;
	enum swap swap;
	bool then_pass, bridge, atomic, untimed;
	bool any_run, set_reply;
	uint8_t expect, ignore;
	uint32_t flows, window_bits;
	uint32_t queues; /* driven: 0: two */
};

/* Load the program into a new lab; -errno when this machine can't have one. */
int twin_open(struct twin_pair *t, const struct twin_spec *spec);
void twin_close(struct twin_pair *t);

/* One frame through both. */
void twin_pass(struct twin_pair *t, const uint8_t *data, uint32_t len, uint32_t queue,
	       const char *name);

/* All windows, bit for bit, and how many latencies were noted. */
void twin_check_windows(const struct twin_pair *t);

/* This thread, and the calls it makes, run on that CPU. */
void twin_pin(uint32_t cpu);

#endif
