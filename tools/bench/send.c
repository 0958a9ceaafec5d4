/* SPDX-License-Identifier: MIT */
/*
 * send: the product's generator against a bare loop, both in copy mode on one port, each with a
 * queue of its own. At the other end of the cable the program drops what comes.
 */
#include "bench.h"
#include "io/clock.h"
#include "io/log.h"
#include "io/netns.h"
#include "stand.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <xdp/xsk.h>

#define QUEUES	   2
#define BARE_QUEUE 1
#define FRAMES	   (ROUND_FRAMES / STAND_BURST * STAND_BURST)
#define STALLED_NS 2000000000ull

/* What somebody would write who wants frames out of a socket: libxdp's defaults, no settings. */
struct bare {
	struct stand *stand;
	void *area;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_prod fill, tx;
	struct xsk_ring_cons completion, rx;
	uint32_t frames, outstanding, next;
};

static int bare_bind(void *arg)
{
	struct bare *b = arg;
	struct xsk_socket_config config = {
		.rx_size = XSK_RING_CONS__DEFAULT_NUM_DESCS,
		.tx_size = XSK_RING_PROD__DEFAULT_NUM_DESCS,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_COPY | XDP_USE_NEED_WAKEUP,
	};
	size_t size = (size_t)b->frames * XSK_UMEM__DEFAULT_FRAME_SIZE;
	int err = xsk_umem__create(&b->umem, b->area, size, &b->fill, &b->completion, NULL);

	return err ? err
		   : xsk_socket__create(&b->socket, b->stand->nic[NEAR].name, BARE_QUEUE, b->umem,
					&b->rx, &b->tx, &config);
}

static void bare_close(struct bare *b)
{
	if (b->socket)
		xsk_socket__delete(b->socket);
	if (b->umem)
		xsk_umem__delete(b->umem);
	if (b->area)
		munmap(b->area, (size_t)b->frames * XSK_UMEM__DEFAULT_FRAME_SIZE);
}

static int bare_open(struct bare *b, struct stand *stand)
{
	size_t size;
	int err;

	*b = (struct bare){.stand = stand, .frames = XSK_RING_PROD__DEFAULT_NUM_DESCS};
	size = (size_t)b->frames * XSK_UMEM__DEFAULT_FRAME_SIZE;
	b->area = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (b->area == MAP_FAILED) {
		b->area = NULL;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < b->frames; i++)
		memcpy((char *)b->area + i * XSK_UMEM__DEFAULT_FRAME_SIZE, stand->frame.data,
		       stand->frame.len);
	err = netns_call(stand->nic[NEAR].netns, bare_bind, b);
	if (err) {
		log_error("the bare loop has no socket: %s", strerror(-err));
		bare_close(b);
	}
	return err;
}

static void bare_complete(struct bare *b)
{
	uint32_t index, n;

	n = (uint32_t)xsk_ring_cons__peek(&b->completion, STAND_BURST, &index);
	if (n)
		xsk_ring_cons__release(&b->completion, n);
	b->outstanding -= n;
}

static int bare_kick(struct bare *b)
{
	if (sendto(xsk_socket__fd(b->socket), NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)
		return 0;
	return errno == EAGAIN || errno == EBUSY || errno == ENOBUFS ? 0 : -errno;
}

static int bare_send(struct bare *b, uint64_t frames)
{
	uint64_t give_up = clock_now() + STALLED_NS + frames * 10000;
	uint32_t index;
	int err = 0;

	while (!err && (frames || b->outstanding)) {
		if (frames && xsk_ring_prod__reserve(&b->tx, STAND_BURST, &index) == STAND_BURST) {
			for (uint32_t i = 0; i < STAND_BURST; i++) {
				struct xdp_desc *desc = xsk_ring_prod__tx_desc(&b->tx, index + i);

				desc->addr = (uint64_t)b->next * XSK_UMEM__DEFAULT_FRAME_SIZE;
				desc->len = b->stand->frame.len;
				desc->options = 0;
				b->next = (b->next + 1) % b->frames;
			}
			xsk_ring_prod__submit(&b->tx, STAND_BURST);
			b->outstanding += STAND_BURST;
			frames -= STAND_BURST;
		}
		err = bare_kick(b);
		bare_complete(b);
		if (clock_now() > give_up)
			err = -ETIMEDOUT;
	}
	return err;
}

static int product_send(struct worker *w, uint64_t frames)
{
	uint64_t last = w->count->submitted + frames;
	uint64_t now = clock_now(), give_up = now + STALLED_NS + frames * 10000;

	while (!w->error && (w->count->submitted < last || w->queue->outstanding)) {
		worker_round(w, now, w->count->submitted < last);
		now = clock_now();
		if (now > give_up)
			return -ETIMEDOUT;
	}
	return w->error;
}

static int round_of(struct stand *stand, struct bare *bare, double *cpu, double *wall)
{
	uint64_t cpu_before = clock_thread_cpu(pthread_self()), before = clock_now();
	int err = bare ? bare_send(bare, FRAMES) : product_send(&stand->worker[NEAR], FRAMES);

	*cpu = (double)(clock_thread_cpu(pthread_self()) - cpu_before) / FRAMES;
	*wall = (double)(clock_now() - before) / FRAMES;
	return err;
}

/* Nothing may have been lost on the way to the other end. */
static int all_arrived(struct stand *stand, uint64_t sent)
{
	uint64_t ours = stand->maps.slot[QUEUES + 1].program.no_socket;
	uint64_t bare = stand->maps.slot[QUEUES + 1 + BARE_QUEUE].program.no_socket;

	if (ours == sent && bare == sent)
		return 0;
	log_error("send: of %llu frames %llu and %llu arrived", (unsigned long long)sent,
		  (unsigned long long)ours, (unsigned long long)bare);
	return -EIO;
}

int bench_send(struct row *row)
{
	struct stand stand;
	struct plan plan = {
		.tx = TX_GENERATE,
		.rx = RX_COUNT,
		.run = STAND_RUN,
		.burst = STAND_BURST,
		.match = &stand.match[NEAR],
		.frame = &stand.frame,
		.flows = 1,
		.tx_queues = 1,
		.limit = UINT64_MAX,
	};
	struct bare bare = {};
	double cpu, wall;
	int err = stand_open(&stand, QUEUES);

	if (err)
		return err;
	err = worker_prepare(&stand.worker[NEAR], &plan);
	if (!err)
		err = bare_open(&bare, &stand);
	prog_set_phase(&stand.prog[FAR], STEER_COUNT);
	if (!err)
		err = round_of(&stand, NULL, &cpu, &wall);
	if (!err)
		err = round_of(&stand, &bare, &cpu, &wall);
	for (int i = 0; i < ROUNDS && !err; i++) {
		err = round_of(&stand, NULL, &row->ours[i], &row->ours_wall[i]);
		if (!err)
			err = round_of(&stand, &bare, &row->reference[i], &row->reference_wall[i]);
	}
	if (!err)
		err = all_arrived(&stand, (ROUNDS + 1) * (uint64_t)FRAMES);
	else
		log_error("send: %s", strerror(-err));
	row->done = !err;
	bare_close(&bare);
	stand_close(&stand);
	return err;
}
