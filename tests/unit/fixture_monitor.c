/* SPDX-License-Identifier: MIT */
/* Made-up runs for the monitor's tests. */
#include "fixture_monitor.h"
#include "unit.h"
#include <stdlib.h>
#include <string.h>

#define SECOND	 1000000000ull
#define START_NS (5000 * SECOND)

static struct snapshot *snapshot_make(uint32_t nslots, uint64_t seconds)
{
	struct snapshot *s = malloc(snapshot_size(nslots));

	assert_non_null(s);
	memset(s, 0, snapshot_size(nslots));
	s->nslots = nslots;
	s->time_ns = START_NS + seconds * SECOND;
	for (int p = 0; p < PORTS_MAX; p++)
		s->port[p].carrier = 1;
	return s;
}

/* A queue that sent and received so many frames, and lost some of those that arrived. */
static void queue_fill(struct queue_counters *q, uint64_t tx, uint64_t rx, uint64_t ring_full)
{
	q->worker.wanted = tx;
	q->worker.submitted = tx;
	q->worker.submitted_bytes = tx * 60;
	q->worker.completed = tx;
	q->program.seen = rx + ring_full;
	q->program.redirected = rx + ring_full;
	q->socket.ring_full = ring_full;
	q->worker.received = rx;
	q->worker.received_bytes = rx * 60;
	q->worker.matched = rx;
	q->gauge.rx_ring_size = q->gauge.tx_ring_size = q->gauge.fill_ring_size = 2048;
	q->gauge.tx_ring = 1024;
	q->gauge.rx_ring = ring_full ? 2048 : 64;
	q->gauge.fill_ring = ring_full ? 0 : 1984;
}

/* n times as many: a hump around the middle, and a far tail of one in a thousand. */
static void hist_fill(struct hist *h, int64_t middle_ns, uint64_t n)
{
	static const uint16_t weights[] = {1, 3, 8, 18, 33, 50, 62, 66, 62, 50, 33, 18, 8, 3, 1};
	struct hist one = {0};

	for (size_t i = 0; i < ARRAY_LEN(weights); i++)
		for (uint16_t w = 0; w < weights[i]; w++)
			hist_note(&one, middle_ns * (40 + 8 * (int64_t)i + w % 8) / 100);
	hist_note(&one, middle_ns * 25);
	h->min = one.min;
	h->max = one.max;
	h->count = one.count * n;
	h->sum = one.sum * n;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		h->bucket[i] = one.bucket[i] * n;
}

static void finish(struct fixture_monitor *f)
{
	f->in = (struct view_input){
		.facts = &f->facts,
		.now = f->now,
		.before = f->before,
		.baseline = f->baseline,
		.start_ns = START_NS,
	};
}

static void lab_at(struct snapshot *s, uint64_t seconds)
{
	uint64_t frames = 500000 * seconds, lost = 1000 * seconds;

	for (uint32_t slot = 0; slot < 4; slot++) {
		queue_fill(&s->queue[slot], frames, frames - (slot == 3 ? lost : 0),
			   slot == 3 ? lost : 0);
		s->queue[slot].gauge.thread = slot / 2; /* one thread for each port */
		s->queue[slot].gauge.cpu_ns = seconds * SECOND / 4 * (slot < 2 ? 3 : 2);
	}
	if (seconds) {
		s->queue[1].worker.reordered = 17;
		s->queue[2].worker.corrupt = 2;
		s->queue[2].worker.matched -= 2;
		hist_fill(&s->latency[0], 30000, 100 * seconds);
		hist_fill(&s->latency[1], 21000, 100 * seconds);
	}
}

void fixture_monitor_lab(struct fixture_monitor *f)
{
	*f = (struct fixture_monitor){
		.facts =
			{
				.command = "bench",
				.title = "bench lab-a lab-b, 64-byte frames, 8 flows",
				.frame_bytes = 64,
				.nports = 2,
				.nslots = 4,
			},
		.baseline = snapshot_make(4, 0),
		.before = snapshot_make(4, 11),
		.now = snapshot_make(4, 12),
	};
	for (uint32_t p = 0; p < 2; p++)
		f->facts.port[p] = (struct facts_port){
			.name = {'l', 'a', 'b', '-', (char)('a' + p)},
			.driver = "veth",
			.engine = ENGINE_XSK,
			.mode = MODE_COPY,
			.speed_bps = 10000000000ull,
			.speed_nominal = true,
			.queues = 2,
			.first_slot = 2 * p,
			.queue_id = {0, 1},
		};
	lab_at(f->baseline, 0);
	lab_at(f->before, 11);
	lab_at(f->now, 12);
	finish(f);
}

static void card_at(struct snapshot *s, uint64_t seconds)
{
	for (uint32_t slot = 0; slot < 16; slot++) {
		uint64_t frames = slot % 8 < 3 ? 12400000 * seconds / (slot % 8 + 1) : 0;
		struct queue_counters *q = &s->queue[slot];

		queue_fill(q, frames, slot < 8 ? 0 : frames, slot == 9 ? 77 * seconds : 0);
		q->gauge.thread = slot;
		q->gauge.cpu_ns = frames * 55;
	}
	s->queue[0].worker.given_up_late = 1500 * seconds;
	s->queue[0].worker.given_up_no_room = 20 * seconds;
	s->queue[1].socket.tx_invalid = 3 * seconds;
	s->queue[8].program.no_socket = 123456 * seconds;
	s->queue[8].program.passed = 40 * seconds;
	s->queue[8].program.refused_multicast = 5 * seconds;
	s->queue[10].socket.too_long = seconds;
	s->queue[10].worker.too_late = 2 * seconds;
	s->queue[10].worker.duplicate = 3 * seconds;
	s->queue[10].worker.stale = 4 * seconds;
	s->queue[10].worker.foreign = 6 * seconds;
	s->port[1].netdev.rx_missed = 98765432 + 1000 * seconds;
	s->port[0].netdev.tx_dropped = 12 * seconds;
	s->port[1].carrier = 0;
	if (seconds)
		hist_fill(&s->latency[1], 3400, 4000 * seconds);
}

void fixture_monitor_card(struct fixture_monitor *f)
{
	static const char *const names[] = {"fast:enp129s0f0np0", "fast:enp129s0f1np1"};

	*f = (struct fixture_monitor){
		.facts =
			{
				.command = "bench",
				.title = "bench fast:enp129s0f0np0 fast:enp129s0f1np1, 64-byte "
					 "frames",
				.frame_bytes = 64,
				.nports = 2,
				.nslots = 16,
			},
		.baseline = snapshot_make(16, 0),
		.before = snapshot_make(16, 11),
		.now = snapshot_make(16, 12),
	};
	for (uint32_t p = 0; p < 2; p++) {
		struct facts_port *port = &f->facts.port[p];

		strcpy(port->name, names[p]);
		strcpy(port->driver, "ice");
		port->engine = ENGINE_XSK;
		port->mode = MODE_ZERO_COPY;
		port->speed_bps = 25000000000ull;
		port->queues = 8;
		port->first_slot = 8 * p;
		for (uint32_t q = 0; q < 8; q++)
			port->queue_id[q] = q;
	}
	card_at(f->baseline, 0);
	card_at(f->before, 11);
	card_at(f->now, 12);
	finish(f);
}

void fixture_monitor_free(struct fixture_monitor *f)
{
	free(f->baseline);
	free(f->before);
	free(f->now);
}
