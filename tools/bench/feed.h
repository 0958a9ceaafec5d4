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

struct feed {
	struct feed_bpf *skel;
	const struct frame *frame;
	int link_fd;
};

/*
 * spare: any port with native XDP that nothing comes in on. The program stays attached to it: else
 * the kernel would put it into its dispatcher and out again for each run, 25 ms each time.
 */
int feed_open(struct feed *feed, const struct frame *frame, uint16_t run, struct nic *out,
	      struct nic *spare);
int feed_send(struct feed *feed, uint32_t frames); /* in this thread; 0 or -errno, silent */
void feed_close(struct feed *feed);

#endif
