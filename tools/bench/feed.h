/* SPDX-License-Identifier: MIT */
/*
 * A feeder: frames made in the kernel, fast enough to load a receiver, which AF_XDP in copy mode is
 * not. It sends out of a port; what is at the other end of the cable needs a native XDP program.
 */
#ifndef BENCH_FEED_H
#define BENCH_FEED_H

#include "core/frame.h"
#include "io/nic.h"

struct feed_bpf;

enum feed_kind {
	FEED_STAMPED, /* the frames of one flow, each with the next number */
	FEED_BARE,    /* the frame as it is, over and over */
};

struct feed_spec {
	enum feed_kind kind;
	const struct frame *frame; /* of the flow; stays the caller's */
	uint32_t flow;
	uint16_t run;
};

struct feed {
	struct feed_bpf *skel;
	const struct frame *frame;
	int prog_fd, link_fd;
};

/*
 * spare: any port with native XDP that nothing comes in on. The program stays attached to it: else
 * the kernel would put it into its dispatcher and out again for each run, 25 ms each time.
 */
int feed_open(struct feed *feed, const struct feed_spec *spec, const struct nic *out,
	      const struct nic *spare);
int feed_send(struct feed *feed, uint32_t frames); /* in this thread; 0 or -errno, silent */
void feed_close(struct feed *feed);
const char *feed_compiler(void); /* that made the BPF programs */

/* The other end of a cable: takes and counts what comes in. */
struct sink {
	struct feed_bpf *skel;
	int link_fd;
};

int sink_open(struct sink *sink, const struct nic *nic); /* says what is wrong */
uint64_t sink_frames(const struct sink *sink);
void sink_close(struct sink *sink);

#endif
