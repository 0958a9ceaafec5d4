/* SPDX-License-Identifier: MIT */
/*
 * The only user of libxdp. It makes the socket and its rings; programs are ours (prog.c).
 * Opening and closing are in queue_open.c: this file is the data path.
 */
#include "io/queue.h"
#include "io/queue_io.h"
#include <errno.h>
#include <sys/socket.h>

uint32_t queue_rx_peek(struct queue *q, uint32_t max, uint32_t *index)
{
	return (uint32_t)xsk_ring_cons__peek(&q->io->rx, max, index);
}

void queue_rx_release(struct queue *q, uint32_t n)
{
	xsk_ring_cons__release(&q->io->rx, n);
}

void queue_fill_one(struct queue *q, uint64_t addr)
{
	struct xsk_ring_prod *fill = &q->io->fill;
	uint32_t index;

	/* It has room for every frame the queue owns, so this always succeeds. */
	if (!xsk_ring_prod__reserve(fill, 1, &index))
		return;
	*xsk_ring_prod__fill_addr(fill, index) = addr;
	xsk_ring_prod__submit(fill, 1);
}

static uint32_t least(uint32_t a, uint32_t b, uint32_t c)
{
	return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

/* The frames of n RX entries, to places of the fill ring; in pieces that wrap in neither. */
static void fill_write(struct queue *q, uint32_t to, uint32_t from, uint32_t n)
{
	const struct xsk_ring_prod *fill = &q->io->fill;

	while (n) {
		uint32_t piece = least(n, fill->size - (to & fill->mask),
				       q->rx_mask + 1 - (from & q->rx_mask));
		uint64_t *addr = (uint64_t *)fill->ring + (to & fill->mask);
		const struct xdp_desc *desc = queue_rx_desc(q, from);

		for (uint32_t i = 0; i < piece; i++)
			addr[i] = desc[i].addr;
		to += piece;
		from += piece;
		n -= piece;
	}
}

void queue_rx_recycle(struct queue *q, uint32_t index, uint32_t n)
{
	struct xsk_ring_prod *fill = &q->io->fill;
	uint32_t at;
	bool room = xsk_ring_prod__reserve(fill, n, &at) == n;

	if (room)
		fill_write(q, at, index, n);
	/* RX entries first: with the buffers back but not the entries, the RX ring could overflow.
	 */
	xsk_ring_cons__release(&q->io->rx, n);
	if (room)
		xsk_ring_prod__submit(fill, n);
}

/* What was put on the fill ring becomes the kernel's. */
static void fill_publish(struct xsk_ring_prod *fill)
{
	uint32_t n = fill->cached_prod - *fill->producer;

	if (n)
		xsk_ring_prod__submit(fill, n);
}

/*
 * Frames of one part of the memory, back to where they belong: their owner's stack of transmit
 * frames, or the fill ring they were received with, which has room for every frame the queue owns.
 * Stops at a frame of the other part; returns how many.
 */
static uint32_t reap_part(struct queue *q, bool part, uint32_t index, uint32_t n)
{
	const struct xsk_ring_cons *done = &q->io->completion;
	const uint64_t part_size = q->part_size;
	struct queue *owner = q->owner[part];
	const uint64_t first_tx = owner->first_tx, tx_bytes = owner->tx_bytes;
	struct xsk_ring_prod *fill = &owner->io->fill;
	uint64_t *free = owner->free + owner->nfree;
	uint32_t at = fill->cached_prod, i;

	for (i = 0; i < n; i++) {
		uint64_t addr = *xsk_ring_cons__comp_addr(done, index + i);

		if (addr - first_tx < tx_bytes)
			*free++ = addr;
		else if ((addr >= part_size) == part)
			*xsk_ring_prod__fill_addr(fill, at++) = addr;
		else
			break;
	}
	owner->nfree = (uint32_t)(free - owner->free);
	fill->cached_prod = at;
	fill_publish(fill);
	return i;
}

uint32_t queue_reap(struct queue *q)
{
	struct xsk_ring_cons *done = &q->io->completion;
	uint32_t index, n;

	if (!q->outstanding)
		return 0;
	n = (uint32_t)xsk_ring_cons__peek(done, q->outstanding, &index);
	for (uint32_t i = 0; i < n;) {
		bool part = *xsk_ring_cons__comp_addr(done, index + i) >= q->part_size;

		i += reap_part(q, part, index + i, n - i);
	}
	if (n)
		xsk_ring_cons__release(done, n);
	q->outstanding -= n;
	return n;
}

uint32_t queue_tx_room(struct queue *q, uint32_t max, uint32_t *index)
{
	uint32_t room = xsk_prod_nb_free(&q->io->tx, max);

	*index = q->io->tx.cached_prod;
	return room < max ? room : max;
}

void queue_tx_submit(struct queue *q, uint32_t n)
{
	uint32_t index;

	if (!n || xsk_ring_prod__reserve(&q->io->tx, n, &index) != n)
		return;
	xsk_ring_prod__submit(&q->io->tx, n);
	q->outstanding += n;
}

bool queue_wants_kick(const struct queue *q)
{
	return __atomic_load_n(q->io->tx.flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP;
}

int queue_kick(struct queue *q)
{
	return sendto(q->io->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 ? -errno : 0;
}

void queue_rx_wake(struct queue *q)
{
	if (__atomic_load_n(q->io->fill.flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP)
		(void)recvfrom(q->io->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

int queue_fd(const struct queue *q)
{
	return q->io->fd;
}

uint32_t queue_tx_budget(const struct queue *q)
{
	return q->io->tx_budget;
}

int queue_error(const struct queue *q)
{
	int err = 0;
	socklen_t len = sizeof(err);

	return getsockopt(q->io->fd, SOL_SOCKET, SO_ERROR, &err, &len) ? -errno : -err;
}

int queue_stats(const struct queue *q, struct socket_counters *out)
{
	struct xdp_statistics s = {};
	socklen_t len = sizeof(s);

	if (getsockopt(q->io->fd, SOL_XDP, XDP_STATISTICS, &s, &len))
		return -errno;
	*out = (struct socket_counters){
		.fill_empty = s.rx_fill_ring_empty_descs,
		.ring_full = s.rx_ring_full,
		.tx_invalid = s.tx_invalid_descs,
		.tx_ring_empty = s.tx_ring_empty_descs,
		.too_long = s.rx_dropped,
	};
	/* In copy mode a frame without a buffer stands in both (net/xdp/xsk.c, __xsk_rcv). */
	if (q->io->mode != MODE_ZERO_COPY)
		out->too_long -= s.rx_fill_ring_empty_descs;
	return 0;
}

static uint32_t ring_entries(const uint32_t *producer, const uint32_t *consumer)
{
	return __atomic_load_n(producer, __ATOMIC_ACQUIRE) -
	       __atomic_load_n(consumer, __ATOMIC_ACQUIRE);
}

void queue_gauges(const struct queue *q, struct queue_gauges *out)
{
	const struct queue_io *io = q->io;

	out->rx_ring = ring_entries(io->rx.producer, io->rx.consumer);
	out->rx_ring_size = io->rx.size;
	out->fill_ring = ring_entries(io->fill.producer, io->fill.consumer);
	out->fill_ring_size = q->rx_frames; /* the ring has room for more than there are */
	out->tx_ring = ring_entries(io->tx.producer, io->tx.consumer);
	out->tx_ring_size = io->tx.size;
}

uint32_t queue_frames_accounted(struct queue *q)
{
	const struct queue_io *io = q->io;

	return q->nfree + ring_entries(io->rx.producer, io->rx.consumer) +
	       ring_entries(io->fill.producer, io->fill.consumer) +
	       ring_entries(io->tx.producer, io->tx.consumer) +
	       ring_entries(io->completion.producer, io->completion.consumer);
}
