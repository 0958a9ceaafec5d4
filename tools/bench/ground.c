/* SPDX-License-Identifier: MIT */
#include "ground.h"
#include "driver_stats.h"
#include "io/clock.h"
#include "io/log.h"
#include <errno.h>
#include <string.h>

#define RUN 0x5eed

/*
 * What reflects in user space is slower than a feeder: so many frames are under way at most, for
 * what a full ring loses has cost CPU time too. The other subjects are fed without pause.
 */
#define UNDER_WAY   1024
#define CHUNK_PACED 256
#define CHUNK	    16384
#define NAP_NS	    20000
#define LOST_NS	    5000000ull

static bool fed(const struct ground *g)
{
	return g->subject->work != SEND || g->subject->kind == BARE_ALONE;
}

static bool alone(const struct ground *g)
{
	return g->subject->kind == FEED_ALONE || g->subject->kind == BARE_ALONE;
}

static bool paced(const struct ground *g)
{
	return g->subject->work == REFLECT && !alone(g) && !g->subject->in_kernel;
}

struct nic *ground_port(struct ground *g)
{
	return &g->nic[g->subject->work == SEND ? GROUND_G0 : GROUND_D0];
}

/* Where the frames end. */
static struct nic *end_of(struct ground *g)
{
	return &g->nic[g->subject->work == REFLECT && !alone(g) ? GROUND_G0 : GROUND_D0];
}

static int ports_open(struct ground *g)
{
	int err = 0;

	for (int i = 0; i < GROUND_PORTS && !err; i++) {
		const char *name = g->lab.port[i].name;

		err = nic_open_at(&g->nic[i], g->lab.netns[g->lab.port[i].netns], name, name);
	}
	return err;
}

static int feeder_open(struct ground *g, uint32_t i, int cpu)
{
	struct feeder *f = &g->feeder[i];
	struct frame_spec frame = {.src_ip = FRAME_NET_A,
				   .dst_ip = FRAME_NET_B,
				   .frame_bytes = g->size};
	struct feed_spec spec = {
		.kind = g->subject->kind == BARE_ALONE ? FEED_BARE : FEED_STAMPED,
		.frame = &f->frame,
		.flow = i,
		.run = RUN,
	};
	int err;

	f->ground = g;
	f->cpu = cpu;
	memcpy(frame.src_mac, g->nic[GROUND_G0].mac, sizeof(frame.src_mac));
	memcpy(frame.dst_mac, g->nic[GROUND_D0].mac, sizeof(frame.dst_mac));
	err = frame_build(&frame, &f->frame);
	if (err)
		return err;
	frame_set_flow(f->frame.data, f->frame.udp_sum, f->frame.udp_rest, i);
	return feed_open(&f->feed, &spec, &g->nic[GROUND_G0], &g->nic[i ? GROUND_D1 : GROUND_G1]);
}

int ground_open(struct ground *g, const struct subject *s, uint32_t queues, uint32_t size,
		const int *cpus)
{
	int err;

	*g = (struct ground){.subject = s, .queues = queues, .size = size};
	err = lab_up(&g->lab, LAB_CHAIN, queues);
	if (!err)
		err = ports_open(g);
	if (!err && (s->work != COUNT || alone(g)))
		err = sink_open(&g->sink, end_of(g));
	for (uint32_t i = 0; i < queues && fed(g) && !err; i++)
		err = feeder_open(g, i, cpus[i]);
	if (err)
		ground_close(g);
	return err;
}

void ground_feed_stop(struct ground *g)
{
	__atomic_store_n(&g->stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < GROUND_QUEUES; i++) {
		if (g->feeder[i].runs)
			pthread_join(g->feeder[i].thread, NULL);
		g->feeder[i].runs = false;
	}
}

void ground_close(struct ground *g)
{
	ground_feed_stop(g);
	for (int i = 0; i < GROUND_QUEUES; i++)
		feed_close(&g->feeder[i].feed);
	sink_close(&g->sink);
	for (int i = 0; i < GROUND_PORTS; i++)
		nic_close(&g->nic[i]);
	lab_down(&g->lab);
}

/* Until there is room; frames that do not come within the time are taken for lost. */
static void wait_for_room(struct ground *g, uint64_t *written_off)
{
	uint64_t now = clock_now(), moved = now, last = sink_frames(&g->sink);

	for (; !__atomic_load_n(&g->stop, __ATOMIC_RELAXED); now = clock_now()) {
		uint64_t sunk = sink_frames(&g->sink);
		uint64_t under_way = __atomic_load_n(&g->fed, __ATOMIC_RELAXED) - sunk;

		if (sunk != last)
			moved = now;
		last = sunk;
		if (now - moved > LOST_NS)
			*written_off = under_way;
		if (under_way - *written_off <= UNDER_WAY - CHUNK_PACED || *written_off > under_way)
			return;
		clock_sleep(NAP_NS);
	}
}

static void *feeder_run(void *arg)
{
	struct feeder *f = arg;
	struct ground *g = f->ground;
	uint32_t chunk = paced(g) ? CHUNK_PACED : CHUNK;
	uint64_t written_off = 0;
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(f->cpu, &cpu);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(cpu), &cpu);
	while (!f->err && !__atomic_load_n(&g->stop, __ATOMIC_RELAXED)) {
		if (paced(g))
			wait_for_room(g, &written_off);
		f->err = feed_send(&f->feed, chunk);
		__atomic_fetch_add(&g->fed, chunk, __ATOMIC_RELAXED);
	}
	return NULL;
}

int ground_feed(struct ground *g)
{
	int err = 0;

	for (uint32_t i = 0; i < g->queues && fed(g) && !err; i++) {
		err = -pthread_create(&g->feeder[i].thread, NULL, feeder_run, &g->feeder[i]);
		g->feeder[i].runs = !err;
	}
	return err;
}

int ground_feed_error(const struct ground *g)
{
	int err = 0;

	for (uint32_t i = 0; i < g->queues && !err; i++)
		err = g->feeder[i].err;
	return err;
}

uint64_t ground_feed_cpu(const struct ground *g)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < g->queues; i++)
		if (g->feeder[i].runs)
			ns += clock_thread_cpu(g->feeder[i].thread);
	return ns;
}

/*
 * Frames that came to a socket or were dropped by a program on purpose, as the driver counts: a
 * frame that was lost, or left to the kernel since nobody wanted it, is in neither.
 */
static int received(struct ground *g, struct arrivals *out)
{
	static const char *const taken[] = {"xdp_redirect", "xdp_drops", NULL};

	return driver_stats_sum(&g->nic[GROUND_D0], taken, &out->frames);
}

int ground_arrivals(struct ground *g, struct arrivals *out)
{
	struct port_counters end, way;
	int err = nic_counters(end_of(g), &end);

	if (!err)
		err = nic_counters(&g->nic[GROUND_D0], &way);
	if (err)
		return err;
	out->frames = end.netdev.rx_packets;
	out->bytes = end.netdev.rx_bytes;
	out->lost = way.netdev.rx_dropped;
	return g->subject->work == COUNT && !alone(g) ? received(g, out) : 0;
}
