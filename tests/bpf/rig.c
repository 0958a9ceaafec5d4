/* SPDX-License-Identifier: MIT */
#include "rig.h"
#include "io/log.h"
#include "io/netns.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#define FRAMES 64

const char *rig_reason(void)
{
	struct prog_maps maps;

	if (geteuid())
		return "needs root";
	log_set_level(LOG_ERROR_LEVEL);
	if (prog_maps_open(&maps, 1))
		return "no right to use BPF, or no BPF in this kernel";
	prog_maps_close(&maps);
	log_route_libraries();
	return NULL;
}

void rig_open(struct rig *rig, const struct match_config *match, enum match_mode mode, int flags)
{
	uint8_t slot_of[QUEUES_MAX];
	struct prog_spec spec = {
		.maps = &rig->maps,
		.first_slot = 1,
		.queues = RIG_QUEUES,
		.slot_of = slot_of,
		.match = *match,
		.atomic = flags & RIG_ATOMIC,
		.metadata = flags & RIG_METADATA,
	};

	memset(slot_of, 0xff, sizeof(slot_of));
	slot_of[0] = 0;
	slot_of[1] = 1;
	spec.match.mode = mode;
	rig->match = spec.match;
	rig->metadata = spec.metadata;
	assert_int_equal(prog_maps_open(&rig->maps, RIG_SLOTS), 0);
	assert_int_equal(prog_open(&rig->prog, &spec), 0);
}

int rig_open_lab(struct rig *rig, uint32_t queues)
{
	int err = lab_up(&rig->lab, LAB_PAIR, queues);

	if (!err)
		err = nic_open_at(&rig->nic, rig->lab.netns[1], rig->lab.port[1].name, "lab-b");
	return err;
}

void rig_attach(struct rig *rig)
{
	struct queue_spec spec = {
		.nic = &rig->nic,
		.mode = MODE_COPY,
		.umem = &rig->umem,
		.parts = 1,
		.rx_frames = FRAMES,
		.tx_frames = FRAMES,
		.rx_ring = FRAMES,
		.tx_ring = FRAMES,
	};
	char why[96] = "";

	assert_int_equal(prog_attach(&rig->prog, &rig->nic, false, why, sizeof(why)), 0);
	assert_int_equal(umem_map(&rig->umem, 2 * FRAMES, 2048), 0);
	assert_int_equal(queue_open(&rig->queue, &spec, why, sizeof(why)), 0);
	assert_int_equal(prog_set_socket(&rig->prog, 0, queue_fd(&rig->queue)), 0);
}

void rig_close(struct rig *rig)
{
	prog_close(&rig->prog);
	queue_close(&rig->queue);
	umem_unmap(&rig->umem);
	nic_close(&rig->nic);
	lab_down(&rig->lab);
	prog_maps_close(&rig->maps);
	memset(rig, 0, sizeof(*rig));
}

struct call {
	int fd;
	struct bpf_test_run_opts *opts;
};

static int call_run(void *arg)
{
	struct call *call = arg;

	return bpf_prog_test_run_opts(call->fd, call->opts) ? -errno : 0;
}

int rig_pass(const struct rig *rig, struct pass *pass)
{
	struct xdp_md ctx = {
		.data = pass->in_front,
		.data_end = pass->len,
		.ingress_ifindex = rig->nic.ifindex,
		.rx_queue_index = pass->queue,
	};
	struct bpf_test_run_opts opts = {
		.sz = sizeof(opts),
		.data_in = pass->data,
		.data_size_in = pass->len,
		.data_out = pass->out,
		.data_size_out = sizeof(pass->out),
		.repeat = (int)pass->repeat,
	};
	struct call call = {rig->prog.prog_fd, &opts};
	int err;

	if (pass->in_front || rig->nic.ifindex) {
		opts.ctx_in = &ctx;
		opts.ctx_size_in = sizeof(ctx);
	}
	/* The index of a port is looked up where the caller is. */
	err = netns_call(rig->nic.ifindex ? rig->nic.netns : NETNS_OWN, call_run, &call);
	pass->action = (int)opts.retval;
	pass->out_len = opts.data_size_out;
	return err;
}
