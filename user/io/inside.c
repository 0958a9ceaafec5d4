/* SPDX-License-Identifier: MIT */
/* The program of the kernel engine while it is loaded: its windows, and the runs that send. */
#include "io/inside.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

void inside_clear(struct inside *in)
{
	memset(in->windows, 0, in->windows_bytes);
}

const struct window *inside_window(const struct inside *in, uint32_t set, uint32_t flow)
{
	if (set >= in->window_sets || flow >= in->window_flows)
		return NULL;
	return (const struct window *)(in->windows +
				       ((size_t)set * in->window_flows + flow) * in->window_stride);
}

int inside_run(struct prog *prog, const void *frame, uint32_t len, uint32_t looks, uint32_t batch)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len,
		    .repeat = (int)looks, .batch_size = batch, .flags = BPF_F_TEST_XDP_LIVE_FRAMES);

	return bpf_prog_test_run_opts(prog->prog_fd, &opts) ? -errno : 0;
}
