/* SPDX-License-Identifier: MIT */
/* Making and unmaking an AF_XDP socket: exactly the mode that was asked for, or an error. */
#include "io/clock.h"
#include "io/compat.h"
#include "io/log.h"
#include "io/netns.h"
#include "io/queue.h"
#include "io/queue_io.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define BIND_RETRY_NS 1000000000ull /* a queue stays busy for a while after its socket closed */
#define BIND_PAUSE_NS 10000000ull
#define TX_BUDGET     256

static uint32_t ring_size(uint32_t frames)
{
	uint32_t size = 64;

	while (size < frames)
		size *= 2;
	return size;
}

/*
 * The fill ring has room for twice the frames: the kernel shows a received frame (xsk_flush: first
 * the RX ring's producer, then the fill ring's consumer) before the place its buffer came from, so
 * a ring of just as many entries can look full to whoever gives the frame back at once.
 *
 * All frames for receiving go into it before bind: drivers take them there and then.
 */
static void queue_prime(struct queue *q, uint32_t chunk)
{
	uint32_t index;

	if (xsk_ring_prod__reserve(&q->io->fill, q->rx_frames, &index) != q->rx_frames)
		return;
	for (uint32_t i = 0; i < q->rx_frames; i++)
		*xsk_ring_prod__fill_addr(&q->io->fill, index + i) =
			q->first_rx + (uint64_t)i * chunk;
	xsk_ring_prod__submit(&q->io->fill, q->rx_frames);
}

static void queue_drop_socket(struct queue_io *io)
{
	/* libxdp unmaps the rings with the socket; an unmapped ring would keep the queue busy. */
	if (io->socket)
		xsk_socket__delete(io->socket);
	if (io->umem)
		xsk_umem__delete(io->umem);
	io->socket = NULL;
	io->umem = NULL;
}

static int queue_bind(struct queue *q, const struct queue_spec *spec)
{
	struct queue_io *io = q->io;
	struct xsk_umem_config umem_config = {
		.fill_size = 2 * ring_size(spec->rx_frames),
		.comp_size = ring_size(spec->tx_ring),
		.frame_size = spec->umem->chunk,
	};
	struct xsk_socket_config config = {
		.rx_size = spec->rx_ring,
		.tx_size = spec->tx_ring,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = (spec->mode == MODE_ZERO_COPY ? XDP_ZEROCOPY : XDP_COPY) |
			      XDP_USE_NEED_WAKEUP,
	};
	int err;

	err = xsk_umem__create(&io->umem, spec->umem->area, spec->umem->size, &io->fill,
			       &io->completion, &umem_config);
	if (err)
		return err;
	queue_prime(q, spec->umem->chunk);
	err = xsk_socket__create(&io->socket, spec->nic->name, spec->queue_id, io->umem, &io->rx,
				 &io->tx, &config);
	if (err)
		queue_drop_socket(io);
	return err;
}

/* What did we get? The kernel's word, not ours. */
static int queue_check_mode(const struct queue *q, enum mode mode)
{
	struct xdp_options options = {};
	socklen_t len = sizeof(options);

	if (getsockopt(q->io->fd, SOL_XDP, XDP_OPTIONS, &options, &len))
		return mode == MODE_ZERO_COPY ? -errno : 0;
	if (!!(options.flags & XDP_OPTIONS_ZEROCOPY) != (mode == MODE_ZERO_COPY))
		return -EOPNOTSUPP;
	return 0;
}

/* Descriptors per kick in copy mode: more than the kernel's 32, where it can be set. */
static void queue_raise_budget(struct queue *q, uint32_t tx_ring)
{
	uint32_t budget = tx_ring < TX_BUDGET ? tx_ring : TX_BUDGET;
	int sndbuf = 1 << 24;

	if (!setsockopt(q->io->fd, SOL_XDP, XDP_MAX_TX_SKB_BUDGET, &budget, sizeof(budget)))
		q->io->tx_budget = budget;
	if (setsockopt(q->io->fd, SOL_SOCKET, SO_SNDBUFFORCE, &sndbuf, sizeof(sndbuf)))
		(void)setsockopt(q->io->fd, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof(sndbuf));
}

/* A socket that can be bound may still be unable to send: ask it once. */
static int queue_test_kick(struct queue *q)
{
	int err = queue_kick(q);

	return err == -ENXIO || err == -EINVAL || err == -EOPNOTSUPP ? err : 0;
}

static const char *bind_reason(int err)
{
	switch (err) {
	case -EOPNOTSUPP:
		return "the driver does not do it";
	case -EBUSY:
		return "the queue is in use by another AF_XDP socket";
	case -ENOBUFS:
		return "too little lockable memory (ulimit -l)";
	case -EPERM:
		return "needs CAP_NET_RAW";
	case -EINVAL:
		return "the driver refuses it for this queue, MTU or frame size";
	default:
		return strerror(-err);
	}
}

struct open_call {
	struct queue *q;
	const struct queue_spec *spec;
};

static int open_in_namespace(void *arg)
{
	const struct open_call *call = arg;
	uint64_t deadline = clock_now() + BIND_RETRY_NS;
	int err;

	while ((err = queue_bind(call->q, call->spec)) == -EBUSY && clock_now() < deadline)
		clock_sleep(BIND_PAUSE_NS);
	return err;
}

static int queue_lay_out(struct queue *q, const struct queue_spec *spec)
{
	uint64_t chunk = spec->umem->chunk;

	memset(q, 0, sizeof(*q));
	q->io = calloc(1, sizeof(*q->io));
	q->free = calloc(spec->tx_frames + 1, sizeof(*q->free));
	if (!q->io || !q->free)
		return -ENOMEM;
	q->io->fd = -1;
	q->io->mode = spec->mode;
	q->area = spec->umem->area;
	q->queue_id = spec->queue_id;
	q->rx_frames = spec->rx_frames;
	q->tx_frames = spec->tx_frames;
	q->part_size = spec->umem->size / spec->parts;
	q->first_rx = spec->part * q->part_size;
	q->first_tx = q->first_rx + spec->rx_frames * chunk;
	q->tx_bytes = spec->tx_frames * chunk;
	q->owner[0] = q->owner[1] = q;
	while (q->nfree < spec->tx_frames) {
		q->free[q->nfree] = q->first_tx + q->nfree * chunk;
		q->nfree++;
	}
	return 0;
}

int queue_open(struct queue *q, const struct queue_spec *spec, char *why, size_t why_size)
{
	struct open_call call = {q, spec};
	int err = queue_lay_out(q, spec);

	if (!err)
		err = netns_call(spec->nic->netns, open_in_namespace, &call);
	if (err)
		goto out;
	q->io->fd = xsk_socket__fd(q->io->socket);
	q->rx_desc = q->io->rx.ring;
	q->rx_mask = q->io->rx.mask;
	q->tx_desc = q->io->tx.ring;
	q->tx_mask = q->io->tx.mask;
	err = queue_check_mode(q, spec->mode);
	if (!err)
		err = queue_test_kick(q);
	if (!err)
		queue_raise_budget(q, spec->tx_ring);
out:
	if (err) {
		snprintf(why, why_size, "%s on queue %u: %s", mode_name(spec->mode), spec->queue_id,
			 bind_reason(err));
		queue_close(q);
	}
	return err;
}

void queue_close(struct queue *q)
{
	if (!q || !q->io)
		return;
	queue_drop_socket(q->io);
	free(q->io);
	free(q->free);
	memset(q, 0, sizeof(*q));
}
