/* SPDX-License-Identifier: MIT */
/*
 * The product's workers on both ends of the fake wire, run round by round by the test: no thread,
 * no waiting. Port 0 is A, port 1 is B.
 */
#ifndef FAKE_RIG_H
#define FAKE_RIG_H

#include "../unit/unit.h"
#include "fake_io.h"
#include "fake_queue.h"
#include "fake_wire.h"
#include "run/worker.h"

#define RIG_RUN	  0x4711
#define RIG_START 1000000000ull /* where the clock stands at first */

struct rig_spec {
	uint32_t queues, flows, frame_bytes;
	uint32_t rx_frames, tx_frames, ring; /* per queue; 0: 512 */
	uint32_t burst;			     /* 0: 64 */
	uint32_t window_bits;		     /* 0: 1024 */
};

struct rig {
	struct fake_wire wire;
	struct rig_spec spec;
	struct fake_memory memory[2][FAKE_QUEUES_MAX];
	struct queue queue[2][FAKE_QUEUES_MAX];
	struct counter_slot slot[2][FAKE_QUEUES_MAX];
	struct hist latency[2][FAKE_QUEUES_MAX], lateness[2][FAKE_QUEUES_MAX];
	struct frame frame[2];
	struct worker worker[2][FAKE_QUEUES_MAX];
	uint32_t run_seen[2];
	uint64_t step_ns; /* the clock goes on so much per round */
};

struct rig *rig_open(const struct rig_spec *spec);

/* Every frame is accounted for and nobody complained; frees all. */
void rig_close(struct rig *r);

/* A plan that counts what the other port sends, and sends nothing. */
struct plan rig_plan(const struct rig *r, uint32_t port);

/* The same plan for every queue of a port; tx_index is set here. */
void rig_prepare(struct rig *r, uint32_t port, const struct plan *plan);

/* A sends on all queues, at pps and to a limit per queue, and B counts. */
void rig_a_to_b(struct rig *r, double pps, uint64_t limit);

/* One round of every worker, then the kernel's turn. Returns what moved. */
uint32_t rig_round(struct rig *r, bool generate);

/* Until nobody sends any more (or max rounds), then until nothing moves. */
void rig_run(struct rig *r, uint32_t max_rounds);
void rig_drain(struct rig *r);

/* Counters of a port, all queues. */
struct worker_counters rig_count(const struct rig *r, uint32_t port);
struct program_counters rig_program(const struct rig *r, uint32_t port);

/* What the windows of a port hold for a flow, all queues. */
struct window rig_window(const struct rig *r, uint32_t port, uint32_t flow);

/* The counting port against the cable's own account, in all and per flow. */
void rig_check_truth(struct rig *r, uint32_t port);

#endif
