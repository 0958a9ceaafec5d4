// SPDX-License-Identifier: MIT
/* Somebody else's XDP program: it must survive us. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("xdp")
int foreign(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
