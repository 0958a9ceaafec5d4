/* SPDX-License-Identifier: MIT */
/* The program of the xsk engine: frames of ours to the sockets. */
#include "io/log.h"
#include "io/prog_load.h"
#include "steer.skel.h"
#include <errno.h>

static void destroy(void *skel)
{
	steer_bpf__destroy(skel);
}

int prog_open(struct prog *prog, const struct prog_spec *spec)
{
	struct steer_bpf *skel;
	int err;

	memset(prog, 0, sizeof(*prog));
	prog->link_fd = -1;
	skel = steer_bpf__open();
	if (!skel) {
		err = -errno;
		log_error("the XDP program can't be opened: %s", strerror(-err));
		return err;
	}
	PROG_CONFIGURE(skel, spec);
	skel->rodata->metadata = spec->metadata;
	skel->rodata->timed = !spec->untimed;
	err = prog_place_stamps(skel->progs.steer, &spec->match);
	if (!err)
		err = bpf_map__reuse_fd(skel->maps.counters, spec->maps->counters_fd);
	if (!err)
		err = steer_bpf__load(skel);
	if (err) {
		prog_refused(err);
		steer_bpf__destroy(skel);
		return err;
	}
	prog_loaded(prog, ENGINE_XSK, skel, destroy, skel->progs.steer, &skel->bss->phase);
	prog->sockets_fd = bpf_map__fd(skel->maps.sockets);
	return 0;
}
