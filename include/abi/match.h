/* SPDX-License-Identifier: MIT */
/*
 * Ours or the kernel's? A frame once redirected to a socket can't be given back to the stack, so
 * this is decided here, in the XDP program, before anything is taken.
 */
#ifndef ABI_MATCH_H
#define ABI_MATCH_H

#include "abi/stamp.h"

#define ETH_HDR_LEN	 14
#define ETHERTYPE_IPV4	 0x0800u
#define ETHERTYPE_ARP	 0x0806u
#define ETHERTYPE_VLAN	 0x8100u
#define ETHERTYPE_IPV6	 0x86ddu
#define ETHERTYPE_QINQ	 0x88a8u
#define IPPROTO_NR_UDP	 17
#define IPPROTO_NR_TCP	 6
#define IPPROTO_NR_ICMP6 58

#define FLOW_PORT_BASE	 0xc000u /* ports of our flows: base | flow bits */
#define MATCH_UDP_RANGES 8

enum match_mode {
	MATCH_STAMPED, /* frames with a right stamp */
	MATCH_UDP,     /* and UDP frames to given destination ports */
	MATCH_ALL,     /* and everything else that may be reflected */
};

/* What a port's program does at the moment: thrown between two trials. */
enum steer_phase {
	STEER_CLOSED, /* everything to the kernel, nothing counted */
	STEER_COUNT,
	STEER_REFLECT, /* refuses what must not be sent back */
};

enum match_kind {
	MATCH_NONE,	 /* the kernel's */
	MATCH_STAMP,	 /* stamp with right magic and check */
	MATCH_LOOKALIKE, /* our addresses and ports, but no right stamp: corrupt */
	MATCH_ASKED,	 /* named by the match mode */
	MATCH_PLAIN, /* in metadata, for a reflector: MATCH_STAMP, and all of match_is_plain() */
};

/* In the order of the refused_* rows of PROGRAM_COUNTERS. */
enum refusal {
	REFUSE_SHORT,
	REFUSE_MULTICAST,
	REFUSE_LINK_LOCAL,
	REFUSE_NEIGHBOUR,
	REFUSE_SOURCE,
	REFUSE_REPLY,
	REFUSALS,
	REFUSE_NOT = REFUSALS,
};

struct port_range {
	__u16 low, high; /* inclusive, host order */
};

/* What a port's program has to know; constant while it is loaded. */
struct match_config {
	__u8 mac[6];				 /* the port's own */
	__u16 stamp_offset[STAMP_OFFSETS_MAX];	 /* 0 ends the list */
	__u32 net_a, net_b;			 /* IPv4 addresses of the two ends, host order */
	__u32 mode;				 /* enum match_mode */
	struct port_range udp[MATCH_UDP_RANGES]; /* for MATCH_UDP; high 0 ends the list */
};

/* What the program writes in front of a frame that it hands to a socket. */
struct frame_meta {
	__u64 time_ns;	    /* CLOCK_MONOTONIC */
	__u32 magic;	    /* FRAME_META_MAGIC: a frame without metadata is recognised */
	__u16 stamp_offset; /* 0: none */
	__u16 kind;	    /* enum match_kind */
};

#define FRAME_META_MAGIC 0x78646d31u

/*
 * Without CAP_PERFMON the verifier lets nothing but constants be added to a packet pointer. So the
 * program moves pointers in constant steps (ABI_PIN keeps clang from making one sum of them), loops
 * are unrolled, and the places of a stamp, which are known only when it is loaded, stand in its
 * instructions as the numbers STAMP_PLACE + i, for the loader to put the offsets there.
 */
#define STAMP_PLACE 0x78640000

#ifdef __bpf__
#define ABI_INLINE	    inline __attribute__((always_inline))
#define ABI_UNROLL	    _Pragma("unroll")
#define STAMP_AT(cfg, p, i) asm volatile("%0 += 0x78640000 + " #i : "+r"(p))
#else
#define ABI_INLINE inline
#define ABI_UNROLL
#define STAMP_AT(cfg, p, i) ((p) += (cfg)->stamp_offset[i])
#endif

/* The header behind up to two VLAN tags, and its ethertype. False when the frame is short. */
static inline int match_header(const __u8 *data, const __u8 *end, __u32 *ethertype,
			       const __u8 **header)
{
	const __u8 *at = data + ETH_HDR_LEN;

	if (at > end)
		return 0;
	*ethertype = load_be16(at - 2);
	ABI_UNROLL
	for (int tag = 0; tag < 2; tag++) {
		if (*ethertype != ETHERTYPE_VLAN && *ethertype != ETHERTYPE_QINQ)
			break;
		if (at + 4 > end)
			return 0;
		*ethertype = load_be16(at + 2);
		at += 4;
		ABI_PIN(at);
	}
	*header = at;
	return 1;
}

/* The same as an offset; 0 when the frame is short. */
static inline __u32 match_l3(const __u8 *data, const __u8 *end, __u32 *ethertype)
{
	const __u8 *header;

	return match_header(data, end, ethertype, &header) ? (__u32)(header - data) : 0;
}

/* A right stamp and its offset, or NULL. */
static ABI_INLINE const __u8 *match_stamp_find(const struct match_config *cfg, const __u8 *data,
					       const __u8 *end, __u32 *offset)
{
	const __u8 *at;

#define MATCH_STAMP_AT(i)                                  \
	at = data;                                         \
	STAMP_AT(cfg, at, i);                              \
	if (!cfg->stamp_offset[i] || at + STAMP_LEN > end) \
		return 0;                                  \
	if (stamp_ok(at)) {                                \
		*offset = cfg->stamp_offset[i];            \
		return at;                                 \
	}
	MATCH_STAMP_AT(0)
	MATCH_STAMP_AT(1)
	MATCH_STAMP_AT(2)
	MATCH_STAMP_AT(3)
#undef MATCH_STAMP_AT
	return 0;
}

/* Offset of a right stamp, or 0. */
static ABI_INLINE __u32 match_stamp(const struct match_config *cfg, const __u8 *data,
				    const __u8 *end)
{
	__u32 offset = 0;

	match_stamp_find(cfg, data, end, &offset);
	return offset;
}

/* Is the stamp that match_stamp() found a reply's? */
static ABI_INLINE int match_is_reply(const struct match_config *cfg, const __u8 *data,
				     const __u8 *end, __u32 stamp_offset)
{
	const __u8 *at;

	if (!stamp_offset)
		return 0;
#define MATCH_REPLY_AT(i)                         \
	at = data;                                \
	STAMP_AT(cfg, at, i);                     \
	if (stamp_offset == cfg->stamp_offset[i]) \
		return at + STAMP_LEN <= end && stamp_is_reply(at);
	MATCH_REPLY_AT(0)
	MATCH_REPLY_AT(1)
	MATCH_REPLY_AT(2)
	MATCH_REPLY_AT(3)
#undef MATCH_REPLY_AT
	return 0;
}

/* An unfragmented IPv4 UDP header without options? */
static inline int match_is_udp(const __u8 *ip, const __u8 *end)
{
	return ip + 28 <= end && ip[0] == 0x45 && ip[9] == IPPROTO_NR_UDP &&
	       !(load_be16(ip + 6) & 0x3fff);
}

/* Addresses and ports of one of our flows? Then it is ours even with a damaged stamp. */
static inline int match_lookalike_ip(const struct match_config *cfg, const __u8 *ip,
				     const __u8 *end)
{
	__u32 from, to;

	if (!match_is_udp(ip, end) || ip + 28 + STAMP_LEN > end)
		return 0;
	from = load_be32(ip + 12);
	to = load_be32(ip + 16);
	if ((from != cfg->net_a || to != cfg->net_b) && (from != cfg->net_b || to != cfg->net_a))
		return 0;
	return load_be16(ip + 20) >= FLOW_PORT_BASE && load_be16(ip + 22) >= FLOW_PORT_BASE;
}

static inline int match_lookalike(const struct match_config *cfg, const __u8 *data, const __u8 *end,
				  __u32 off)
{
	return match_lookalike_ip(cfg, data + off, end);
}

/* An unfragmented IPv4 UDP frame with neither tag nor options, as ours are, up to the stamp? */
static inline int match_is_plain(const __u8 *data, const __u8 *end)
{
	return data + STAMP_OFFSET + STAMP_LEN <= end &&
	       (ABI_LOAD(__u32, data + 12) & abi_be32(0xffffff00u)) ==
		       abi_be32(ETHERTYPE_IPV4 << 16 | 0x4500) &&
	       data[23] == IPPROTO_NR_UDP && !(ABI_LOAD(__u16, data + 20) & abi_be16(0x3fff));
}

static inline int match_udp_port(const struct match_config *cfg, __u32 port)
{
	ABI_UNROLL
	for (int i = 0; i < MATCH_UDP_RANGES; i++) {
		if (!cfg->udp[i].high)
			break;
		if (port >= cfg->udp[i].low && port <= cfg->udp[i].high)
			return 1;
	}
	return 0;
}

/* Whose is a frame without a right stamp? */
static inline enum match_kind match_unstamped(const struct match_config *cfg, const __u8 *data,
					      const __u8 *end)
{
	__u32 ethertype = 0;
	const __u8 *ip;

	if (match_header(data, end, &ethertype, &ip) && ethertype == ETHERTYPE_IPV4) {
		if (match_lookalike_ip(cfg, ip, end))
			return MATCH_LOOKALIKE;
		if (cfg->mode == MATCH_UDP && match_is_udp(ip, end) &&
		    match_udp_port(cfg, load_be16(ip + 22)))
			return MATCH_ASKED;
	}
	return cfg->mode == MATCH_ALL ? MATCH_ASKED : MATCH_NONE;
}

/* Whose is the frame? stamp_offset is set for MATCH_STAMP, else 0. */
static inline enum match_kind match_frame(const struct match_config *cfg, const __u8 *data,
					  const __u8 *end, __u32 *stamp_offset)
{
	*stamp_offset = match_stamp(cfg, data, end);
	return *stamp_offset ? MATCH_STAMP : match_unstamped(cfg, data, end);
}

/* ARP, or IPv6 neighbour discovery (RFC 4861: ICMPv6 types 133 to 137)? */
static inline int match_is_neighbour(const __u8 *data, const __u8 *end)
{
	__u32 ethertype = 0;
	const __u8 *ip;

	if (!match_header(data, end, &ethertype, &ip))
		return 0;
	if (ethertype == ETHERTYPE_ARP)
		return 1;
	return ethertype == ETHERTYPE_IPV6 && ip + 41 <= end && ip[6] == IPPROTO_NR_ICMP6 &&
	       ip[40] >= 133 && ip[40] <= 137;
}

static inline int match_same_mac(const __u8 *a, const __u8 *b)
{
	return ABI_LOAD(__u32, a) == ABI_LOAD(__u32, b) &&
	       ABI_LOAD(__u16, a + 4) == ABI_LOAD(__u16, b + 4);
}

static inline int match_link_local(const __u8 *dst)
{
	return load_be32(dst) == 0x0180c200u && dst[4] == 0 && (dst[5] & 0xf0) == 0;
}

/*
 * Why a frame must not be sent back, or REFUSE_NOT. Reflecting these would loop, speak for
 * somebody else, or put a multicast source address on the wire (IEEE 802.3 3.2.3).
 */
static inline enum refusal match_refusal(const struct match_config *cfg, const __u8 *data,
					 const __u8 *end, __u32 stamp_offset)
{
	if (data + ETH_HDR_LEN > end)
		return REFUSE_SHORT;
	if (match_link_local(data))
		return REFUSE_LINK_LOCAL;
	if (match_is_neighbour(data, end))
		return REFUSE_NEIGHBOUR;
	if (data[0] & 1)
		return REFUSE_MULTICAST;
	if ((data[6] & 1) || match_same_mac(data + 6, cfg->mac) || match_same_mac(data, data + 6) ||
	    !(load_be32(data + 6) | load_be16(data + 10)))
		return REFUSE_SOURCE;
	return match_is_reply(cfg, data, end, stamp_offset) ? REFUSE_REPLY : REFUSE_NOT;
}

/* What a reflector is told of a frame that is not refused: most need no second look at headers. */
static inline enum match_kind match_reflect_kind(enum match_kind kind, const __u8 *data,
						 const __u8 *end, __u32 stamp_offset)
{
	return stamp_offset == STAMP_OFFSET && match_is_plain(data, end) ? MATCH_PLAIN : kind;
}

#endif
