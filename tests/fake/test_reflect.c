// SPDX-License-Identifier: MIT
/* A sends, B turns the frames round, A counts what comes back. */
#include "rig.h"
#include <string.h>

#define FRAMES 20000u

static void plan_echo(struct rig *r, enum swap swap, uint64_t limit)
{
	struct plan send = rig_plan(r, 0), reflect = rig_plan(r, 1);

	send.tx = TX_GENERATE;
	send.limit = limit;
	send.expect_flags = STAMP_REPLY;
	reflect.rx = RX_REFLECT;
	reflect.rx_flows = 0;
	reflect.swap = swap;
	rig_prepare(r, 0, &send);
	rig_prepare(r, 1, &reflect);
}

/* What came out of the generator, turned round by hand. */
struct turned {
	enum swap swap;
	const uint8_t *template;
	uint64_t seen, wrong;
};

static void look_at_reply(void *ctx, const uint8_t *data, uint32_t len)
{
	struct turned *t = ctx;
	const uint8_t *was = t->template;
	uint8_t want[64];

	memcpy(want, data, 60); /* ports and stamp are the frame's own */
	memcpy(want, was + 6, 6);
	memcpy(want + 6, was, 6);
	memcpy(want + 12, was + 12, 14);
	memcpy(want + 26, was + (t->swap >= SWAP_L3 ? 30 : 26), 4);
	memcpy(want + 30, was + (t->swap >= SWAP_L3 ? 26 : 30), 4);
	t->seen++;
	t->wrong += len != 60 || memcmp(data, want, 60) || !frame_intact(data, len, STAMP_OFFSET) ||
		    !stamp_ok(data + STAMP_OFFSET) || !stamp_is_reply(data + STAMP_OFFSET);
}

/* Flows below 16384 have the destination port 0xc000. */
static void look_at_ports(void *ctx, const uint8_t *data, uint32_t len)
{
	struct turned *t = ctx;
	struct stamp stamp;
	const uint8_t *udp = data + FRAME_UDP_AT;
	uint32_t from, to;

	look_at_reply(ctx, data, len);
	stamp_get(data + STAMP_OFFSET, &stamp);
	from = FLOW_PORT_BASE | (t->swap == SWAP_L4 ? 0 : stamp.flow);
	to = FLOW_PORT_BASE | (t->swap == SWAP_L4 ? stamp.flow : 0);
	t->wrong += load_be16(udp) != from || load_be16(udp + 2) != to;
}

static void echo(uint32_t queues, uint32_t flows, enum swap swap, bool no_metadata)
{
	struct rig_spec spec = {.queues = queues, .flows = flows};
	struct rig *r = rig_open(&spec);
	struct turned t = {.swap = swap, .template = r->frame[0].data};
	struct worker_counters a, b;

	r->wire.port[0].no_metadata = r->wire.port[1].no_metadata = no_metadata;
	r->wire.link[1].tap = look_at_ports;
	r->wire.link[1].tap_ctx = &t;
	/* Without swapped addresses A would refuse its own frames, were it a reflector too. */
	plan_echo(r, swap, FRAMES / queues);
	rig_run(r, UINT32_MAX);
	a = rig_count(r, 0);
	b = rig_count(r, 1);
	assert_int_equal(t.seen, FRAMES);
	assert_int_equal(t.wrong, 0);
	assert_int_equal(b.received, FRAMES);
	assert_int_equal(b.matched, FRAMES);
	assert_int_equal(b.submitted, FRAMES);
	assert_int_equal(b.completed, FRAMES);
	assert_int_equal(b.submitted_bytes, FRAMES * 60ull);
	assert_int_equal(b.user_stamped, no_metadata ? FRAMES : 0);
	assert_int_equal(a.matched, FRAMES);
	assert_int_equal(a.foreign + a.stale + a.corrupt + a.reordered, 0);
	rig_check_truth(r, 0);
	for (uint32_t q = 0; q < queues; q++)
		assert_int_equal(fake_memory_holds(&r->memory[1][q], PLACE_FILL), 512);
	rig_close(r);
}

static void every_frame_comes_back_turned_round_and_marked(void **state)
{
	for (uint32_t queues = 1; queues <= 2; queues++)
		for (enum swap swap = SWAP_L2; swap <= SWAP_L4; swap++) {
			echo(queues, 10, swap, false);
			echo(queues, 10, swap, true);
		}
}

static void losses_on_both_ways_are_told_apart(void **state)
{
	struct rig_spec spec = {.queues = 2, .flows = 10};
	struct rig *r = rig_open(&spec);
	const struct fake_rule there = {.fault = FAULT_LOSE, .one_in = 100};
	const struct fake_rule back = {.fault = FAULT_LOSE, .one_in = 50};
	const struct fake_rule copy = {.fault = FAULT_DUPLICATE, .one_in = 70};
	struct worker_counters a, b;

	fake_link_rule(&r->wire.link[0], &there);
	fake_link_rule(&r->wire.link[1], &back);
	fake_link_rule(&r->wire.link[1], &copy);
	plan_echo(r, SWAP_L4, FRAMES / 2);
	rig_run(r, UINT32_MAX);
	a = rig_count(r, 0);
	b = rig_count(r, 1);
	assert_int_equal(b.matched, FRAMES - r->wire.link[0].fault[FAULT_LOSE]);
	assert_int_equal(a.matched, b.submitted - r->wire.link[1].fault[FAULT_LOSE]);
	assert_int_equal(a.duplicate, r->wire.link[1].fault[FAULT_DUPLICATE]);
	rig_check_truth(r, 0);
	rig_close(r);
}

/* Damaged, of another run: counted, not sent on, and the buffer is used again at once. */
static void damaged_and_stale_frames_are_given_back(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 3, .rx_frames = 64};
	struct rig *r = rig_open(&spec);
	const struct fake_rule hit = {
		.fault = FAULT_CORRUPT, .one_in = 3, .arg = STAMP_OFFSET + 5, .mask = 1};
	struct plan send;

	fake_link_rule(&r->wire.link[0], &hit);
	plan_echo(r, SWAP_L4, 2000);
	rig_run(r, UINT32_MAX);
	assert_int_equal(rig_count(r, 1).corrupt, r->wire.link[0].fault[FAULT_CORRUPT]);
	assert_int_equal(rig_count(r, 1).matched, 2000 - rig_count(r, 1).corrupt);
	assert_int_equal(rig_count(r, 0).matched, rig_count(r, 1).matched);

	r->wire.link[0].nrules = 0;
	send = rig_plan(r, 0);
	send.tx = TX_GENERATE;
	send.limit = 1000;
	send.run = RIG_RUN + 1;
	rig_prepare(r, 0, &send);
	rig_run(r, UINT32_MAX);
	assert_int_equal(rig_count(r, 1).stale, 1000);
	assert_int_equal(rig_count(r, 1).submitted, rig_count(r, 1).matched);
	assert_int_equal(fake_memory_holds(&r->memory[1][0], PLACE_FILL), 64);
	rig_close(r);
}

static void a_reflector_alone_takes_any_run(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 3};
	struct rig *r = rig_open(&spec);
	struct plan reflect = rig_plan(r, 1);

	plan_echo(r, SWAP_L4, 500);
	reflect.rx = RX_REFLECT;
	reflect.run = RIG_RUN + 9;
	reflect.any_run = true;
	rig_prepare(r, 1, &reflect);
	rig_run(r, UINT32_MAX);
	assert_int_equal(rig_count(r, 1).matched, 500);
	assert_int_equal(rig_count(r, 0).matched, 500);
	rig_close(r);
}

static void with_no_room_to_send_frames_wait_and_none_is_dropped(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 3};
	struct rig *r = rig_open(&spec);
	struct queue_io *io = r->queue[1][0].io;
	struct queue_gauges gauge;

	plan_echo(r, SWAP_L4, 500);
	io->tx.size = 64; /* of the 512 entries */
	io->completion.size = 32;
	r->queue[1][0].tx_mask = 63;
	io->hold_completions = true;
	for (int i = 0; i < 100; i++)
		rig_round(r, true);
	queue_gauges(&r->queue[1][0], &gauge);
	assert_int_equal(gauge.tx_ring, 64);
	assert_int_equal(rig_count(r, 1).submitted, 64 + 32);
	assert_int_equal(gauge.rx_ring, 500 - 64 - 32);
	io->hold_completions = false;
	rig_run(r, UINT32_MAX);
	assert_int_equal(rig_count(r, 1).submitted, 500);
	assert_int_equal(rig_count(r, 1).dropped_by_us, 0);
	assert_int_equal(rig_count(r, 0).matched, 500);
	rig_check_truth(r, 0);
	rig_close(r);
}

/* --- what must not be sent back is refused before it reaches the socket --- */

static void inject(struct rig *r, uint32_t at, const void *bytes, uint32_t n)
{
	uint8_t data[64];

	memcpy(data, r->frame[0].data, 60);
	memcpy(data + at, bytes, n);
	fake_wire_inject(&r->wire, 0, 0, data, 60);
}

static void frames_that_must_not_be_sent_back_never_come(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 1};
	struct rig *r = rig_open(&spec);
	struct program_counters p;
	uint8_t reply[64];

	plan_echo(r, SWAP_L4, 1);
	r->worker[0][0].sending = false;
	inject(r, 0, "\x01\x80\xc2\x00\x00\x0e", 6);
	inject(r, 0, "\x01\x00\x5e\x00\x00\x01", 6);
	inject(r, 0, "\xff\xff\xff\xff\xff\xff", 6);
	inject(r, 6, r->wire.port[1].match.mac, 6);
	memcpy(reply, r->frame[0].data, 60);
	stamp_set_reply(reply + STAMP_OFFSET);
	inject(r, 0, reply, 60);
	rig_drain(r);
	p = rig_program(r, 1);
	assert_int_equal(p.refused_link_local, 1);
	assert_int_equal(p.refused_multicast, 2);
	assert_int_equal(p.refused_source, 1);
	assert_int_equal(p.refused_reply, 1);
	assert_int_equal(p.passed, 5);
	assert_int_equal(rig_count(r, 1).received, 0);
	rig_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_frame_comes_back_turned_round_and_marked),
		cmocka_unit_test(losses_on_both_ways_are_told_apart),
		cmocka_unit_test(damaged_and_stale_frames_are_given_back),
		cmocka_unit_test(a_reflector_alone_takes_any_run),
		cmocka_unit_test(with_no_room_to_send_frames_wait_and_none_is_dropped),
		cmocka_unit_test(frames_that_must_not_be_sent_back_never_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
