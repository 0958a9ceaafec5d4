/* SPDX-License-Identifier: MIT */
/*
 * The kernel engine's side of a port's program: what it counts is set and read through mapped
 * memory; what it sends are live frames (BPF_PROG_RUN with BPF_F_TEST_XDP_LIVE_FRAMES,
 * net/bpf/test_run.c), made by a thread that stays in that call.
 */
#ifndef IO_INSIDE_H
#define IO_INSIDE_H

#include "abi/receive.h"
#include "abi/stream.h"
#include "abi/swap.h"
#include "core/frame.h"
#include "io/prog.h"

/* Mapped memory of a loaded program. */
struct inside {
	struct stream *stream; /* by CPU */
	uint32_t ncpus;
	struct receive_plan *plan;
	char *windows; /* sets x flows cells; without bits: one cell per flow, for all queues */
	uint32_t window_sets, window_flows, window_stride;
	uint32_t window_mask; /* 0: frames are counted, their order can't be told */
	int out_fd;	      /* devmap */
	size_t stream_bytes, windows_bytes;
	struct frame frame; /* what streams send */
};

struct inside_spec {
	struct prog_spec prog;
	const struct frame *frame; /* template; NULL: nothing is sent */
	enum swap swap;
	bool bridge; /* what is reflected goes out of the other port */
	uint32_t other_first_slot;
	bool then_pass;	      /* what was counted goes on to the kernel */
	uint32_t flows;	      /* that may arrive; 0: nothing is counted */
	uint32_t window_bits; /* wished for; fewer where they would need too much memory */
};

/* Load it. Says what is wrong, but -EOPNOTSUPP: this kernel does not take the program. */
int inside_open(struct prog *prog, const struct inside_spec *spec);

/* Where frames go: the port itself, and the other one of a bridge. -EOPNOTSUPP: not by XDP. */
int inside_set_out(struct prog *prog, enum out_port which, const struct nic *nic);

/* Forget what came: before a trial. */
void inside_clear(struct inside *in);

/* Window of a flow in a set; NULL: none. Sets are queues, or CPUs that share a queue. */
const struct window *inside_window(const struct inside *in, uint32_t set, uint32_t flow);

/*
 * Run the stream of this thread's CPU until it is done, stopped, or so many frames have been
 * looked at: a frame that is not due is looked at, too. 0 or -errno, silent. That it returns 0 does
 * not mean that a frame left.
 */
int inside_run(struct prog *prog, const void *frame, uint32_t len, uint32_t looks, uint32_t batch);

void inside_close(struct prog *prog); /* by prog_close */

#endif
