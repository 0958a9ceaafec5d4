// SPDX-License-Identifier: MIT
/*
 * What the worker's loops cost per frame without a kernel: the product's roles, queue and memory,
 * over rings that lie in this process. Between two batches, outside the measured time, the kernel's
 * side is played: what was sent completes, and new frames arrive. A batch is all frames there are:
 * with 4096 of them (8 MiB) none is in a near cache any more when its turn comes, 256 stay there.
 *
 *   user_loops [-f FRAMES] [-b BATCHES] [-r ROUNDS] [LOOP...]
 *
 * Prints LOOP BEST MEDIAN, in CPU nanoseconds per frame.
 */
#include "core/frame.h"
#include "io/clock.h"
#include "io/queue_io.h"
#include "run/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RING	   4096u /* entries, and frames at most */
#define CHUNK	   2048u
#define BURST	   64u
#define RUN	   0x4711
#define ROUNDS_MAX 99

struct loop {
	const char *name;
	uint32_t (*role)(struct worker *w);
	enum rx_role rx;
	uint32_t flows;
	bool verify_full;
};

static const struct loop loops[] = {
	{.name = "send-1-flow", .role = role_generate, .flows = 1},
	{.name = "send-1000-flows", .role = role_generate, .flows = 1000},
	{.name = "verify-1-flow", .role = role_count, .flows = 1},
	{.name = "verify-1000-flows", .role = role_count, .flows = 1000},
	{.name = "verify-1000000-flows", .role = role_count, .flows = 1000000},
	{.name = "verify-full", .role = role_count, .flows = 1000, .verify_full = true},
	{.name = "reflect-l4", .role = role_reflect, .rx = RX_REFLECT, .flows = 1000},
};

#define LOOPS (sizeof(loops) / sizeof(loops[0]))

/* --- a socket without a kernel ------------------------------------------------------------------
 */

/* Ring numbers as the kernel would share them. */
struct shared {
	uint32_t producer, consumer, flags;
};

struct bench {
	struct queue queue;
	struct queue_io io;
	struct umem umem;
	struct shared rx, tx, fill, completion;
	struct counter_slot slot;
	struct hist latency, lateness;
	struct match_config match;
	struct frame frame;
	struct worker worker;
	struct flow_walk walk; /* of the frames that arrive */
	uint32_t run_seen;
	enum match_kind told; /* in the metadata, by the program */
};

static void *ring_memory(uint32_t size, size_t entry)
{
	void *ring = calloc(size, entry);

	if (!ring)
		exit(1);
	return ring;
}

static void wire_producer(struct xsk_ring_prod *r, struct shared *s, uint32_t size, size_t entry)
{
	*r = (struct xsk_ring_prod){
		.cached_cons = size,
		.mask = size - 1,
		.size = size,
		.producer = &s->producer,
		.consumer = &s->consumer,
		.flags = &s->flags,
		.ring = ring_memory(size, entry),
	};
}

static void wire_consumer(struct xsk_ring_cons *r, struct shared *s, uint32_t size, size_t entry)
{
	*r = (struct xsk_ring_cons){
		.mask = size - 1,
		.size = size,
		.producer = &s->producer,
		.consumer = &s->consumer,
		.flags = &s->flags,
		.ring = ring_memory(size, entry),
	};
}

/* A reflector has as many frames on the way out as on the way in. */
static void bench_open(struct bench *b, uint32_t frames, bool reflects)
{
	uint32_t rx_frames = reflects ? 2 * frames : frames;
	struct queue *q = &b->queue;

	memset(b, 0, sizeof(*b));
	if (umem_map(&b->umem, rx_frames + frames, CHUNK))
		exit(1);
	q->io = &b->io;
	q->area = b->umem.area;
	q->rx_frames = rx_frames;
	q->tx_frames = frames;
	q->first_tx = (uint64_t)rx_frames * CHUNK;
	q->tx_bytes = (uint64_t)frames * CHUNK;
	q->part_size = b->umem.size;
	q->owner[0] = q->owner[1] = q;
	q->free = calloc(frames, sizeof(*q->free));
	wire_consumer(&b->io.rx, &b->rx, RING, sizeof(struct xdp_desc));
	wire_producer(&b->io.tx, &b->tx, RING, sizeof(struct xdp_desc));
	wire_producer(&b->io.fill, &b->fill, 4 * RING, sizeof(uint64_t));
	wire_consumer(&b->io.completion, &b->completion, RING, sizeof(uint64_t));
	q->rx_desc = b->io.rx.ring;
	q->tx_desc = b->io.tx.ring;
	q->rx_mask = q->tx_mask = RING - 1;
	for (uint32_t i = 0; i < frames; i++)
		q->free[q->nfree++] = q->first_tx + (uint64_t)i * CHUNK;
	for (uint32_t i = 0; i < rx_frames; i++)
		queue_fill_one(q, (uint64_t)i * CHUNK);
}

static void bench_close(struct bench *b)
{
	worker_done(&b->worker);
	umem_unmap(&b->umem);
	free(b->queue.free);
	free(b->io.rx.ring);
	free(b->io.tx.ring);
	free(b->io.fill.ring);
	free(b->io.completion.ring);
}

/* --- the kernel's side ---------------------------------------------------------------------------
 */

static void kernel_completes(struct bench *b)
{
	const struct xdp_desc *tx = b->io.tx.ring;
	uint64_t *done = b->io.completion.ring;

	while (b->tx.consumer != b->tx.producer)
		done[b->completion.producer++ & (RING - 1)] =
			tx[b->tx.consumer++ & (RING - 1)].addr;
}

/* A frame of ours with the program's metadata in front. */
static void kernel_writes(struct bench *b, uint8_t *data, uint64_t now)
{
	const struct frame *frame = &b->frame;
	const uint64_t head = stamp_head(RUN, 0);
	struct frame_meta *meta = (struct frame_meta *)(data - sizeof(*meta));

	*meta = (struct frame_meta){now + 1000 + b->walk.seq % 512, FRAME_META_MAGIC, STAMP_OFFSET,
				    b->told};
	memcpy(data, frame->data, frame->len);
	frame_set_flow(data, frame->udp_sum, frame->udp_rest, b->walk.flow);
	stamp_put(data + STAMP_OFFSET, head, stamp_burst_sum(head, now), b->walk.flow, b->walk.seq,
		  now);
	flow_walk_next(&b->walk);
}

static void kernel_delivers(struct bench *b)
{
	struct xdp_desc *rx = b->io.rx.ring;
	const uint64_t *fill = b->io.fill.ring;

	while (b->rx.producer - b->rx.consumer < b->queue.tx_frames &&
	       b->fill.consumer != b->fill.producer) {
		uint64_t addr = fill[b->fill.consumer++ & (4 * RING - 1)] & ~(CHUNK - 1ull);

		addr += UMEM_HEADROOM;
		kernel_writes(b, b->umem.area + addr, b->worker.now);
		rx[b->rx.producer++ & (RING - 1)] =
			(struct xdp_desc){.addr = addr, .len = b->frame.len};
	}
}

/* --- measuring -----------------------------------------------------------------------------------
 */

static void bench_prepare(struct bench *b, const struct loop *loop)
{
	const struct frame_spec spec = {.src_mac = {2, 0, 0, 0, 0, 1},
					.dst_mac = {2, 0, 0, 0, 0, 2},
					.src_ip = FRAME_NET_A,
					.dst_ip = FRAME_NET_B,
					.frame_bytes = FRAME_BYTES_MIN};
	const struct plan plan = {
		.tx = loop->role == role_generate ? TX_GENERATE : TX_NONE,
		.rx = loop->rx,
		.run = RUN,
		.burst = BURST,
		.rx_flows = loop->flows,
		.window_bits = loop->flows > 1000 ? 64 : 4096,
		.verify_full = loop->verify_full,
		.swap = SWAP_L4,
		.set_reply = true,
		.match = &b->match,
		.frame = &b->frame,
		.flows = loop->flows,
		.tx_queues = 1,
		.limit = UINT64_MAX,
	};

	b->match = (struct match_config){.stamp_offset = {STAMP_OFFSET}};
	b->worker = (struct worker){
		.queue = &b->queue,
		.out = &b->queue,
		.count = &b->slot.worker,
		.out_count = &b->slot.worker,
		.latency = &b->latency,
		.lateness = &b->lateness,
		.run_seen = &b->run_seen,
		.now = clock_now(),
	};
	flow_walk_init(&b->walk, loop->flows, 0, 1);
	b->told = loop->rx == RX_REFLECT ? MATCH_PLAIN : MATCH_STAMP;
	if (frame_build(&spec, &b->frame) || worker_prepare(&b->worker, &plan))
		exit(1);
}

static uint64_t cpu_now(void)
{
	return clock_thread_cpu(pthread_self());
}

/* CPU time of one batch. */
static uint64_t bench_batch(struct bench *b, const struct loop *loop)
{
	uint32_t frames = b->queue.tx_frames;
	uint64_t start;

	b->worker.now = clock_now();
	kernel_completes(b);
	if (loop->role != role_generate)
		kernel_delivers(b);
	start = cpu_now();
	for (uint32_t done = 0; done < frames; done += BURST)
		loop->role(&b->worker);
	return cpu_now() - start;
}

/* What measuring costs by itself. */
static uint64_t clock_cost(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t start = cpu_now(), spent = cpu_now() - start;

		least = spent < least ? spent : least;
	}
	return least;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Every frame was handled as it should be? Else the figure means nothing. */
static void bench_check(const struct bench *b, const struct loop *loop, uint64_t frames)
{
	const struct worker_counters *c = &b->slot.worker;
	uint64_t good = loop->role == role_generate ? c->submitted : c->matched;

	if (good == frames && c->user_stamped + c->reordered + c->duplicate + c->foreign == 0)
		return;
	fprintf(stderr, "user_loops: %s: %llu frames of %llu were handled\n", loop->name,
		(unsigned long long)good, (unsigned long long)frames);
	exit(1);
}

struct size {
	uint32_t frames, batches, rounds;
};

static void bench_run(const struct loop *loop, const struct size *size)
{
	static struct bench b;
	double ns[ROUNDS_MAX] = {0}, per_round = (double)size->frames * size->batches;
	uint64_t cost = clock_cost();

	bench_open(&b, size->frames, loop->rx == RX_REFLECT);
	bench_prepare(&b, loop);
	for (uint32_t r = 0; r < size->rounds; r++) {
		uint64_t spent = 0;

		for (uint32_t i = 0; i < size->batches; i++)
			spent += bench_batch(&b, loop) - cost;
		ns[r] = (double)spent / per_round;
	}
	bench_check(&b, loop, (uint64_t)size->rounds * size->batches * size->frames);
	bench_close(&b);
	qsort(ns, size->rounds, sizeof(ns[0]), compare);
	printf("%s %.2f %.2f\n", loop->name, ns[0], ns[size->rounds / 2]);
	fflush(stdout);
}

static bool wanted(const struct loop *loop, int n, char **names)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(loop->name, names[i]))
			return true;
	return !n;
}

static uint32_t number(const char *word, uint32_t low, uint32_t high)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (*end || n < low || n > high) {
		fprintf(stderr, "user_loops: %s: give a number from %u to %u\n", word, low, high);
		exit(2);
	}
	return (uint32_t)n;
}

int main(int argc, char **argv)
{
	struct size size = {.frames = RING, .batches = 100, .rounds = 9};
	int option;

	while ((option = getopt(argc, argv, "f:b:r:")) != -1) {
		if (option == 'f')
			size.frames = number(optarg, BURST, RING) / BURST * BURST;
		else if (option == 'b')
			size.batches = number(optarg, 1, 1000000);
		else if (option == 'r')
			size.rounds = number(optarg, 1, ROUNDS_MAX);
		else
			return 2;
	}
	for (uint32_t i = 0; i < LOOPS; i++)
		if (wanted(&loops[i], argc - optind, argv + optind))
			bench_run(&loops[i], &size);
	return 0;
}
