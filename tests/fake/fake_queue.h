/* SPDX-License-Identifier: MIT */
/*
 * io/queue.h over memory. The rings are arrays, the kernel's side is played by the functions
 * below, and every hand-over of a frame is checked: a frame has one holder, and its bytes stay as
 * they are while the kernel sends it.
 *
 * All functions may be called from any thread: one lock guards the kernel's side of all queues.
 */
#ifndef FAKE_QUEUE_H
#define FAKE_QUEUE_H

#include "fake_memory.h"
#include "io/queue.h"

struct fake_port;

/* A ring: numbers that only grow; size is a power of two. */
struct fake_ring {
	struct xdp_desc *desc; /* fill and completion ring use addr alone */
	uint32_t size;
	uint32_t producer, consumer;
	uint32_t cached; /* the consumer's: what was peeked and not released */
};

struct queue_io {
	struct fake_memory *memory;
	struct fake_ring rx, tx, fill, completion;
	struct fake_ring sent; /* in the kernel: not yet completed */
	struct fake_port *port;
	uint32_t index; /* on its port */
	struct socket_counters stats;
	int fd; /* readable while the RX ring holds something */

	/* How this kernel behaves; a test may change it at any time. */
	uint32_t tx_budget;    /* frames sent per kick */
	bool driver_polls;     /* fake_wire_pump sends by itself; else only a kick does */
	bool flag_lies;	       /* the wake-up flag is not set though a kick is needed */
	bool hold_completions; /* nothing completes */
	int kick_error;	       /* what the next kick_errors kicks answer, negative */
	uint32_t kick_errors;
	int error; /* what queue_error answers */
	uint64_t kicks;
};

struct fake_queue_spec {
	struct fake_memory *memory;
	struct fake_port *port;
	uint32_t index;
	uint32_t part, parts; /* as in struct queue_spec */
	uint32_t rx_frames, tx_frames;
	uint32_t rx_ring, tx_ring; /* entries, powers of two */
};

int fake_queue_open(struct queue *q, const struct fake_queue_spec *spec);

/* --- for fake_wire.c, with the lock held --- */

/* Take up to max frames from the TX ring and put them on the wire. */
uint32_t fake_queue_send(struct queue *q, uint32_t max);
uint32_t fake_queue_complete(struct queue *q);

struct frame_meta;

/* A frame for the socket; meta NULL: the driver has no room for it. False: dropped, counted. */
bool fake_queue_deliver(struct queue *q, const uint8_t *data, uint32_t len,
			const struct frame_meta *meta);

#endif
