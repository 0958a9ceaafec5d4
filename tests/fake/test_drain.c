// SPDX-License-Identifier: MIT
/* Stopping at any moment: no frame is lost, none has two owners, all come home. */
#include "rig.h"
#include <string.h>

static void check_home(const struct rig *r, uint32_t port)
{
	for (uint32_t q = 0; q < r->spec.queues; q++) {
		const struct fake_memory *m = &r->memory[port][q];

		assert_int_equal(r->queue[port][q].nfree, r->spec.tx_frames);
		assert_int_equal(fake_memory_holds(m, PLACE_USER), r->spec.tx_frames);
		assert_int_equal(fake_memory_holds(m, PLACE_FILL), r->spec.rx_frames);
	}
}

/* The stack and the four rings and the kernel hold every frame, between any two rounds. */
static void check_conserved(struct rig *r, uint32_t port)
{
	for (uint32_t q = 0; q < r->spec.queues; q++) {
		uint32_t in_kernel = fake_memory_holds(&r->memory[port][q], PLACE_KERNEL);

		assert_int_equal(queue_frames_accounted(&r->queue[port][q]) + in_kernel,
				 r->spec.rx_frames + r->spec.tx_frames);
	}
}

static void stop_after(uint32_t rounds, uint32_t tx_budget, bool hold, bool both)
{
	struct rig_spec spec = {.queues = 2, .flows = 7, .ring = 128, .tx_frames = 200};
	struct rig *r = rig_open(&spec);
	struct plan send[2] = {rig_plan(r, 0), rig_plan(r, 1)};

	for (uint32_t port = 0; port < 2; port++) {
		send[port].tx = port && !both ? TX_NONE : TX_GENERATE;
		rig_prepare(r, port, &send[port]);
		for (uint32_t q = 0; q < 2; q++) {
			r->queue[port][q].io->tx_budget = tx_budget;
			r->queue[port][q].io->hold_completions = hold;
		}
	}
	for (uint32_t i = 0; i < rounds; i++) {
		rig_round(r, true);
		check_conserved(r, 0);
		check_conserved(r, 1);
	}
	if (hold)
		assert_true(r->queue[0][0].outstanding > 0);
	for (uint32_t port = 0; port < 2; port++)
		for (uint32_t q = 0; q < 2; q++)
			r->queue[port][q].io->hold_completions = false;
	rig_drain(r);
	check_home(r, 0);
	check_home(r, 1);
	for (uint32_t port = 0; port < (both ? 2u : 1u); port++) {
		assert_int_equal(rig_count(r, port).submitted, rig_count(r, port).completed);
		assert_int_equal(rig_count(r, 1 - port).matched, rig_count(r, port).submitted);
		rig_check_truth(r, 1 - port);
	}
	rig_close(r);
}

static void stopped_at_any_round_everything_comes_home(void **state)
{
	for (uint32_t rounds = 1; rounds < 40; rounds++)
		stop_after(rounds, 1 + rounds % 50, false, rounds & 1);
}

static void stopped_while_the_kernel_holds_frames_they_still_come_home(void **state)
{
	for (uint32_t rounds = 1; rounds < 40; rounds++)
		stop_after(rounds, 1 + rounds % 13, true, rounds & 1);
}

/* The receiver does not run for a while: what does not fit is counted by the socket, to the frame.
 */
static void frames_that_find_no_room_are_in_the_sockets_rows(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 1, .rx_frames = 256, .ring = 128};
	struct rig *r = rig_open(&spec);
	const struct socket_counters *s = &r->queue[1][0].io->stats;
	struct worker *a = &r->worker[0][0];

	rig_a_to_b(r, 0, 1000);
	while (a->sending)
		(void)worker_round(a, RIG_START, true);
	rig_drain(r);
	assert_int_equal(rig_count(r, 1).matched, 128);
	assert_int_equal(s->ring_full, 1000 - 128);
	assert_int_equal(s->fill_empty, 0);
	assert_int_equal(rig_program(r, 1).redirected, 1000);
	check_home(r, 0);
	check_home(r, 1);
	rig_close(r);
}

static void a_dry_fill_ring_is_in_its_own_row(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 1, .rx_frames = 64, .ring = 512};
	struct rig *r = rig_open(&spec);
	const struct socket_counters *s = &r->queue[1][0].io->stats;
	struct worker *a = &r->worker[0][0];

	rig_a_to_b(r, 0, 1000);
	while (a->sending)
		(void)worker_round(a, RIG_START, true);
	rig_drain(r);
	assert_int_equal(rig_count(r, 1).matched, 64);
	assert_int_equal(s->fill_empty, 1000 - 64);
	assert_int_equal(s->ring_full, 0);
	rig_close(r);
}

static void a_frame_longer_than_the_buffer_is_in_its_own_row(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 1};
	struct rig *r = rig_open(&spec);
	struct plan count = rig_plan(r, 1);
	uint8_t data[1800] = {0};

	rig_prepare(r, 1, &count);
	memcpy(data, r->frame[0].data, 60);
	fake_wire_inject(&r->wire, 0, 0, data, 1792);
	fake_wire_inject(&r->wire, 0, 0, data, 1793);
	rig_drain(r);
	assert_int_equal(rig_count(r, 1).received, 1);
	assert_int_equal(r->queue[1][0].io->stats.too_long, 1);
	rig_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stopped_at_any_round_everything_comes_home),
		cmocka_unit_test(stopped_while_the_kernel_holds_frames_they_still_come_home),
		cmocka_unit_test(frames_that_find_no_room_are_in_the_sockets_rows),
		cmocka_unit_test(a_dry_fill_ring_is_in_its_own_row),
		cmocka_unit_test(a_frame_longer_than_the_buffer_is_in_its_own_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
