/* SPDX-License-Identifier: MIT */
/*
 * The order of frames on a TX queue: round robin over the flows the queue owns (flow mod n =
 * queue), so frame i of a queue has flow and sequence number by arithmetic, with no state per flow.
 */
#ifndef CORE_FLOW_H
#define CORE_FLOW_H

#include <stdint.h>

struct flow_walk {
	uint32_t flow;	/* of the next frame */
	uint32_t seq;	/* of the next frame */
	uint32_t first; /* lowest flow of this queue */
	uint32_t step;	/* number of TX queues */
	uint32_t flows; /* of the whole port */
};

/* Flows of queue index (of queues); with fewer flows than queues a queue may own none. */
static inline uint32_t flow_share(uint32_t flows, uint32_t index, uint32_t queues)
{
	return flows / queues + (index < flows % queues);
}

static inline void flow_walk_init(struct flow_walk *w, uint32_t flows, uint32_t index,
				  uint32_t queues)
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

#endif
