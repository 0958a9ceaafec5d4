/* SPDX-License-Identifier: MIT */
/*
 * Test frames: Ethernet / IPv4 / UDP with a stamp (design: RFC 2544 addresses 198.18.0.0/15).
 *
 * One template is built per port; it is copied once into every frame of the UMEM, and a frame is
 * then made by writing 8 bytes (UDP header of its flow) and the stamp.
 */
#ifndef CORE_FRAME_H
#define CORE_FRAME_H

#include "abi/match.h"
#include "core/model.h"
#include <stddef.h>

#define FRAME_NET_A	0xc6120001u /* 198.18.0.1 */
#define FRAME_NET_B	0xc6130001u /* 198.19.0.1 */
#define FRAME_UDP_AT	34	    /* offset of the UDP header */
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

/* The UDP header of a flow: ports, length, checksum. */
static inline uint64_t frame_udp(uint32_t udp_sum, uint64_t udp_rest, uint32_t flow)
{
	uint32_t from = FLOW_PORT_BASE | (flow & 0x3fff), to = FLOW_PORT_BASE | flow >> 14;
	uint32_t sum = udp_sum + from + to, check;

	sum = (sum >> 16) + (sum & 0xffff);
	check = (uint16_t) ~((sum >> 16) + sum);
	check = check ? check : 0xffff; /* RFC 768: 0 would mean "no checksum" */
	return (uint64_t)from << 48 | (uint64_t)to << 32 | udp_rest | check;
}

/* The flows above this one whose headers follow from its own by frame_udp_next(). */
static inline uint32_t frame_udp_limit(uint32_t flow)
{
	return (flow | 0x3fff) + 1;
}

/* The header of the flow that is step higher: one port goes up, the checksum down (never to 0). */
static inline uint64_t frame_udp_next(uint64_t udp, uint32_t step)
{
	uint32_t check = (udp & 0xffff) + 0xffff - step;

	check = (check & 0xffff) + (check >> 16);
	return ((udp & ~0xffffull) + ((uint64_t)step << 48)) | check;
}

static inline void frame_set_flow(uint8_t *data, uint32_t udp_sum, uint64_t udp_rest, uint32_t flow)
{
	store_be64(data + FRAME_UDP_AT, frame_udp(udp_sum, udp_rest, flow));
}

/* Flow of a frame from its UDP ports; may be above STAMP_FLOW_MAX for ports that are not ours. */
static inline uint32_t frame_port_flow(const uint8_t *udp)
{
	return (load_be16(udp) & 0x3fffu) | (load_be16(udp + 2) & 0x3fffu) << 14;
}

/*
 * --verify full: are IPv4 header sum, UDP checksum and payload pattern right? stamp_offset is
 * where the stamp was found (42, or 46 behind a tag). Frames of ours only.
 */
bool frame_intact(const uint8_t *data, uint32_t len, uint32_t stamp_offset);

#endif
