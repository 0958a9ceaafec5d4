/* SPDX-License-Identifier: MIT */
/* Fixed facts and snapshots for tests of reports and of the monitor. */
#include "fixture_snapshot.h"
#include <stdlib.h>
#include <string.h>

void fixture_facts(struct facts *out)
{
	*out = (struct facts){
		.command = "bench",
		.title = "bench lab-a lab-b, 64-byte frames, 8 flows",
		.start_ns = 1000000000,
		.pid = 4242,
		.frame_bytes = 64,
		.run = 0x1f00,
		.nports = 2,
		.nslots = 4,
		.port = {{.name = "lab-a",
			  .driver = "veth",
			  .engine = ENGINE_XSK,
			  .mode = MODE_COPY,
			  .speed_bps = 10000000000ull,
			  .speed_nominal = true,
			  .queues = 2,
			  .first_slot = 0,
			  .queue_id = {0, 1}},
			 {.name = "lab-b",
			  .driver = "veth",
			  .engine = ENGINE_XSK,
			  .mode = MODE_COPY,
			  .speed_bps = 10000000000ull,
			  .speed_nominal = true,
			  .queues = 2,
			  .first_slot = 2,
			  .queue_id = {0, 1}}},
	};
}

/* 10000 * exp(-x * x / 2) for x in steps of a half. */
static const uint32_t bell[] = {3,    22,   111,  439,	1353, 3247, 6065, 8825, 10000,
				8825, 6065, 3247, 1353, 439,  111,  22,	  3};
#define BELL_POINTS (sizeof(bell) / sizeof(*bell))
#define BELL_STEPS  8 /* values between two points, by straight lines */
#define BELL_TOTAL  (BELL_STEPS * (BELL_POINTS - 1))

static uint64_t bell_weight(uint32_t i)
{
	uint32_t point = i / BELL_STEPS, part = i % BELL_STEPS;

	return (uint64_t)bell[point] * (BELL_STEPS - part) + (uint64_t)bell[point + 1] * part;
}

static void hist_put(struct hist *h, uint64_t ns, uint64_t n)
{
	if (!n)
		return;
	h->min = h->count && h->min < ns ? h->min : ns;
	h->max = h->max > ns ? h->max : ns;
	h->count += n;
	h->sum += ns * n;
	h->bucket[hist_index(ns)] += n;
}

void fixture_hist(struct hist *h, uint64_t samples)
{
	uint64_t sum = 0, put = 0, ns = 5000, middle = 0;

	memset(h, 0, sizeof(*h));
	for (uint32_t i = 0; i < BELL_TOTAL; i++)
		sum += bell_weight(i);
	for (uint32_t i = 0; i < BELL_TOTAL; i++) {
		uint64_t n = samples * bell_weight(i) / sum;

		hist_put(h, ns, n);
		put += n;
		middle = i == BELL_TOTAL / 2 ? ns : middle;
		ns += ns / 32;
	}
	hist_put(h, middle, samples - put); /* what rounding left over */
}

void fixture_queue(struct queue_counters *q, uint32_t thread, uint64_t tx, uint64_t rx,
		   uint64_t ring_full)
{
	memset(q, 0, sizeof(*q));
	q->worker.wanted = tx + tx / 1000;
	q->worker.given_up_late = tx / 1000;
	q->worker.submitted = tx;
	q->worker.submitted_bytes = tx * 60;
	q->worker.completed = tx > 64 ? tx - 64 : tx;
	q->worker.kicks = tx / 32;
	q->worker.kicks_again = tx / 3200;
	q->worker.received = rx;
	q->worker.received_bytes = rx * 60;
	q->worker.matched = rx - rx / 50000;
	q->worker.corrupt = rx / 50000;
	q->worker.reordered = rx / 20000;
	q->program.seen = rx + ring_full + 3;
	q->program.seen_bytes = (rx + ring_full + 3) * 60;
	q->program.passed = 3;
	q->program.redirected = rx + ring_full;
	q->socket.ring_full = ring_full;
	q->socket.tx_ring_empty = tx / 640;
	q->gauge = (struct queue_gauges){
		.cpu_ns = tx * 900 + rx * 600,
		.burst_span_ns = 21500,
		.rx_ring = ring_full ? 2048 : (uint32_t)(rx / 1000 % 2048),
		.rx_ring_size = 2048,
		.fill_ring = ring_full ? 0 : 1984,
		.fill_ring_size = 2048,
		.tx_ring = tx ? 64 : 0,
		.tx_ring_size = 2048,
		.cpu = thread + 1,
		.thread = thread,
	};
}

static void port_fill(struct snapshot *s, int port, uint64_t tx, uint64_t rx, uint64_t lost)
{
	struct netdev_counters *n = &s->port[port].netdev;

	s->port[port].carrier = 1;
	n->tx_packets = tx;
	n->rx_packets = rx + lost + 6;
	n->tx_bytes = tx * 60;
	n->rx_bytes = n->rx_packets * 60;
	n->rx_dropped = lost;
	fixture_hist(&s->latency[port], rx);
}

struct snapshot *fixture_snapshot(int which)
{
	/* Frames a queue sends in 100 ms: b sends about half as many; b's queue 0 loses some. */
	static const uint64_t a[2] = {61200, 61000}, b[2] = {30500, 30400};
	uint64_t tenths = which ? 11 : 10, lost = which ? 1470 : 1350;
	struct snapshot *s = calloc(1, snapshot_size(4));

	if (!s)
		abort();
	s->time_ns = FIXTURE_START_NS + tenths * 100000000;
	s->nslots = 4;
	fixture_queue(&s->queue[0], 0, a[0] * tenths, b[0] * tenths, 0);
	fixture_queue(&s->queue[1], 1, a[1] * tenths, b[1] * tenths, 0);
	fixture_queue(&s->queue[2], 2, b[0] * tenths, a[0] * tenths - lost, lost);
	fixture_queue(&s->queue[3], 3, b[1] * tenths, a[1] * tenths, 0);
	port_fill(s, 0, (a[0] + a[1]) * tenths, (b[0] + b[1]) * tenths, 0);
	port_fill(s, 1, (b[0] + b[1]) * tenths, (a[0] + a[1]) * tenths - lost, lost);
	return s;
}
