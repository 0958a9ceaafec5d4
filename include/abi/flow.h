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

/* Does the queue own no other flow? */
static inline int flow_walk_is_one(const struct flow_walk *w)
{
	return w->first + w->step >= w->flows;
}

/* n frames on, which end with the queue's last flow at the latest. */
static inline void flow_walk_skip(struct flow_walk *w, __u32 n)
{
	if (flow_walk_is_one(w)) {
		w->seq += n;
		return;
	}
	w->flow += (n - 1) * w->step;
	flow_walk_next(w);
}

/* The UDP header of a flow: ports, length, checksum. */
static inline __u64 frame_udp(__u32 udp_sum, __u64 udp_rest, __u64 flow)
{
	__u64 from = FLOW_PORT_BASE | (flow & 0x3fff), to = FLOW_PORT_BASE | flow >> 14;
	__u64 sum = udp_sum + from + to, check;

	sum = (sum >> 16) + (sum & 0xffff);
	check = ((sum >> 16) + (sum & 0xffff)) ^ 0xffff;
	check = check ? check : 0xffff; /* RFC 768: 0 would mean "no checksum" */
	return from << 48 | to << 32 | udp_rest | check;
}

/* The flows from this one up to that limit differ in one port alone. */
static inline __u32 frame_udp_limit(__u32 flow)
{
	return (flow | 0x3fff) + 1;
}

/* To be added for the flow that is step higher: to one port, while the checksum stays above 0. */
static inline __u64 frame_udp_step(__u32 step)
{
	return ((__u64)step << 48) - step;
}

/* Flow of a frame from its UDP ports; may be above STAMP_FLOW_MAX for ports that are not ours. */
static inline __u32 frame_port_flow(const __u8 *udp)
{
	return (load_be16(udp) & 0x3fffu) | (load_be16(udp + 2) & 0x3fffu) << 14;
}

#endif
