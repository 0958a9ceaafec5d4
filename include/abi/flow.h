/* SPDX-License-Identifier: MIT */
/*
 * Flows: which flow and number a frame of a TX queue has, and what its UDP header is then.
 *
 * The order of frames on a TX queue is round robin over the flows the queue owns (flow mod n =
 * queue), so frame i of a queue has flow and sequence number by arithmetic, with no state per flow.
 */
#ifndef ABI_FLOW_H
#define ABI_FLOW_H

#include "abi/match.h"

#define FRAME_UDP_AT 34 /* offset of the UDP header */

struct flow_walk {
	__u32 flow;  /* of the next frame */
	__u32 seq;   /* of the next frame */
	__u32 first; /* lowest flow of this queue */
	__u32 step;  /* number of TX queues */
	__u32 flows; /* of the whole port */
};

/* Flows of queue index (of queues); with fewer flows than queues a queue may own none. */
static inline __u32 flow_share(__u32 flows, __u32 index, __u32 queues)
{
	return flows / queues + (index < flows % queues);
}

static inline void flow_walk_init(struct flow_walk *w, __u32 flows, __u32 index, __u32 queues)
{
	*w = (struct flow_walk){.flow = index, .first = index, .step = queues, .flows = flows};
}

static inline void flow_walk_next(struct flow_walk *w)
{
	w->flow += w->step;
	if (w->flow >= w->flows) {
		w->flow = w->first;
		w->seq++;
	}
}

/* The UDP header of a flow: ports, length, checksum. */
static inline __u64 frame_udp(__u32 udp_sum, __u64 udp_rest, __u32 flow)
{
	__u32 from = FLOW_PORT_BASE | (flow & 0x3fff), to = FLOW_PORT_BASE | flow >> 14;
	__u32 sum = udp_sum + from + to, check;

	sum = (sum >> 16) + (sum & 0xffff);
	check = (__u16) ~((sum >> 16) + sum);
	check = check ? check : 0xffff; /* RFC 768: 0 would mean "no checksum" */
	return (__u64)from << 48 | (__u64)to << 32 | udp_rest | check;
}

/* The flows above this one whose headers follow from its own by frame_udp_next(). */
static inline __u32 frame_udp_limit(__u32 flow)
{
	return (flow | 0x3fff) + 1;
}

/* The header of the flow that is step higher: one port goes up, the checksum down (never to 0). */
static inline __u64 frame_udp_next(__u64 udp, __u32 step)
{
	__u32 check = (udp & 0xffff) + 0xffff - step;

	check = (check & 0xffff) + (check >> 16);
	return ((udp & ~0xffffull) + ((__u64)step << 48)) | check;
}

/* Flow of a frame from its UDP ports; may be above STAMP_FLOW_MAX for ports that are not ours. */
static inline __u32 frame_port_flow(const __u8 *udp)
{
	return (load_be16(udp) & 0x3fffu) | (load_be16(udp + 2) & 0x3fffu) << 14;
}

#endif
