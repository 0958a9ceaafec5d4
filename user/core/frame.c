/* SPDX-License-Identifier: MIT */
/* Build the template of a port's test frames, and check frames that came back in full. */
#include "core/frame.h"
#include <errno.h>
#include <string.h>

#define IP_HDR_LEN  20
#define UDP_HDR_LEN 8
#define IP_DF	    0x4000u /* never fragmented, so that the ID may be 0 (RFC 6864) */
#define IP_TTL	    64

/*
 * Sum of n bytes as 16-bit words, odd last byte first in its word, in the machine's byte order: the
 * result is swapped, not each word (RFC 1071 section 2 B).
 */
static uint64_t sum_native(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;

	for (; n >= 8; n -= 8, p += 8) {
		uint64_t v = ABI_LOAD(uint64_t, p);

		sum += (v >> 32) + (v & 0xffffffff);
	}
	if (n & 4) {
		sum += ABI_LOAD(uint32_t, p);
		p += 4;
	}
	if (n & 2) {
		sum += ABI_LOAD(uint16_t, p);
		p += 2;
	}
	return n & 1 ? sum + abi_be16((uint16_t)(*p << 8)) : sum;
}

static uint32_t sum_words(const uint8_t *p, uint32_t n)
{
	return abi_be16((uint16_t)fold16(sum_native(p, n)));
}

/* Pseudo header of RFC 768: addresses, protocol, UDP length. */
static uint64_t sum_pseudo(const uint8_t *ip, uint32_t udp_len)
{
	return sum_native(ip + 12, 8) + abi_be16((uint16_t)IPPROTO_NR_UDP) +
	       abi_be16((uint16_t)udp_len);
}

static void put_ipv4(uint8_t *ip, const struct frame_spec *spec, uint32_t total_len)
{
	ip[0] = 0x45;
	ip[1] = 0;
	store_be16(ip + 2, total_len);
	store_be16(ip + 4, 0);
	store_be16(ip + 6, IP_DF);
	ip[8] = IP_TTL;
	ip[9] = IPPROTO_NR_UDP;
	store_be16(ip + 10, 0);
	store_be32(ip + 12, spec->src_ip);
	store_be32(ip + 16, spec->dst_ip);
	store_be16(ip + 10, ~sum_words(ip, IP_HDR_LEN));
}

int frame_build(const struct frame_spec *spec, struct frame *out)
{
	uint32_t len = spec->frame_bytes - FCS_LEN;
	uint32_t udp_len = len - FRAME_UDP_AT;
	uint8_t *data = out->data;
	uint64_t head = stamp_head(0, 0);

	if (spec->frame_bytes < FRAME_BYTES_MIN || spec->frame_bytes > FRAME_BYTES_MAX)
		return -ERANGE;
	memcpy(data, spec->dst_mac, 6);
	memcpy(data + 6, spec->src_mac, 6);
	store_be16(data + 12, ETHERTYPE_IPV4);
	put_ipv4(data + ETH_HDR_LEN, spec, len - ETH_HDR_LEN);
	stamp_put(data + STAMP_OFFSET, head, stamp_burst_sum(head, 0), 0, 0, 0);
	for (uint32_t at = STAMP_OFFSET + STAMP_LEN; at < len; at++)
		data[at] = frame_pattern(at);

	out->len = len;
	out->udp_rest = (uint64_t)udp_len << 16;
	out->udp_sum = abi_be16((uint16_t)fold16(
		sum_pseudo(data + ETH_HDR_LEN, udp_len) + abi_be16((uint16_t)udp_len) +
		sum_native(data + STAMP_OFFSET, len - STAMP_OFFSET)));
	frame_set_flow(data, out->udp_sum, out->udp_rest, 0);
	return 0;
}

/* Eight bytes of the pattern from value first on, as they lie in memory. */
static uint64_t pattern_word(uint8_t first)
{
	const uint64_t from_0 = abi_be64(0x0001020304050607ull), ones = 0x0101010101010101ull;
	uint64_t add = first * ones;

	/* Each byte by itself: without the top bits none carries into the next. */
	return (from_0 + (add & 0x7f * ones)) ^ (add & 0x80 * ones);
}

/* Pattern behind the stamp, as it is in an untagged frame. */
static bool pattern_intact(const uint8_t *data, uint32_t stamp_offset, uint32_t end)
{
	uint32_t shift = stamp_offset - STAMP_OFFSET, at = stamp_offset + STAMP_LEN;

	for (; at + 8 <= end; at += 8)
		if (ABI_LOAD(uint64_t, data + at) != pattern_word(frame_pattern(at - shift)))
			return false;
	for (; at < end; at++)
		if (data[at] != frame_pattern(at - shift))
			return false;
	return true;
}

/* Ethernet header up to IPv4: what stands in front of it says so. */
static bool ethertype_intact(const uint8_t *data, uint32_t len, uint32_t ip_at)
{
	uint32_t ethertype = 0;

	return match_l3(data, data + len, &ethertype) == ip_at && ethertype == ETHERTYPE_IPV4;
}

bool frame_intact(const uint8_t *data, uint32_t len, uint32_t stamp_offset)
{
	uint32_t ip_at, total_len, udp_len;
	const uint8_t *ip, *udp;

	if (stamp_offset < STAMP_OFFSET || stamp_offset > len || len - stamp_offset < STAMP_LEN)
		return false;
	ip_at = stamp_offset - UDP_HDR_LEN - IP_HDR_LEN;
	ip = data + ip_at;
	udp = ip + IP_HDR_LEN;
	total_len = load_be16(ip + 2);
	udp_len = load_be16(udp + 4);
	if (ip[0] != 0x45 || ip[9] != IPPROTO_NR_UDP || total_len > len - ip_at ||
	    total_len < IP_HDR_LEN + UDP_HDR_LEN + STAMP_LEN || udp_len != total_len - IP_HDR_LEN)
		return false;
	if (!ethertype_intact(data, len, ip_at) || fold16(sum_native(ip, IP_HDR_LEN)) != 0xffff)
		return false;
	if (!load_be16(udp + 6) ||
	    fold16(sum_pseudo(ip, udp_len) + sum_native(udp, udp_len)) != 0xffff)
		return false;
	return pattern_intact(data, stamp_offset, ip_at + total_len);
}

void frame_remember(struct frame_example *e, const uint8_t *data, uint32_t len)
{
	if (len > sizeof(e->data) || load_be16(data + ETH_HDR_LEN + 2) != len - ETH_HDR_LEN)
		return;
	memcpy(e->data, data, len);
	e->ports = frame_ports_sum(data + FRAME_UDP_AT);
	e->len = len;
}
