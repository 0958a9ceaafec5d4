/* SPDX-License-Identifier: MIT */
/*
 * One AF_XDP socket on one (port, queue) with its four rings, and the frames that circulate in it.
 * Bursts only; every call returns "less than asked" rather than wait. One thread uses a queue;
 * queue_stats and queue_gauges may be called by another.
 *
 * A UMEM has one part per owner: frames that were received by a queue go back to that queue's fill
 * ring when their transmission completes, wherever they were sent; transmit frames go back to
 * their queue's stack. So a port-to-port reflector moves frames without copying: both sockets
 * register the same memory.
 */
#ifndef IO_QUEUE_H
#define IO_QUEUE_H

#include "core/snapshot.h"
#include "io/nic.h"
#include "io/umem.h"
#include <linux/if_xdp.h>

struct queue_io;

struct queue {
	/* what the worker's loop reads */
	uint8_t *area;
	struct xdp_desc *rx_desc, *tx_desc;
	uint32_t rx_mask, tx_mask;
	uint64_t *free; /* stack of transmit frames */
	uint32_t nfree;
	uint32_t outstanding; /* submitted, not completed */

	uint32_t queue_id;
	uint32_t rx_frames, tx_frames;	       /* this queue owns */
	uint64_t first_rx, first_tx, tx_bytes; /* where its frames lie, in bytes */
	uint64_t part_size;		       /* bytes per owner */
	struct queue *owner[2];		       /* of part 0 and 1 of the memory */
	struct queue_io *io;		       /* libxdp's objects */
	uint8_t apart[64];		       /* the next in an array is another thread's */
};

struct queue_spec {
	struct nic *nic;
	uint32_t queue_id;
	enum mode mode; /* never MODE_AUTO */
	struct umem *umem;
	uint32_t part, parts; /* which part of the UMEM is this queue's own */
	uint32_t rx_frames, tx_frames;
	uint32_t rx_ring, tx_ring; /* entries, powers of two */
};

/*
 * Create, prime the fill ring, bind with exactly one mode flag, read the mode back, test kick.
 * EBUSY is retried for a second. Silent (the ladder decides what is an error): why gets a short
 * reason. -EOPNOTSUPP, -EBUSY, -ENOBUFS, -EPERM, -EINVAL, ...
 */
int queue_open(struct queue *q, const struct queue_spec *spec, char *why, size_t why_size);
void queue_close(struct queue *q); /* unmaps all rings: else the queue would stay busy */
int queue_fd(const struct queue *q);
uint32_t queue_tx_budget(const struct queue *q); /* obtained; 0: kernel's default */

/* Frames received: number (up to max) and ring index of the first. */
uint32_t queue_rx_peek(struct queue *q, uint32_t max, uint32_t *index);

static inline const struct xdp_desc *queue_rx_desc(const struct queue *q, uint32_t index)
{
	return &q->rx_desc[index & q->rx_mask];
}

/* Done with n frames from index on: back to the fill ring. */
void queue_rx_recycle(struct queue *q, uint32_t index, uint32_t n);

/* Give up n ring entries whose frames went elsewhere. */
void queue_rx_release(struct queue *q, uint32_t n);

/* One frame straight back to the fill ring (its ring entry is released separately). */
void queue_fill_one(struct queue *q, uint64_t addr);

/* Take completions: frames return to their owners. Returns how many. */
uint32_t queue_reap(struct queue *q);

/* Descriptors that can be written now, at most max, and the ring index of the first. */
uint32_t queue_tx_room(struct queue *q, uint32_t max, uint32_t *index);

static inline struct xdp_desc *queue_tx_desc(const struct queue *q, uint32_t index)
{
	return &q->tx_desc[index & q->tx_mask];
}

/* The first n of them are written: the kernel may send them. */
void queue_tx_submit(struct queue *q, uint32_t n);

/* Does the kernel want a kick? (XDP_USE_NEED_WAKEUP) */
bool queue_wants_kick(const struct queue *q);

/*
 * Kick: 0; -EAGAIN, -EBUSY, -ENOBUFS, -ENETDOWN: call again; -ENXIO, -EINVAL: the program is gone
 * or was never native; any other: broken.
 */
int queue_kick(struct queue *q);

/* Wake the driver when the fill ring ran dry. */
void queue_rx_wake(struct queue *q);

/*
 * -ENETDOWN, once, when the device was taken away under the socket (unplugged, driver unbound): who
 * only receives is told by nothing else. A link that is down is no error.
 */
int queue_error(const struct queue *q);

int queue_stats(const struct queue *q, struct socket_counters *out); /* what is wrong: -errno */
void queue_gauges(const struct queue *q, struct queue_gauges *out);  /* ring fields only */

/*
 * Frame conservation: frames that can be named (fill, RX, TX and completion ring, stack). Called
 * when the worker has stopped. What is missing is inside the kernel or lost.
 */
uint32_t queue_frames_accounted(struct queue *q);

#endif
