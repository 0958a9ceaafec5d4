/* SPDX-License-Identifier: MIT */
/* Loading and unloading the program of the kernel engine, and its memory. */
#include "io/inside.h"
#include "io/log.h"
#include "io/netns.h"
#include "io/prog_load.h"

#include "engine.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WINDOW_BYTES_MAX (256ull << 20)

static void destroy(void *skel)
{
	engine_bpf__destroy(skel);
}

/* --- before it is loaded --- */

static uint32_t stride_for(uint32_t bits)
{
	return (uint32_t)sizeof(struct window) + bits / 8;
}

/* Windows of as many bits as wished for, fewer, or none: then flows are only counted. */
static void choose_windows(struct inside *in, const struct inside_spec *spec)
{
	uint32_t bits = spec->window_bits;

	in->window_flows = spec->flows ? spec->flows : 1;
	in->window_sets = spec->prog.atomic ? in->ncpus : spec->prog.queues;
	while (bits > WINDOW_BITS_MIN &&
	       (uint64_t)in->window_sets * in->window_flows * stride_for(bits) > WINDOW_BYTES_MAX)
		bits /= 2;
	if ((uint64_t)in->window_sets * in->window_flows * stride_for(bits) > WINDOW_BYTES_MAX) {
		bits = 0;
		in->window_sets = 1;
	}
	in->window_mask = bits ? bits - 1 : 0;
	in->window_stride = stride_for(bits);
}

static void configure(struct engine_bpf *skel, const struct inside *in,
		      const struct inside_spec *spec)
{
	PROG_CONFIGURE(skel, &spec->prog);
	skel->rodata->swap = (uint8_t)spec->swap;
	skel->rodata->bridge = spec->bridge;
	skel->rodata->then_pass = spec->then_pass;
	skel->rodata->timed = !spec->prog.untimed;
	skel->rodata->other_first_slot = spec->other_first_slot;
	skel->rodata->window_flows = in->window_flows;
	skel->rodata->window_mask = in->window_mask;
	skel->rodata->sets_by_cpu = spec->prog.atomic && in->window_mask;
	if (spec->frame) {
		skel->rodata->udp_sum = spec->frame->udp_sum;
		skel->rodata->udp_rest = spec->frame->udp_rest;
		memcpy((void *)skel->rodata->template, spec->frame->data, STREAM_BYTES);
	}
}

static int size_maps(struct engine_bpf *skel, const struct inside *in,
		     const struct inside_spec *spec)
{
	int err = bpf_map__set_max_entries(skel->maps.streams, in->ncpus);

	if (!err)
		err = bpf_map__set_value_size(skel->maps.windows, in->window_stride);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.windows,
					       in->window_sets * in->window_flows);
	if (!err)
		err = bpf_map__reuse_fd(skel->maps.counters, spec->prog.maps->counters_fd);
	if (!err)
		err = bpf_map__reuse_fd(skel->maps.hist, spec->prog.maps->hist_fd);
	if (!err)
		err = prog_place_stamps(skel->progs.engine, &spec->prog.match);
	return err;
}

/* --- its memory --- */

static void *map_memory(const struct bpf_map *map, size_t *bytes)
{
	void *mem;

	*bytes = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);
	mem = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	return mem == MAP_FAILED ? NULL : mem;
}

static int map_all(struct inside *in, struct engine_bpf *skel)
{
	in->plan = &skel->bss->plan;
	in->out_fd = bpf_map__fd(skel->maps.out);
	in->stream = map_memory(skel->maps.streams, &in->stream_bytes);
	in->windows = map_memory(skel->maps.windows, &in->windows_bytes);
	if (in->stream && in->windows)
		return 0;
	log_error("the XDP program's memory can't be mapped: %s", strerror(errno));
	return -ENOMEM;
}

static void unmap_all(struct inside *in)
{
	if (in->stream)
		munmap(in->stream, in->stream_bytes);
	if (in->windows)
		munmap(in->windows, in->windows_bytes);
}

int inside_open(struct prog *prog, const struct inside_spec *spec)
{
	struct inside *in = calloc(1, sizeof(*in));
	struct engine_bpf *skel = engine_bpf__open();
	int err = in && skel ? 0 : -ENOMEM;

	memset(prog, 0, sizeof(*prog));
	prog->link_fd = -1;
	if (err)
		goto out;
	in->ncpus = (uint32_t)libbpf_num_possible_cpus();
	if (spec->frame)
		in->frame = *spec->frame;
	choose_windows(in, spec);
	configure(skel, in, spec);
	err = size_maps(skel, in, spec);
	if (!err)
		err = engine_bpf__load(skel);
	if (err) {
		/* An older kernel lacks a helper, or finds the program too complex. */
		if (err == -EPERM)
			prog_refused(err);
		else
			err = -EOPNOTSUPP;
		goto out;
	}
	err = map_all(in, skel);
out:
	if (err) {
		if (in)
			unmap_all(in);
		free(in);
		if (skel)
			engine_bpf__destroy(skel);
		return err;
	}
	prog_loaded(prog, ENGINE_KERNEL, skel, destroy, skel->progs.engine, &skel->bss->phase);
	prog->inside = in;
	return 0;
}

void inside_close(struct prog *prog)
{
	if (!prog->inside)
		return;
	unmap_all(prog->inside);
	free(prog->inside);
	prog->inside = NULL;
}

struct out_call {
	int fd;
	uint32_t which, ifindex;
};

/* The kernel looks the interface index up where the caller is. */
static int set_out(void *arg)
{
	const struct out_call *call = arg;

	return bpf_map_update_elem(call->fd, &call->which, &call->ifindex, BPF_ANY) ? -errno : 0;
}

int inside_set_out(struct prog *prog, enum out_port which, const struct nic *nic)
{
	struct out_call call = {prog->inside->out_fd, which, nic->ifindex};

	return netns_call(nic->netns, set_out, &call);
}
