// SPDX-License-Identifier: MIT
/*
 * steer: our frames to the AF_XDP socket of the queue they came in on, all others to the kernel.
 *
 * It counts what it does, takes the receive time and puts it in front of the frame. The same
 * program serves a counter and a reflector: for a reflector it also refuses what must not be sent
 * back.
 */
#include "abi/counters.h"
#include "abi/match.h"
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define STEER_QUEUES 64 /* queue ids that can have a socket */

/* Set between open and load: the verifier drops the branches that are not taken. */
const volatile struct match_config match = {};
const volatile __u32 nslots = 1;
const volatile __u32 first_slot = 0;
const volatile __u8 slot_of[STEER_QUEUES] = {}; /* slot - first_slot; rest_slot's for the others */
const volatile __u8 atomic = 0;			/* more than one CPU may run us for one queue */
const volatile __u8 metadata = 0;		/* receive time in front of the frame */

/* The only thing that changes while we are loaded. */
__u32 phase = STEER_CLOSED;

/*
 * For the queues without a socket, where CPUs may meet. Not constant, though it could be: without
 * CAP_PERFMON an index must not be known to the verifier on one way and unknown on another.
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

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, STEER_QUEUES);
	__type(key, __u32);
	__type(value, __u32);
} sockets SEC(".maps");

struct counts {
	struct program_counters *slot;
	__u32 shared; /* other CPUs may write here too */
};

static __always_inline void add(const struct counts *c, __u64 *counter, __u64 n)
{
	if (c->shared)
		__sync_fetch_and_add(counter, n);
	else
		*counter += n;
}

#define COUNT(c, name, n) add(c, &(c)->slot->name, n)

static __always_inline int counts_of(struct counts *c, __u32 queue)
{
	struct counter_slot *slots;
	__u32 zero = 0, slot = rest_slot;

	if (queue < STEER_QUEUES)
		slot = first_slot + slot_of[queue];
	slots = bpf_map_lookup_elem(&counters, &zero);
	if (!slots || slot >= nslots)
		return -1;
	c->slot = &slots[slot].program;
	c->shared = atomic || slot == rest_slot;
	return 0;
}

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

/* Where a driver can't (bpf_xdp_adjust_meta fails), user space finds no magic and takes its own. */
static __always_inline void put_metadata(struct xdp_md *ctx, __u32 stamp_offset, __u32 kind)
{
	struct frame_meta *meta;

	if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*meta)))
		return;
	meta = (void *)(long)ctx->data_meta;
	if ((void *)(meta + 1) > (void *)(long)ctx->data)
		return;
	meta->time_ns = bpf_ktime_get_ns();
	meta->magic = FRAME_META_MAGIC;
	meta->stamp_offset = (__u16)stamp_offset;
	meta->kind = (__u16)kind;
}

SEC("xdp")
int steer(struct xdp_md *ctx)
{
	const __u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	const struct match_config *cfg = (const struct match_config *)&match;
	__u32 queue = ctx->rx_queue_index, stamp_offset, otherwise;
	enum match_kind kind;
	struct counts c;

	/* match is constant for clang, but not yet what it will be: hide where cfg points. */
	asm volatile("" : "+r"(cfg));
	if (phase == STEER_CLOSED || counts_of(&c, queue))
		return XDP_PASS;
	COUNT(&c, seen, 1);
	COUNT(&c, seen_bytes, bpf_xdp_get_buff_len(ctx));
	kind = match_frame(cfg, data, end, &stamp_offset);
	if (kind == MATCH_NONE) {
		COUNT(&c, passed, 1);
		return XDP_PASS;
	}
	if (phase == STEER_REFLECT && kind != MATCH_LOOKALIKE &&
	    refuse(&c, match_refusal(cfg, data, end, stamp_offset)))
		return XDP_PASS;
	if (metadata)
		put_metadata(ctx, stamp_offset, kind);
	/* Without a socket a test frame ends here; what only a match mode named is the kernel's. */
	otherwise = kind == MATCH_ASKED ? XDP_PASS : XDP_DROP;
	if (bpf_redirect_map(&sockets, queue, otherwise) == XDP_REDIRECT) {
		COUNT(&c, redirected, 1);
		return XDP_REDIRECT;
	}
	COUNT(&c, no_socket, 1);
	return otherwise;
}
