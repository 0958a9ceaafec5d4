/* SPDX-License-Identifier: MIT */
/*
 * Turn a frame round: exchange source and destination. A sum does not care about the order of its
 * terms, so no checksum changes (MAC addresses are in none; IP and ports only change places).
 */
#ifndef ABI_SWAP_H
#define ABI_SWAP_H

#include "abi/match.h"

enum swap {
	SWAP_NONE,
	SWAP_L2, /* MAC addresses */
	SWAP_L3, /* and IP addresses */
	SWAP_L4, /* and UDP or TCP ports */
};

static inline void swap_macs(__u8 *data)
{
	__u32 d4 = ABI_LOAD(__u32, data), s4 = ABI_LOAD(__u32, data + 6);
	__u16 d2 = ABI_LOAD(__u16, data + 4), s2 = ABI_LOAD(__u16, data + 10);

	ABI_STORE(__u32, data, s4);
	ABI_STORE(__u16, data + 4, s2);
	ABI_STORE(__u32, data + 6, d4);
	ABI_STORE(__u16, data + 10, d2);
}

/* Exchange the two 32-bit values at p. */
static inline void swap_words(__u8 *p)
{
	__u64 v = ABI_LOAD(__u64, p);

	ABI_STORE(__u64, p, v << 32 | v >> 32);
}

static inline void swap_ports(__u8 *p)
{
	__u32 v = ABI_LOAD(__u32, p);

	ABI_STORE(__u32, p, v << 16 | v >> 16);
}

static inline void swap_ipv4(__u8 *ip, const __u8 *end, enum swap how)
{
	__u32 words = ip[0] & 0xf;
	__u8 *ports = ip + 20;

	swap_words(ip + 12);
	if (how < SWAP_L4 || (load_be16(ip + 6) & 0x1fff)) /* a later fragment has no ports */
		return;
	if ((ip[9] != IPPROTO_NR_UDP && ip[9] != IPPROTO_NR_TCP) || words < 5)
		return;
	ABI_UNROLL
	for (__u32 i = 5; i < 15; i++) { /* behind the options */
		if (i < words) {
			ports += 4;
			ABI_PIN(ports); /* here: 4 or 0 is no constant */
		}
	}
	if (ports + 4 <= end)
		swap_ports(ports);
}

static inline void swap_ipv6(__u8 *ip, const __u8 *end, enum swap how)
{
	__u64 a = ABI_LOAD(__u64, ip + 8), b = ABI_LOAD(__u64, ip + 16);
	__u64 c = ABI_LOAD(__u64, ip + 24), d = ABI_LOAD(__u64, ip + 32);

	ABI_STORE(__u64, ip + 8, c);
	ABI_STORE(__u64, ip + 16, d);
	ABI_STORE(__u64, ip + 24, a);
	ABI_STORE(__u64, ip + 32, b);
	if (how >= SWAP_L4 && (ip[6] == IPPROTO_NR_UDP || ip[6] == IPPROTO_NR_TCP) &&
	    ip + 44 <= end)
		swap_ports(ip + 40);
}

/* --- frames that match_is_plain() ---------------------------------------------------------------
 */

/* The wide stores spoil the ethertype, which is known. */
static inline void swap_plain_macs(__u8 *data)
{
	__u64 to = ABI_LOAD(__u64, data), from = ABI_LOAD(__u64, data + 6);

	ABI_STORE(__u64, data, from);
	ABI_STORE(__u64, data + 6, to);
	store_be16(data + 12, ETHERTYPE_IPV4);
}

static inline void swap_plain(__u8 *data, enum swap how)
{
	if (how == SWAP_NONE)
		return;
	swap_plain_macs(data);
	if (how == SWAP_L2)
		return;
	swap_words(data + 26);
	if (how == SWAP_L4)
		swap_ports(data + 34);
}

/* Swap as far up as asked and as the frame has layers; what is above is left as it is. */
static inline void swap_frame(__u8 *data, const __u8 *end, enum swap how)
{
	__u32 ethertype = 0;
	const __u8 *header;
	__u8 *ip;

	if (how == SWAP_NONE || !match_header(data, end, &ethertype, &header))
		return;
	ip = (__u8 *)header;
	swap_macs(data);
	if (how < SWAP_L3)
		return;
	if (ethertype == ETHERTYPE_IPV4 && ip + 20 <= end)
		swap_ipv4(ip, end, how);
	else if (ethertype == ETHERTYPE_IPV6 && ip + 40 <= end)
		swap_ipv6(ip, end, how);
}

#endif
