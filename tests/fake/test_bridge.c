// SPDX-License-Identifier: MIT
/*
 * Port to port: G0 === D0 D1 === G1. What comes in on D0 goes out on D1 from the same memory, and
 * its buffer returns to D0's fill ring; and the other way round at the same time.
 */
#include "rig.h"

#define FRAMES 20000u

/* left: G0 is port 0, D0 port 1. right: D1 is port 0, G1 port 1. */
struct bridge {
	struct rig *left, *right;
};

/* The two sockets of a pair register one memory: part 0 is D0's, part 1 is D1's. */
static void share_memory(struct bridge *b, uint32_t q)
{
	struct fake_memory *m = &b->left->memory[1][q];
	struct queue *d0 = &b->left->queue[1][q], *d1 = &b->right->queue[0][q];
	struct fake_queue_spec spec = {.memory = m,
				       .port = &b->left->wire.port[1],
				       .index = q,
				       .parts = 2,
				       .rx_frames = 512,
				       .tx_frames = 512,
				       .rx_ring = 512,
				       .tx_ring = 512};

	queue_close(d0);
	queue_close(d1);
	fake_memory_unmap(m);
	fake_memory_unmap(&b->right->memory[0][q]);
	assert_int_equal(fake_memory_map(m, 2048, 2048), 0);
	assert_int_equal(fake_queue_open(d0, &spec), 0);
	spec.port = &b->right->wire.port[0];
	spec.part = 1;
	assert_int_equal(fake_queue_open(d1, &spec), 0);
	d0->owner[1] = d1->owner[1] = d1;
	d0->owner[0] = d1->owner[0] = d0;
	b->left->worker[1][q].out = d1;
	b->left->worker[1][q].out_count = &b->right->slot[0][q].worker;
	b->right->worker[0][q].out = d0;
	b->right->worker[0][q].out_count = &b->left->slot[1][q].worker;
}

static struct bridge bridge_open(uint32_t queues, uint32_t flows)
{
	struct rig_spec spec = {.queues = queues, .flows = flows};
	struct bridge b = {rig_open(&spec), rig_open(&spec)};
	struct plan reflect = rig_plan(b.left, 1);

	for (uint32_t q = 0; q < queues; q++)
		share_memory(&b, q);
	reflect.rx = RX_REFLECT;
	reflect.swap = SWAP_NONE;
	reflect.set_reply = false;
	reflect.any_run = true;
	reflect.rx_flows = 0;
	rig_prepare(b.left, 1, &reflect);
	reflect.match = &b.right->wire.port[0].match;
	rig_prepare(b.right, 0, &reflect);
	return b;
}

static void bridge_close(struct bridge *b)
{
	/* Before the memory goes, which is the left one's: nothing is anywhere but at home. */
	for (uint32_t q = 0; q < b->left->spec.queues; q++) {
		assert_int_equal(fake_memory_holds(&b->left->memory[1][q], PLACE_FILL), 1024);
		assert_int_equal(fake_memory_holds(&b->left->memory[1][q], PLACE_USER), 1024);
		assert_int_equal(b->left->queue[1][q].nfree, 512);
		assert_int_equal(b->right->queue[0][q].nfree, 512);
	}
	rig_close(b->left);
	rig_close(b->right);
}

/* The outer ends generate and count; the inner ports forward. */
static void plan_ends(struct bridge *b, uint64_t limit)
{
	struct plan g0 = rig_plan(b->left, 0), g1 = rig_plan(b->right, 1);

	g0.tx = g1.tx = TX_GENERATE;
	g0.limit = g1.limit = limit;
	rig_prepare(b->left, 0, &g0);
	rig_prepare(b->right, 1, &g1);
}

static void bridge_run(struct bridge *b, uint32_t rounds)
{
	for (uint32_t i = 0, idle = 0; i < rounds && idle < 32; i++)
		if (rig_round(b->left, true) + rig_round(b->right, true))
			idle = 0;
		else
			idle++;
}

/* A digest of all that is put on a link, in order. */
struct digest {
	uint64_t sum, frames;
};

static void digest_frame(void *ctx, const uint8_t *data, uint32_t len)
{
	struct digest *d = ctx;

	d->sum = d->sum * 0x100000001b3ull + fake_sum(data, len);
	d->frames++;
}

static void forward(uint32_t queues)
{
	struct bridge b = bridge_open(queues, 12);
	struct digest in = {}, out = {};
	struct worker_counters d0, d1;

	b.left->wire.link[0].tap = b.right->wire.link[0].tap = digest_frame;
	b.left->wire.link[0].tap_ctx = &in;
	b.right->wire.link[0].tap_ctx = &out;
	plan_ends(&b, FRAMES / queues);
	bridge_run(&b, UINT32_MAX);
	d0 = rig_count(b.left, 1);
	d1 = rig_count(b.right, 0);
	assert_int_equal(d0.received, FRAMES);
	assert_int_equal(d0.matched, FRAMES);
	assert_int_equal(d1.submitted, FRAMES);
	assert_int_equal(d1.completed, FRAMES);
	assert_int_equal(d1.received, FRAMES);
	assert_int_equal(d0.submitted, FRAMES);
	assert_int_equal(d0.completed, FRAMES);
	assert_int_equal(rig_count(b.right, 1).matched, FRAMES);
	assert_int_equal(rig_count(b.left, 0).matched, FRAMES);
	assert_int_equal(out.frames, FRAMES);
	if (queues == 1) /* more of them may overtake one another */
		assert_int_equal(out.sum, in.sum);
	rig_check_truth(b.right, 1);
	rig_check_truth(b.left, 0);
	bridge_close(&b);
}

static void frames_go_through_unchanged_both_ways_at_once(void **state)
{
	forward(1);
	forward(2);
}

static void a_stalled_far_side_holds_frames_back_and_loses_none(void **state)
{
	struct bridge b = bridge_open(1, 5);
	struct queue_io *d1 = b.right->queue[0][0].io;

	b.right->wire.port[0].queue[0]->io->hold_completions = true;
	plan_ends(&b, 400);
	bridge_run(&b, 200);
	/* D0's frames are out on the cable and in D1's kernel; they are still D0's. */
	assert_int_equal(rig_count(b.right, 0).submitted, 400);
	assert_int_equal(rig_count(b.right, 0).completed, 0);
	assert_int_equal(fake_memory_holds(&b.left->memory[1][0], PLACE_KERNEL), 400);
	assert_int_equal(queue_frames_accounted(&b.left->queue[1][0]), 1024 - 400);
	d1->hold_completions = false;
	bridge_run(&b, UINT32_MAX);
	assert_int_equal(rig_count(b.right, 0).completed, 400);
	assert_int_equal(rig_count(b.right, 1).matched, 400);
	assert_int_equal(rig_count(b.left, 0).matched, 400);
	bridge_close(&b);
}

static void the_receiving_port_pays_for_what_the_far_side_keeps(void **state)
{
	struct bridge b = bridge_open(1, 5);
	const struct socket_counters *s = &b.left->queue[1][0].io->stats;

	b.right->queue[0][0].io->hold_completions = true;
	plan_ends(&b, 2000);
	bridge_run(&b, 2000);
	b.right->queue[0][0].io->hold_completions = false;
	bridge_run(&b, UINT32_MAX);
	assert_true(s->fill_empty > 0);
	assert_int_equal(rig_count(b.right, 1).matched, 2000 - s->fill_empty);
	assert_int_equal(rig_count(b.left, 1).dropped_by_us, 0);
	bridge_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_go_through_unchanged_both_ways_at_once),
		cmocka_unit_test(a_stalled_far_side_holds_frames_back_and_loses_none),
		cmocka_unit_test(the_receiving_port_pays_for_what_the_far_side_keeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
