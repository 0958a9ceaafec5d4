// SPDX-License-Identifier: MIT
/*
 * steer: our frames to the AF_XDP socket of the queue they came in on, all others to the kernel.
 *
 * It counts what it does, takes the receive time and puts it in front of the frame. The same
 * program serves a counter and a reflector: for a reflector it also refuses what must not be sent
 * back.
 */
#include "program.h"

const volatile __u8 metadata = 0; /* what is known of a frame stands in front of it, and */
const volatile __u8 timed = 1;	  /* when it came */

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, PROGRAM_QUEUES);
	__type(key, __u32);
	__type(value, __u32);
} sockets SEC(".maps");

/* Where a driver can't (bpf_xdp_adjust_meta fails), user space finds no magic and takes its own. */
static __always_inline void put_metadata(struct xdp_md *ctx, __u32 stamp_offset, __u32 kind)
{
	struct frame_meta *meta;

	if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*meta)))
		return;
	meta = (void *)(long)ctx->data_meta;
	if ((void *)(meta + 1) > (void *)(long)ctx->data)
		return;
	meta->time_ns = timed ? bpf_ktime_get_ns() : 0;
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
	enum match_kind kind, told;
	struct counts c;

	/* match is constant for clang, but not yet what it will be: hide where cfg points. */
	asm volatile("" : "+r"(cfg));
	if (phase == STEER_CLOSED || counts_of(&c, queue))
		return XDP_PASS;
	COUNT(&c, seen, 1);
	COUNT(&c, seen_bytes, frame_len(ctx));
	kind = match_frame(cfg, data, end, &stamp_offset);
	if (kind == MATCH_NONE) {
		COUNT(&c, passed, 1);
		return XDP_PASS;
	}
	told = kind;
	if (phase == STEER_REFLECT && kind != MATCH_LOOKALIKE) {
		if (refuse(&c, match_refusal(cfg, data, end, stamp_offset)))
			return XDP_PASS;
		told = match_reflect_kind(kind, data, end, stamp_offset);
	}
	if (metadata)
		put_metadata(ctx, stamp_offset, told);
	/* Without a socket a test frame ends here; what only a match mode named is the kernel's. */
	otherwise = kind == MATCH_ASKED ? XDP_PASS : XDP_DROP;
	if (bpf_redirect_map(&sockets, queue, otherwise) == XDP_REDIRECT) {
		COUNT(&c, redirected, 1);
		return XDP_REDIRECT;
	}
	COUNT(&c, no_socket, 1);
	return otherwise;
}
