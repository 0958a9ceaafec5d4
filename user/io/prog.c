/* SPDX-License-Identifier: MIT */
/* The maps of a run, and what the programs of both engines have in common. */
#include "io/inside.h"
#include "io/log.h"
#include "io/netns.h"
#include "io/prog_load.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int map_array(const char *name, uint32_t value_size, uint32_t entries, void **out_mem)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	size_t bytes = (size_t)value_size * entries;
	void *mem;
	int fd;

	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(uint32_t), value_size, entries, &opts);
	if (fd < 0) {
		fd = -errno;
		log_error("no BPF map of %zu KiB: %s%s", bytes / 1024, strerror(-fd),
			  fd == -EPERM ? " (needs CAP_BPF)" : "");
		return fd;
	}
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED) {
		int err = -errno;

		log_error("BPF map %s can't be mapped: %s", name, strerror(errno));
		close(fd);
		return err;
	}
	*out_mem = mem;
	return fd;
}

int prog_maps_open(struct prog_maps *maps, uint32_t nslots)
{
	struct prog_maps m = {.counters_fd = -1, .hist_fd = -1, .nslots = nslots};
	void *mem = NULL;

	m.slot_bytes = nslots * sizeof(struct counter_slot);
	m.counters_fd = map_array("counters", (uint32_t)m.slot_bytes, 1, &mem);
	if (m.counters_fd < 0)
		return m.counters_fd;
	m.slot = mem;
	m.hist_bytes = (size_t)nslots * HIST_KINDS * sizeof(struct hist);
	m.hist_fd = map_array("hist", sizeof(struct hist), nslots * HIST_KINDS, &mem);
	if (m.hist_fd < 0) {
		int err = m.hist_fd;

		prog_maps_close(&m);
		return err;
	}
	m.hist = mem;
	*maps = m;
	return 0;
}

void prog_maps_close(struct prog_maps *maps)
{
	if (!maps || !maps->slot)
		return;
	munmap(maps->slot, maps->slot_bytes);
	close(maps->counters_fd);
	if (maps->hist) {
		munmap(maps->hist, maps->hist_bytes);
		close(maps->hist_fd);
	}
	memset(maps, 0, sizeof(*maps));
}

void prog_place_slots(uint8_t *slot_of, size_t n, const struct prog_spec *spec)
{
	/* What is not driven counts in the rest slot. */
	for (size_t id = 0; id < n; id++)
		slot_of[id] = (uint8_t)(spec->slot_of[id] < spec->queues ? spec->slot_of[id]
									 : spec->queues);
}

int prog_place_stamps(struct bpf_program *program, const struct match_config *match)
{
	size_t n = bpf_program__insn_cnt(program);
	struct bpf_insn *insns = malloc(n * sizeof(*insns));
	int err;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(program), n * sizeof(*insns));
	for (size_t i = 0; i < n; i++) {
		uint32_t place = (uint32_t)insns[i].imm - STAMP_PLACE;

		if (insns[i].code == (BPF_ALU64 | BPF_ADD | BPF_K) && place < STAMP_OFFSETS_MAX)
			insns[i].imm = match->stamp_offset[place];
	}
	err = bpf_program__set_insns(program, insns, n);
	free(insns);
	return err;
}

void prog_refused(int err)
{
	log_error("the kernel does not take the XDP program: %s%s", strerror(-err),
		  err == -EPERM ? " (needs CAP_BPF and CAP_NET_ADMIN)" : "; -v says why");
}

void prog_loaded(struct prog *prog, enum engine engine, void *skel, void (*destroy)(void *),
		 const struct bpf_program *program, uint32_t *phase)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	*prog = (struct prog){
		.engine = engine,
		.skel = skel,
		.destroy = destroy,
		.prog_fd = bpf_program__fd(program),
		.link_fd = -1,
		.phase = phase,
		.sockets_fd = -1,
	};
	if (!bpf_obj_get_info_by_fd(prog->prog_fd, &info, &len))
		prog->id = info.id;
}

struct attach_call {
	int prog_fd, flags;
	unsigned ifindex;
};

static int attach_in_namespace(void *arg)
{
	const struct attach_call *call = arg;
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = (uint32_t)call->flags);
	int fd = bpf_link_create(call->prog_fd, (int)call->ifindex, BPF_XDP, &opts);

	return fd < 0 ? -errno : fd;
}

static const char *attach_reason(int err)
{
	switch (err) {
	case -EOPNOTSUPP:
		return "the driver has no native XDP, or not with these settings";
	case -EBUSY:
	case -EEXIST:
		return "another XDP program is attached";
	case -ERANGE:
	case -EMSGSIZE:
		return "the MTU is too large for XDP on this driver";
	case -ENOSPC:
		return "too few queues for XDP on this port or its peer";
	case -EINVAL:
		return "the driver refuses XDP with its present MTU or offloads (LRO?)";
	default:
		return strerror(-err);
	}
}

int prog_attach(struct prog *prog, struct nic *nic, bool generic, char *why, size_t why_size)
{
	struct attach_call call = {
		.prog_fd = prog->prog_fd,
		.flags = generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE,
		.ifindex = nic->ifindex,
	};
	int fd = netns_call(nic->netns, attach_in_namespace, &call);

	if (fd < 0) {
		snprintf(why, why_size, "%s", attach_reason(fd));
		return fd;
	}
	prog->link_fd = fd;
	return 0;
}

int prog_set_socket(struct prog *prog, uint32_t queue_id, int fd)
{
	int err;

	if (fd < 0)
		err = bpf_map_delete_elem(prog->sockets_fd, &queue_id);
	else
		err = bpf_map_update_elem(prog->sockets_fd, &queue_id, &fd, BPF_ANY);
	return err ? -errno : 0;
}

void prog_set_phase(struct prog *prog, enum steer_phase phase)
{
	__atomic_store_n(prog->phase, phase, __ATOMIC_RELEASE);
}

void prog_close(struct prog *prog)
{
	if (!prog || !prog->skel)
		return;
	if (prog->link_fd >= 0)
		close(prog->link_fd);
	inside_close(prog);
	prog->destroy(prog->skel);
	memset(prog, 0, sizeof(*prog));
	prog->link_fd = -1;
}
