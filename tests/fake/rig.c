// SPDX-License-Identifier: MIT
#include "rig.h"
#include "core/stats.h"
#include "io/clock.h"
#include <stdlib.h>
#include <string.h>

#define CHUNK	    2048
#define IDLE_ROUNDS 16 /* so often nothing moved: nothing will */

static const uint8_t macs[2][6] = {{0x02, 0, 0, 0, 0, 0x0a}, {0x02, 0, 0, 0, 0, 0x0b}};

static void open_queue(struct rig *r, uint32_t port, uint32_t q)
{
	struct fake_queue_spec spec = {
		.memory = &r->memory[port][q],
		.port = &r->wire.port[port],
		.index = q,
		.parts = 1,
		.rx_frames = r->spec.rx_frames,
		.tx_frames = r->spec.tx_frames,
		.rx_ring = r->spec.ring,
		.tx_ring = r->spec.ring,
	};
	uint32_t chunk = r->spec.frame_bytes > CHUNK - UMEM_HEADROOM ? 2 * CHUNK : CHUNK;

	assert_int_equal(fake_memory_map(spec.memory, spec.rx_frames + spec.tx_frames, chunk), 0);
	assert_int_equal(fake_queue_open(&r->queue[port][q], &spec), 0);
	r->wire.port[port].queue[q] = &r->queue[port][q];
	r->worker[port][q] = (struct worker){
		.queue = &r->queue[port][q],
		.out = &r->queue[port][q],
		.count = &r->slot[port][q].worker,
		.out_count = &r->slot[port][q].worker,
		.latency = &r->latency[port][q],
		.lateness = &r->lateness[port][q],
		.port = port,
		.run_seen = &r->run_seen[port],
	};
}

static void open_port(struct rig *r, uint32_t side)
{
	struct fake_port *port = &r->wire.port[side];
	struct frame_spec spec = {
		.src_ip = side ? FRAME_NET_B : FRAME_NET_A,
		.dst_ip = side ? FRAME_NET_A : FRAME_NET_B,
		.frame_bytes = r->spec.frame_bytes,
	};

	memcpy(spec.src_mac, macs[side], 6);
	memcpy(spec.dst_mac, macs[1 - side], 6);
	assert_int_equal(frame_build(&spec, &r->frame[side]), 0);
	port->queues = r->spec.queues;
	port->slot = r->slot[side];
	port->phase = STEER_COUNT;
	port->match = (struct match_config){
		.stamp_offset = {STAMP_OFFSET, STAMP_OFFSET + 4},
		.net_a = FRAME_NET_A,
		.net_b = FRAME_NET_B,
	};
	memcpy(port->match.mac, macs[side], 6);
	for (uint32_t q = 0; q < r->spec.queues; q++)
		open_queue(r, side, q);
}

struct rig *rig_open(const struct rig_spec *spec)
{
	struct rig *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->spec = *spec;
	r->spec.rx_frames = spec->rx_frames ? spec->rx_frames : 512;
	r->spec.tx_frames = spec->tx_frames ? spec->tx_frames : 512;
	r->spec.ring = spec->ring ? spec->ring : 512;
	r->spec.burst = spec->burst ? spec->burst : 64;
	r->spec.window_bits = spec->window_bits ? spec->window_bits : 1024;
	r->spec.frame_bytes = spec->frame_bytes ? spec->frame_bytes : 64;
	r->step_ns = 10000;
	fake_clock_set(RIG_START);
	fake_log_clear();
	fake_wire_init(&r->wire);
	for (uint32_t side = 0; side < 2; side++) {
		r->wire.link[side].window_bits = r->spec.window_bits;
		open_port(r, side);
	}
	return r;
}

void rig_close(struct rig *r)
{
	uint32_t all = r->spec.rx_frames + r->spec.tx_frames;

	for (uint32_t side = 0; side < 2; side++) {
		for (uint32_t q = 0; q < r->spec.queues; q++) {
			struct queue *queue = &r->queue[side][q];

			assert_int_equal(queue_frames_accounted(queue), all);
			worker_done(&r->worker[side][q]);
			queue_close(queue);
			fake_memory_unmap(&r->memory[side][q]);
		}
	}
	fake_wire_free(&r->wire);
	free(r);
	assert_int_equal(fake_complaints(), 0);
}

struct plan rig_plan(const struct rig *r, uint32_t port)
{
	return (struct plan){
		.tx = TX_NONE,
		.rx = RX_COUNT,
		.run = RIG_RUN,
		.send_flags = port ? STAMP_FROM_B : 0,
		.expect_flags = port ? 0 : STAMP_FROM_B,
		.burst = r->spec.burst,
		.rx_flows = r->spec.flows,
		.window_bits = r->spec.window_bits,
		.swap = SWAP_L4,
		.set_reply = true,
		.match = &r->wire.port[port].match,
		.frame = &r->frame[port],
		.flows = r->spec.flows,
		.tx_queues = r->spec.queues,
		.limit = UINT64_MAX,
	};
}

void rig_prepare(struct rig *r, uint32_t port, const struct plan *plan)
{
	r->wire.port[port].phase = plan->rx == RX_REFLECT ? STEER_REFLECT : STEER_COUNT;
	for (uint32_t q = 0; q < r->spec.queues; q++) {
		struct plan one = *plan;

		one.tx_index = q;
		assert_int_equal(worker_prepare(&r->worker[port][q], &one), 0);
		worker_start(&r->worker[port][q], clock_now(), UINT64_MAX);
	}
}

void rig_a_to_b(struct rig *r, double pps, uint64_t limit)
{
	struct plan send = rig_plan(r, 0), count = rig_plan(r, 1);

	send.tx = TX_GENERATE;
	send.pps = pps;
	send.limit = limit;
	rig_prepare(r, 0, &send);
	rig_prepare(r, 1, &count);
}

uint32_t rig_round(struct rig *r, bool generate)
{
	uint32_t n = 0;

	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t q = 0; q < r->spec.queues; q++)
			if (!r->worker[side][q].error)
				n += worker_round(&r->worker[side][q], clock_now(), generate);
	n += fake_wire_pump(&r->wire);
	fake_clock_advance(r->step_ns);
	return n;
}

static bool anyone_sends(const struct rig *r)
{
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t q = 0; q < r->spec.queues; q++)
			if (r->worker[side][q].sending && !r->worker[side][q].error)
				return true;
	return false;
}

void rig_drain(struct rig *r)
{
	for (uint32_t idle = 0; idle < IDLE_ROUNDS; idle++)
		if (rig_round(r, false))
			idle = 0;
}

void rig_run(struct rig *r, uint32_t max_rounds)
{
	for (uint32_t i = 0; i < max_rounds && anyone_sends(r); i++)
		rig_round(r, true);
	rig_drain(r);
}

struct worker_counters rig_count(const struct rig *r, uint32_t port)
{
	struct worker_counters sum = {};

	for (uint32_t q = 0; q < r->spec.queues; q++)
		worker_counters_add(&sum, &r->slot[port][q].worker);
	return sum;
}

struct program_counters rig_program(const struct rig *r, uint32_t port)
{
	struct program_counters sum = {};

	for (uint32_t q = 0; q < r->spec.queues; q++)
		program_counters_add(&sum, &r->slot[port][q].program);
	return sum;
}

struct window rig_window(const struct rig *r, uint32_t port, uint32_t flow)
{
	struct window sum = {};

	for (uint32_t q = 0; q < r->spec.queues; q++) {
		const struct window *w = worker_window(&r->worker[port][q], flow);

		if (!w)
			continue;
		sum.unique += w->unique;
		sum.duplicate += w->duplicate;
		sum.reordered += w->reordered;
		sum.too_late += w->too_late;
		sum.corrupt += w->corrupt;
	}
	return sum;
}

static void check_flow(const struct rig *r, uint32_t port, uint32_t flow)
{
	const struct fake_flow *f = fake_link_flow(&r->wire.link[1 - port], flow);
	struct window w = rig_window(r, port, flow);

	assert_int_equal(w.unique, f->unique);
	assert_int_equal(w.duplicate, f->duplicate);
	assert_int_equal(w.reordered, f->reordered);
	assert_int_equal(w.too_late, f->late);
	assert_int_equal(w.corrupt, f->corrupt);
}

void rig_check_truth(struct rig *r, uint32_t port)
{
	struct fake_link *l = &r->wire.link[1 - port];
	const struct fake_flow *truth = fake_link_sum(l);
	struct worker_counters count = rig_count(r, port);

	assert_int_equal(count.received, l->delivered);
	assert_int_equal(count.matched, truth->unique);
	assert_int_equal(count.duplicate, truth->duplicate);
	assert_int_equal(count.reordered, truth->reordered);
	assert_int_equal(count.too_late, truth->late);
	assert_int_equal(count.corrupt, truth->corrupt);
	assert_int_equal(count.retagged, l->fault[FAULT_RETAG]);
	assert_int_equal(count.dropped_by_us, 0);
	for (uint32_t flow = 0; flow < r->spec.flows; flow++)
		check_flow(r, port, flow);
}
