/* SPDX-License-Identifier: MIT */
/*
 * The stamp: the 18 bytes that make a frame ours. Big-endian, at offset 42 of an Ethernet / IPv4 /
 * UDP frame (the last 18 bytes before the FCS of a 64-byte frame), kept there in longer frames.
 *
 *   off  bits  field
 *    0    16   magic
 *    2    16   check: ones complement of the ones-complement sum of the other eight words, so the
 *              nine words always sum to 0xffff and the UDP checksum does not depend on the stamp
 *    4    16   run: random base, +1 for each trial
 *    6     4   flags: version (2 bits), reply, from_b
 *         20   flow
 *    9    32   sequence number within the flow, from 0 in each trial
 *   13    40   CLOCK_MONOTONIC ns modulo 2^40 (wraps after 18 minutes)
 *
 * Recognised = magic and check right: 2^-32 by chance.
 */
#ifndef ABI_STAMP_H
#define ABI_STAMP_H

#include "abi/bytes.h"

#define STAMP_LEN	  18
#define STAMP_MAGIC	  0x7864u /* "xd" */
#define STAMP_VERSION	  0u
#define STAMP_FROM_B	  0x1u
#define STAMP_REPLY	  0x2u
#define STAMP_FLOW_MAX	  ((1u << 20) - 1)
#define STAMP_TIME_BITS	  40
#define STAMP_TIME_MASK	  ((1ull << STAMP_TIME_BITS) - 1)
#define STAMP_OFFSET	  42 /* Ethernet 14 + IPv4 20 + UDP 8 */
#define STAMP_RUN_AT	  4
#define STAMP_OFFSETS_MAX 4 /* how many places a program looks at */

struct stamp {
	__u16 run;
	__u8 flags; /* version << 2 | STAMP_REPLY | STAMP_FROM_B */
	__u32 flow;
	__u32 seq;
	__u64 time; /* 40 bits */
};

/* The first 8 bytes without check and flow: constant for a sender and a trial. */
static inline __u64 stamp_head(__u16 run, __u8 flags)
{
	return (__u64)STAMP_MAGIC << 48 | (__u64)run << 16 | (__u64)flags << 12;
}

/*
 * The part of the sum that is constant within a burst: head and time. 2^16 = 1 modulo 65535, so
 * any integer is congruent to the sum of its 16-bit words; flow and sequence stand 8 bits off a
 * word and so count 256 each. That turns nine additions per frame into one.
 */
static inline __u32 stamp_burst_sum(__u64 head, __u64 time)
{
	return fold16(head) + fold16(time & STAMP_TIME_MASK);
}

/* The check of a stamp. burst_sum = stamp_burst_sum(head, time). */
static inline __u32 stamp_check(__u32 burst_sum, __u32 flow, __u32 seq)
{
	/* Turned left by 8 bits, seq counts 256 times as well, for 2^32 is 1 too. */
	__u64 sum = (__u64)(seq << 8 | seq >> 24) + (flow << 8) + burst_sum;
	__u32 half = (__u32)sum + (__u32)(sum >> 32);

	return ~(half + (half << 16 | half >> 16)) >> 16; /* the carry comes round by itself */
}

/*
 * The same from the sum of the head alone, in 64-bit steps: BPF has no others that are cheap. Any
 * integer counts as the sum of its words, so time needs no folding of its own.
 */
static inline __u64 stamp_check_of(__u64 head_sum, __u64 flow, __u64 seq, __u64 time)
{
	__u64 sum = head_sum + ((flow + seq) << 8) + time;

	sum = (sum >> 32) + (sum >> 16 & 0xffff) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	return sum ^ 0xffff;
}

/* A stamp's first 8 bytes and its second; the last two are the lowest of time. */
static inline __u64 stamp_high(__u64 head, __u32 check, __u32 flow)
{
	return head | (__u64)check << 32 | flow >> 8;
}

static inline __u64 stamp_low(__u32 flow, __u32 seq, __u64 time)
{
	return (__u64)flow << 56 | (__u64)seq << 24 | (time & STAMP_TIME_MASK) >> 16;
}

/* Write a stamp. burst_sum = stamp_burst_sum(head, time). */
static inline void stamp_put(void *at, __u64 head, __u32 burst_sum, __u32 flow, __u32 seq,
			     __u64 time)
{
	store_be64(at, stamp_high(head, stamp_check(burst_sum, flow, seq), flow));
	store_be64((char *)at + 8, stamp_low(flow, seq, time));
	store_be16((char *)at + 16, time);
}

/* Is a stamp with right magic and check here? The sum needs no byte swap (RFC 1071 section 2 B). */
static inline int stamp_ok(const void *at)
{
	__u64 a = ABI_LOAD(__u64, at);
	__u64 b = ABI_LOAD(__u64, (const char *)at + 8);
	__u64 sum;

	if (ABI_LOAD(__u16, at) != abi_be16(STAMP_MAGIC))
		return 0;
	sum = (a >> 32) + (a & 0xffffffff) + (b >> 32) + (b & 0xffffffff);
	sum += ABI_LOAD(__u16, (const char *)at + 16);
	return fold16(sum) == 0xffff;
}

/* Single fields. */
static inline __u32 stamp_flow(const void *at)
{
	return load_be32((const char *)at + 6) >> 8 & STAMP_FLOW_MAX;
}

static inline __u32 stamp_seq(const void *at)
{
	return load_be32((const char *)at + 9);
}

/* The last byte of seq and more stand in front of it: for stamp_age(), which does not mind. */
static inline __u64 stamp_time_unmasked(const void *at)
{
	return load_be64((const char *)at + 10);
}

static inline void stamp_get(const void *at, struct stamp *s)
{
	s->run = load_be16((const char *)at + 4);
	s->flags = ((const __u8 *)at)[6] >> 4;
	s->flow = stamp_flow(at);
	s->seq = stamp_seq(at);
	s->time = stamp_time_unmasked(at) & STAMP_TIME_MASK;
}

/*
 * Are run and flags those of a head? mask: stamp_head() with all bits set that count, in the same
 * byte order as head: abi_be64(stamp_head(...)).
 */
static inline int stamp_has_head(const void *at, __u64 head, __u64 mask)
{
	return !((ABI_LOAD(__u64, at) ^ head) & mask);
}

static inline int stamp_is_reply(const void *at)
{
	return ((const __u8 *)at)[6] & (STAMP_REPLY << 4);
}

/*
 * Mark the frame as reflected. The flag adds 0x2000 to one word, so the check gives up as much,
 * with end-around borrow; the stamp's sum and with it the UDP checksum stay as they were.
 * The sum needs no byte swap here either.
 */
static inline void stamp_set_reply(void *at)
{
	__u16 check = ABI_LOAD(__u16, (char *)at + 2);
	int borrow = __builtin_sub_overflow(check, (__u16)abi_be16(STAMP_REPLY << 12), &check);

	((__u8 *)at)[6] |= STAMP_REPLY << 4;
	ABI_STORE(__u16, (char *)at + 2, (__u16)(check - borrow));
}

/* now - sent on the 40-bit clock, signed: right for spans below 9 minutes either way. */
static inline __s64 stamp_age(__u64 now, __u64 sent)
{
	__u64 d = (now - sent) << (64 - STAMP_TIME_BITS);

	return (__s64)d >> (64 - STAMP_TIME_BITS);
}

#endif
