/* SPDX-License-Identifier: MIT */
/* abi/flow.h: which frame of a queue has which flow and number. */
#include "abi/flow.h"
#include "unit.h"

static void shares_add_up_to_all_flows(void **state)
{
	for (uint32_t flows = 1; flows < 200; flows++)
		for (uint32_t queues = 1; queues <= 64; queues++) {
			uint32_t sum = 0;

			for (uint32_t q = 0; q < queues; q++)
				sum += flow_share(flows, q, queues);
			assert_int_equal(sum, flows);
		}
}

static void a_queue_walks_its_own_flows_in_turn(void **state)
{
	static const uint32_t want[][2] = {/* flow, seq of 7 flows on queue 1 of 3 */
					   {1, 0},
					   {4, 0},
					   {1, 1},
					   {4, 1},
					   {1, 2}};
	struct flow_walk w;

	flow_walk_init(&w, 7, 1, 3);
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_int_equal(w.flow, want[i][0]);
		assert_int_equal(w.seq, want[i][1]);
		flow_walk_next(&w);
	}
}

static void one_flow_counts_up_alone(void **state)
{
	struct flow_walk w;

	flow_walk_init(&w, 1, 0, 1);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(w.flow, 0);
		assert_int_equal(w.seq, i);
		flow_walk_next(&w);
	}
}

/* Frame i of a queue with n flows: flow number i mod n of its flows, sequence i / n. */
static void frame_i_is_known_by_arithmetic(void **state)
{
	uint64_t seed = 1;

	for (int round = 0; round < 300; round++) {
		uint32_t queues = 1 + (uint32_t)(next_random(&seed) % 64);
		uint32_t flows = 1 + (uint32_t)(next_random(&seed) % 500);
		uint32_t q = (uint32_t)(next_random(&seed) % queues);
		uint32_t share = flow_share(flows, q, queues);
		struct flow_walk w;

		flow_walk_init(&w, flows, q, queues);
		for (uint32_t i = 0; share && i < 3 * share + 5; i++) {
			assert_int_equal(w.flow, q + i % share * queues);
			assert_int_equal(w.seq, i / share);
			assert_true(w.flow < flows);
			assert_int_equal(w.flow % queues, q);
			flow_walk_next(&w);
		}
	}
}

static void a_queue_beyond_the_flows_owns_none(void **state)
{
	assert_int_equal(flow_share(3, 2, 8), 1);
	assert_int_equal(flow_share(3, 3, 8), 0);
	assert_int_equal(flow_share(3, 7, 8), 0);
}

static void sequence_numbers_wrap(void **state)
{
	struct flow_walk w;

	flow_walk_init(&w, 2, 0, 1);
	w.seq = UINT32_MAX;
	flow_walk_next(&w);
	assert_int_equal(w.seq, UINT32_MAX);
	flow_walk_next(&w);
	assert_int_equal(w.flow, 0);
	assert_int_equal(w.seq, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_add_up_to_all_flows),
		cmocka_unit_test(a_queue_walks_its_own_flows_in_turn),
		cmocka_unit_test(one_flow_counts_up_alone),
		cmocka_unit_test(frame_i_is_known_by_arithmetic),
		cmocka_unit_test(a_queue_beyond_the_flows_owns_none),
		cmocka_unit_test(sequence_numbers_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
