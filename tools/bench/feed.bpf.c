// SPDX-License-Identifier: MIT
/*
 * feed: makes each frame of a live run (BPF_F_TEST_XDP_LIVE_FRAMES) the next one of its flow and
 * sends it out of a port. The header is written anew, for a reflector in the kernel turns it round
 * in the very memory that comes back here.
 * bare: sends the template as it is; nothing that sends can do less.
 * sink: the other end of a cable; counts what comes in by queue, and drops it.
 */
#include "abi/stamp.h"
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define FEED_SINKS 16

char LICENSE[] SEC("license") = "Dual MIT/GPL";

const volatile char compiler[] = __VERSION__;

/* Set by user space before each run. */
__u64 head, now;
__u32 burst_sum;
__u32 flow;
__u32 seq;	   /* of the next frame */
__u64 template[6]; /* the header */

struct {
	__u64 frames;
	__u64 pad[15]; /* no other CPU's line */
} sunk[FEED_SINKS];

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} port SEC(".maps");

SEC("xdp")
int feed(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + STAMP_OFFSET + STAMP_LEN > end)
		return XDP_DROP;
	for (int i = 0; i < 5; i++)
		ABI_STORE(__u64, data + 8 * i, template[i]);
	ABI_STORE(__u16, data + 40, template[5]);
	stamp_put(data + STAMP_OFFSET, head, burst_sum, flow, seq++, now);
	return (int)bpf_redirect_map(&port, 0, XDP_DROP);
}

SEC("xdp")
int bare(struct xdp_md *ctx)
{
	return (int)bpf_redirect_map(&port, 0, XDP_DROP);
}

SEC("xdp")
int sink(struct xdp_md *ctx)
{
	sunk[ctx->rx_queue_index % FEED_SINKS].frames++;
	return XDP_DROP;
}
