/* SPDX-License-Identifier: MIT */
/* What the programs of both engines share: their place in the counters, and what is refused. */
#ifndef BPF_PROGRAM_H
#define BPF_PROGRAM_H

#include "abi/counters.h"
#include "abi/match.h"
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define PROGRAM_QUEUES 64 /* queue ids that can be driven */

/* Set between open and load: the verifier drops the branches that are not taken. */
const volatile struct match_config match = {};
const volatile __u32 nslots = 1;
const volatile __u32 first_slot = 0;
const volatile __u8 slot_of[PROGRAM_QUEUES] =
	{};			/* slot - first_slot; rest_slot's for the others */
const volatile __u8 atomic = 0; /* more than one CPU may run us for one queue */

const volatile __u8 may_subtract = 0; /* pointers from each other: the loader has CAP_PERFMON */

/* What we do at the moment: enum steer_phase. */
__u32 phase = STEER_CLOSED;

/*
 * For the queues that are not driven, where CPUs may meet. Not constant, though it could be:
 * without CAP_PERFMON an index must not be known to the verifier on one way and unknown on another.
 */
__u32 rest_slot;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value,
	       struct counter_slot); /* nslots of them: the run's own map is put in its place */
} counters SEC(".maps");

/* No program of ours takes frames of several buffers, so the subtraction tells as much. */
static __always_inline __u64 frame_len(struct xdp_md *ctx)
{
	if (may_subtract)
		return (__u64)((void *)(long)ctx->data_end - (void *)(long)ctx->data);
	return bpf_xdp_get_buff_len(ctx);
}

struct counts {
	struct counter_slot *slot;
	__u32 driven; /* the queue is one of ours */
	__u32 shared; /* other CPUs may write here too */
};

static __always_inline void add(const struct counts *c, __u64 *counter, __u64 n)
{
	if (c->shared)
		__sync_fetch_and_add(counter, n);
	else
		*counter += n;
}

#define COUNT(c, name, n) add(c, &(c)->slot->program.name, n)

static __always_inline struct counter_slot *slot_at(__u64 slot)
{
	struct counter_slot *slots;
	__u32 zero = 0;

	slots = bpf_map_lookup_elem(&counters, &zero);
	if (!slots || slot >= nslots)
		return 0;
	/* Without CAP_PERFMON nothing may be added before it is known to be in range. */
	ABI_PIN(slot);
	return &slots[slot];
}

static __always_inline int counts_of(struct counts *c, __u32 queue)
{
	__u32 slot = rest_slot;

	if (queue < PROGRAM_QUEUES)
		slot = first_slot + slot_of[queue];
	c->slot = slot_at(slot);
	c->driven = slot != rest_slot;
	c->shared = atomic || !c->driven;
	return c->slot ? 0 : -1;
}

/* Left to the kernel because it must not be sent back? Then it is counted. */
static __always_inline int refuse(const struct counts *c, enum refusal why)
{
	switch (why) {
	case REFUSE_SHORT:
		COUNT(c, refused_short, 1);
		break;
	case REFUSE_MULTICAST:
		COUNT(c, refused_multicast, 1);
		break;
	case REFUSE_LINK_LOCAL:
		COUNT(c, refused_link_local, 1);
		break;
	case REFUSE_NEIGHBOUR:
		COUNT(c, refused_neighbour, 1);
		break;
	case REFUSE_SOURCE:
		COUNT(c, refused_source, 1);
		break;
	case REFUSE_REPLY:
		COUNT(c, refused_reply, 1);
		break;
	default:
		return 0;
	}
	COUNT(c, passed, 1);
	return 1;
}

#endif
