// SPDX-License-Identifier: MIT
#include "fake_queue.h"
#include "abi/match.h"
#include "fake_wire.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* --- rings --- */

static int ring_open(struct fake_ring *r, uint32_t size)
{
	r->size = size;
	r->desc = calloc(size, sizeof(*r->desc));
	return r->desc ? 0 : -ENOMEM;
}

static struct xdp_desc *ring_at(const struct fake_ring *r, uint32_t index)
{
	return &r->desc[index & (r->size - 1)];
}

static uint32_t ring_used(const struct fake_ring *r)
{
	return r->producer - r->consumer;
}

static uint32_t ring_free(const struct fake_ring *r)
{
	return r->size - ring_used(r);
}

static void ring_put(struct fake_ring *r, uint64_t addr, uint32_t len)
{
	*ring_at(r, r->producer++) = (struct xdp_desc){.addr = addr, .len = len};
}

static struct xdp_desc ring_take(struct fake_ring *r)
{
	return *ring_at(r, r->consumer++);
}

/* --- opening and closing --- */

static uint32_t power_of_two(uint32_t n)
{
	uint32_t size = 64;

	while (size < n)
		size *= 2;
	return size;
}

int fake_queue_open(struct queue *q, const struct fake_queue_spec *spec)
{
	const struct umem *umem = &spec->memory->umem;
	struct queue_io *io = calloc(1, sizeof(*io));

	*q = (struct queue){
		.area = umem->area,
		.free = calloc(spec->tx_frames + 1, sizeof(*q->free)),
		.queue_id = spec->index,
		.rx_frames = spec->rx_frames,
		.tx_frames = spec->tx_frames,
		.part_size = umem->size / spec->parts,
		.owner = {q, q},
		.io = io,
	};
	if (!io || !q->free)
		return -ENOMEM;
	*io = (struct queue_io){
		.memory = spec->memory,
		.port = spec->port,
		.index = spec->index,
		.tx_budget = 32,
		.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	q->first_rx = spec->part * q->part_size;
	q->first_tx = q->first_rx + (uint64_t)spec->rx_frames * umem->chunk;
	q->tx_bytes = (uint64_t)spec->tx_frames * umem->chunk;
	if (ring_open(&io->rx, spec->rx_ring) || ring_open(&io->tx, spec->tx_ring) ||
	    ring_open(&io->fill, 2 * power_of_two(spec->rx_frames)) ||
	    ring_open(&io->completion, spec->tx_ring) || ring_open(&io->sent, spec->tx_ring))
		return -ENOMEM;
	q->rx_desc = io->rx.desc;
	q->rx_mask = io->rx.size - 1;
	q->tx_desc = io->tx.desc;
	q->tx_mask = io->tx.size - 1;
	while (q->nfree < spec->tx_frames) {
		q->free[q->nfree] = q->first_tx + (uint64_t)q->nfree * umem->chunk;
		q->nfree++;
	}
	for (uint32_t i = 0; i < spec->rx_frames; i++)
		queue_fill_one(q, q->first_rx + (uint64_t)i * umem->chunk);
	return 0;
}

void queue_close(struct queue *q)
{
	struct queue_io *io = q->io;

	if (!io)
		return;
	free(io->rx.desc);
	free(io->tx.desc);
	free(io->fill.desc);
	free(io->completion.desc);
	free(io->sent.desc);
	close(io->fd);
	free(io);
	free(q->free);
	memset(q, 0, sizeof(*q));
}

int queue_fd(const struct queue *q)
{
	return q->io->fd;
}

/* --- the user's side: receive --- */

uint32_t queue_rx_peek(struct queue *q, uint32_t max, uint32_t *index)
{
	struct fake_ring *r = &q->io->rx;
	uint32_t n;

	fake_lock();
	n = r->producer - r->cached;
	if (n > max)
		n = max;
	*index = r->cached;
	r->cached += n;
	fake_unlock();
	return n;
}

static void rx_release(struct queue *q, uint32_t n)
{
	struct fake_ring *r = &q->io->rx;
	eventfd_t unused;

	if (n > r->cached - r->consumer) {
		fake_complain("%u RX entries given up, %u were taken", n, r->cached - r->consumer);
		return;
	}
	while (n--)
		fake_hand_over(q->io->memory, ring_take(r).addr, PLACE_RX, PLACE_USER);
	if (!ring_used(r))
		(void)eventfd_read(q->io->fd, &unused);
}

static void fill_one(struct queue *q, uint64_t addr)
{
	if (!ring_free(&q->io->fill)) {
		fake_complain("the fill ring is full");
		return;
	}
	fake_hand_over(q->io->memory, addr, PLACE_USER, PLACE_FILL);
	ring_put(&q->io->fill, addr, 0);
}

void queue_rx_recycle(struct queue *q, uint32_t index, uint32_t n)
{
	fake_lock();
	if (index != q->io->rx.consumer)
		fake_complain("frames given back out of turn");
	rx_release(q, n);
	for (uint32_t i = 0; i < n; i++)
		fill_one(q, ring_at(&q->io->rx, index + i)->addr);
	fake_unlock();
}

void queue_rx_release(struct queue *q, uint32_t n)
{
	fake_lock();
	rx_release(q, n);
	fake_unlock();
}

void queue_fill_one(struct queue *q, uint64_t addr)
{
	fake_lock();
	fill_one(q, addr);
	fake_unlock();
}

void queue_rx_wake(struct queue *q)
{
}

/* --- the user's side: send --- */

static void give_back(struct queue *q, uint64_t addr)
{
	struct queue *owner = q->owner[addr >= q->part_size];

	fake_hand_over(q->io->memory, addr, PLACE_COMPLETION, PLACE_USER);
	if (addr >= owner->first_tx && addr < owner->first_tx + owner->tx_bytes)
		owner->free[owner->nfree++] = addr;
	else
		fill_one(owner, addr);
}

uint32_t queue_reap(struct queue *q)
{
	struct fake_ring *r = &q->io->completion;
	uint32_t n;

	fake_lock();
	n = ring_used(r);
	for (uint32_t i = 0; i < n; i++)
		give_back(q, ring_take(r).addr);
	fake_unlock();
	q->outstanding -= n;
	return n;
}

uint32_t queue_tx_room(struct queue *q, uint32_t max, uint32_t *index)
{
	uint32_t room;

	fake_lock();
	room = ring_free(&q->io->tx);
	*index = q->io->tx.producer;
	fake_unlock();
	return room < max ? room : max;
}

void queue_tx_submit(struct queue *q, uint32_t n)
{
	struct fake_ring *r = &q->io->tx;
	struct fake_memory *m = q->io->memory;

	fake_lock();
	if (n > ring_free(r)) {
		fake_complain("%u frames submitted, room for %u", n, ring_free(r));
		n = 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct xdp_desc *desc = ring_at(r, r->producer + i);
		uint64_t at = desc->addr & (m->umem.chunk - 1);

		fake_hand_over(q->io->memory, desc->addr, PLACE_USER, PLACE_TX);
		if (!desc->len || desc->options || at + desc->len > m->umem.chunk)
			fake_complain("bad descriptor: length %u, options %u, offset %llu",
				      desc->len, desc->options, (unsigned long long)at);
		m->sum[desc->addr / m->umem.chunk] = fake_sum(m->umem.area + desc->addr, desc->len);
	}
	r->producer += n;
	fake_unlock();
	q->outstanding += n;
}

bool queue_wants_kick(const struct queue *q)
{
	bool wants;

	fake_lock();
	wants = !q->io->driver_polls && !q->io->flag_lies;
	fake_unlock();
	return wants;
}

/* As the kernel does in copy mode: at most a budget's worth per call, "again" when more is left. */
int queue_kick(struct queue *q)
{
	struct queue_io *io = q->io;
	int err = 0;

	fake_lock();
	io->kicks++;
	if (io->kick_errors) {
		io->kick_errors--;
		err = io->kick_error;
	} else if (!io->driver_polls) {
		if (fake_queue_send(q, io->tx_budget) == io->tx_budget && ring_used(&io->tx))
			err = -EAGAIN;
		fake_queue_complete(q);
	}
	fake_unlock();
	return err;
}

/* --- the kernel's side --- */

/* What was sent still lies as it was handed over? The completion ring has room for all of it. */
uint32_t fake_queue_complete(struct queue *q)
{
	struct queue_io *io = q->io;
	struct fake_memory *m = io->memory;
	uint32_t n = 0;

	for (; !io->hold_completions && ring_used(&io->sent); n++) {
		struct xdp_desc desc = ring_take(&io->sent);

		if (m->sum[desc.addr / m->umem.chunk] !=
		    fake_sum(m->umem.area + desc.addr, desc.len))
			fake_complain("a frame was written while the kernel sent it");
		fake_hand_over(q->io->memory, desc.addr, PLACE_KERNEL, PLACE_COMPLETION);
		ring_put(&io->completion, desc.addr, desc.len);
	}
	return n;
}

/* A place on the completion ring is reserved first, as in the kernel: without one it waits. */
uint32_t fake_queue_send(struct queue *q, uint32_t max)
{
	struct queue_io *io = q->io;
	uint32_t n;

	for (n = 0; n < max && ring_used(&io->tx); n++) {
		struct xdp_desc desc;

		if (ring_used(&io->completion) + ring_used(&io->sent) == io->completion.size)
			break;
		desc = ring_take(&io->tx);
		fake_hand_over(q->io->memory, desc.addr, PLACE_TX, PLACE_KERNEL);
		ring_put(&io->sent, desc.addr, desc.len);
		fake_wire_send(io->port, io->index, q->area + desc.addr, desc.len);
	}
	if (!n)
		io->stats.tx_ring_empty++;
	return n;
}

bool fake_queue_deliver(struct queue *q, const uint8_t *data, uint32_t len,
			const struct frame_meta *meta)
{
	struct queue_io *io = q->io;
	uint64_t addr;
	uint8_t *at;

	if (len > io->memory->umem.chunk - UMEM_HEADROOM) {
		io->stats.too_long++;
		return false;
	}
	if (!ring_used(&io->fill)) {
		io->stats.fill_empty++;
		return false;
	}
	if (!ring_free(&io->rx)) {
		io->stats.ring_full++;
		return false;
	}
	/* The kernel takes an address for its chunk, wherever in the chunk it points. */
	addr = ring_take(&io->fill).addr & ~(uint64_t)(io->memory->umem.chunk - 1);
	fake_hand_over(q->io->memory, addr, PLACE_FILL, PLACE_RX);
	addr += UMEM_HEADROOM;
	at = q->area + addr;
	memset(at - sizeof(*meta), FAKE_POISON, sizeof(*meta));
	if (meta)
		memcpy(at - sizeof(*meta), meta, sizeof(*meta));
	memcpy(at, data, len);
	if (!ring_used(&io->rx))
		(void)eventfd_write(io->fd, 1);
	ring_put(&io->rx, addr, len);
	return true;
}

/* --- what others may ask --- */

int queue_error(const struct queue *q)
{
	return __atomic_load_n(&q->io->error, __ATOMIC_RELAXED);
}

int queue_stats(const struct queue *q, struct socket_counters *out)
{
	fake_lock();
	*out = q->io->stats;
	fake_unlock();
	return 0;
}

void queue_gauges(const struct queue *q, struct queue_gauges *out)
{
	const struct queue_io *io = q->io;

	fake_lock();
	out->rx_ring = ring_used(&io->rx);
	out->rx_ring_size = io->rx.size;
	out->fill_ring = ring_used(&io->fill);
	out->fill_ring_size = io->fill.size;
	out->tx_ring = ring_used(&io->tx);
	out->tx_ring_size = io->tx.size;
	fake_unlock();
}

uint32_t queue_frames_accounted(struct queue *q)
{
	const struct queue_io *io = q->io;
	uint32_t n;

	fake_lock();
	n = q->nfree + ring_used(&io->rx) + ring_used(&io->fill) + ring_used(&io->tx) +
	    ring_used(&io->completion);
	fake_unlock();
	return n;
}
