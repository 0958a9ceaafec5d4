/* SPDX-License-Identifier: MIT */
/*
 * Test frames: Ethernet / IPv4 / UDP with a stamp (design: RFC 2544 addresses 198.18.0.0/15).
 *
 * One template is built per port; it is copied once into every frame of the UMEM, and a frame is
 * then made by writing 8 bytes (UDP header of its flow) and the stamp.
 */
#ifndef CORE_FRAME_H
#define CORE_FRAME_H

#include "abi/flow.h"
#include "abi/match.h"
#include "core/model.h"
#include <stddef.h>
#include <string.h>

#define FRAME_NET_A	0xc6120001u /* 198.18.0.1 */
#define FRAME_NET_B	0xc6130001u /* 198.19.0.1 */
#define FRAME_FLOWS_MAX 1000000u

struct frame_spec {
	uint8_t src_mac[6], dst_mac[6];
	uint32_t src_ip, dst_ip; /* host order */
	uint32_t frame_bytes;	 /* with FCS */
};

struct frame {
	uint8_t data[FRAME_BYTES_MAX];
	uint32_t len;	   /* without FCS */
	uint32_t udp_sum;  /* ones-complement sum under the UDP checksum, ports left out */
	uint64_t udp_rest; /* UDP length, in place, for frame_set_flow */
};

/* Build the template. -ERANGE: frame_bytes outside FRAME_BYTES_MIN..FRAME_BYTES_MAX. */
int frame_build(const struct frame_spec *spec, struct frame *out);

/* Payload byte at offset at (behind the stamp): its offset, so a shift is seen at once. */
static inline uint8_t frame_pattern(uint32_t at)
{
	return (uint8_t)at;
}

static inline void frame_set_flow(uint8_t *data, uint32_t udp_sum, uint64_t udp_rest, uint32_t flow)
{
	store_be64(data + FRAME_UDP_AT, frame_udp(udp_sum, udp_rest, flow));
}

/*
 * --verify full: are ethertype, IPv4 header sum, UDP checksum and payload pattern right?
 * stamp_offset is where the stamp was found (42, or 46 behind a tag). Frames of ours only.
 */
bool frame_intact(const uint8_t *data, uint32_t len, uint32_t stamp_offset);

/*
 * An intact frame, for the next ones to be compared with: that takes less time than to sum them up,
 * and finds more. Zero: none yet.
 */
struct frame_example {
	uint8_t data[FRAME_BYTES_MAX];
	uint32_t len;	/* without FCS */
	uint32_t ports; /* ones-complement sum of both ports and the UDP checksum */
};

/* Remember a frame that is intact, with its stamp in the usual place and nothing behind it. */
void frame_remember(struct frame_example *e, const uint8_t *data, uint32_t len);

/* Sum of both ports and the checksum of a UDP header, 1 to 0xffff; in the machine's byte order. */
static inline uint32_t frame_ports_sum(const uint8_t *udp)
{
	uint64_t sum = (uint64_t)ABI_LOAD(uint32_t, udp) + ABI_LOAD(uint16_t, udp + 6);
	uint32_t half = (uint32_t)sum + (uint32_t)(sum >> 32);

	return (half + (half << 16 | half >> 16)) >> 16; /* the carry comes round by itself */
}

/*
 * Is a frame intact that has a right stamp in the usual place? All bytes in front of the ports and
 * behind the stamp are those of the example. A right stamp sums up to nothing, so ports and
 * checksum do not add up to what they are there exactly if the UDP checksum is wrong. False for
 * frames of another kind too: they need frame_intact().
 */
static inline bool frame_is_like(const struct frame_example *e, const uint8_t *data, uint32_t len)
{
	const uint32_t tail = STAMP_OFFSET + STAMP_LEN;

	if (len != e->len || memcmp(data, e->data, FRAME_UDP_AT) ||
	    memcmp(data + FRAME_UDP_AT + 4, e->data + FRAME_UDP_AT + 4, 2) ||
	    !ABI_LOAD(uint16_t, data + FRAME_UDP_AT + 6) ||
	    frame_ports_sum(data + FRAME_UDP_AT) != e->ports)
		return false;
	return len == tail || !memcmp(data + tail, e->data + tail, len - tail);
}

#endif
