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
 * --verify full: are IPv4 header sum, UDP checksum and payload pattern right? stamp_offset is
 * where the stamp was found (42, or 46 behind a tag). Frames of ours only.
 */
bool frame_intact(const uint8_t *data, uint32_t len, uint32_t stamp_offset);

#endif
