/* SPDX-License-Identifier: MIT */
/*
 * Two ports with a bad cable between them. The cable loses, repeats, swaps, delays, damages and
 * tags frames, by chance (seeded) or by list, and keeps its own exact account of it: the truth
 * that results are compared with. It reads stamps by itself, byte by byte.
 *
 * A port does what the XDP program does: decides whose a frame is, counts, puts time and stamp
 * offset in front, and hands the frame to the socket of its queue.
 */
#ifndef FAKE_WIRE_H
#define FAKE_WIRE_H

#include "abi/counters.h"
#include "abi/match.h"
#include "core/snapshot.h"

#define FAKE_RULES_MAX	8
#define FAKE_QUEUES_MAX 8

enum fake_fault {
	FAULT_NONE,
	FAULT_DEV_DROP,	 /* the sending device drops it */
	FAULT_LOSE,	 /* the cable loses it */
	FAULT_MISS,	 /* the receiving card has no descriptor for it */
	FAULT_DUPLICATE, /* arrives twice, one behind the other */
	FAULT_DELAY,	 /* arrives behind the next `arg` frames; 1: swapped with the next */
	FAULT_CORRUPT,	 /* the byte at `arg` is changed by `mask` */
	FAULT_RETAG,	 /* a VLAN tag is put in */
	FAULTS,
};

/* Which frames of a direction, counted from 0, and what happens to them. First rule wins. */
struct fake_rule {
	enum fake_fault fault;
	uint32_t one_in;      /* by chance; 0: by list */
	const uint64_t *list; /* ascending */
	uint32_t nlist;
	uint32_t arg;
	uint8_t mask;
};

/* The truth about one flow of a direction. */
struct fake_flow {
	uint64_t sent;				     /* put on the wire by the sending socket */
	uint64_t lost;				     /* by device, cable or card */
	uint64_t unique, duplicate, reordered, late; /* as they reached the socket, undamaged */
	uint64_t corrupt;			     /* reached the socket damaged */
	uint32_t next;
	uint8_t *seen; /* per sequence number */
	uint32_t nseen;
};

struct held;

/* One direction of the cable. */
struct fake_link {
	struct fake_rule rule[FAKE_RULES_MAX];
	uint32_t nrules;
	uint64_t random;      /* state; start it with any seed */
	uint64_t latency_ns;  /* added to the clock for the receive time */
	uint32_t window_bits; /* a frame further back than this counts as late; 0: none does */

	uint64_t frames;	/* put on it */
	uint64_t fault[FAULTS]; /* how many met which */
	uint64_t delivered;	/* reached a socket */
	uint64_t not_delivered; /* arrived, but the socket could not take them */
	struct fake_flow *flow; /* by number; sized as needed */
	uint32_t nflows;
	struct fake_flow sum; /* over the flows; filled by fake_link_sum */
	struct held *held;    /* delayed frames */
	/* Sees every frame that is put on it. */
	void (*tap)(void *ctx, const uint8_t *data, uint32_t len);
	void *tap_ctx;
	uint64_t moved_at; /* frames, when the pump looked last */
};

struct queue;
struct fake_wire;

struct fake_port {
	struct fake_wire *wire;
	uint32_t side; /* 0 or 1 */
	struct match_config match;
	enum steer_phase phase;
	bool no_metadata; /* the driver refuses it */
	bool spread;	  /* RX queue by UDP source port; else that of the sender, as veth does */
	struct queue *queue[FAKE_QUEUES_MAX]; /* NULL: no socket there */
	uint32_t queues;
	struct counter_slot *slot; /* one per queue */
	struct netdev_counters netdev;
};

struct fake_wire {
	struct fake_port port[2];
	struct fake_link link[2]; /* link[0]: from port 0 to port 1 */
};

void fake_wire_init(struct fake_wire *w);
void fake_wire_free(struct fake_wire *w);

void fake_link_rule(struct fake_link *l, const struct fake_rule *rule);

/*
 * The kernel's side moves: drivers that poll send, completions that are not held come back, and
 * delayed frames arrive when nothing else is on the way. Returns how much moved.
 */
uint32_t fake_wire_pump(struct fake_wire *w);

/* A frame of somebody else on link `from`, not in the account of flows. */
void fake_wire_inject(struct fake_wire *w, uint32_t from, uint32_t queue, const uint8_t *data,
		      uint32_t len);

/* Add up the flows. */
const struct fake_flow *fake_link_sum(struct fake_link *l);
const struct fake_flow *fake_link_flow(const struct fake_link *l, uint32_t flow);

/* For fake_queue.c, with the lock held. */
void fake_wire_send(struct fake_port *from, uint32_t queue, const uint8_t *data, uint32_t len);

#endif
