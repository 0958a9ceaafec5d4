// SPDX-License-Identifier: MIT
/* The generator against a kernel that has no room, says "again", or whose clock jumps. */
#include "rig.h"
#include <errno.h>

#define MEGA   1e6
#define MILLI  1000000ull
#define SECOND 1000000000ull

static struct rig *open_sender(uint32_t ring, double pps, uint64_t limit)
{
	struct rig_spec spec = {.queues = 1, .flows = 3, .ring = ring};
	struct rig *r = rig_open(&spec);

	rig_a_to_b(r, pps, limit);
	fake_clock_advance(
		1); /* a frame is never sent early: round i asks for those up to i * step */
	return r;
}

static struct worker_counters *sender(struct rig *r)
{
	return &r->slot[0][0].worker;
}

static void check_all_arrived(struct rig *r, uint64_t n)
{
	assert_int_equal(sender(r)->submitted, n);
	assert_int_equal(sender(r)->completed, n);
	assert_int_equal(r->queue[0][0].outstanding, 0);
	assert_int_equal(r->queue[0][0].nfree, r->spec.tx_frames);
	assert_int_equal(rig_count(r, 1).matched, n);
	rig_check_truth(r, 1);
}

/* wanted = given up + submitted, and nothing is left due. */
static void check_identity(const struct worker_counters *c)
{
	assert_int_equal(c->wanted, c->given_up_late + c->given_up_no_room + c->submitted);
}

/* --- room --- */

static void a_small_ring_slows_down_but_loses_nothing(void **state)
{
	struct rig *r = open_sender(64, 0, 5000);

	rig_run(r, UINT32_MAX);
	check_all_arrived(r, 5000);
	rig_close(r);
}

static void without_completions_it_waits_and_then_goes_on(void **state)
{
	struct rig *r = open_sender(64, 0, 5000);
	struct queue_io *io = r->queue[0][0].io;

	io->hold_completions = true;
	for (int i = 0; i < 100; i++)
		rig_round(r, true);
	/* As many as the completion ring has places for went out, a ring full of others waits. */
	assert_int_equal(sender(r)->submitted, 64 + 64);
	assert_int_equal(sender(r)->completed, 0);
	assert_int_equal(rig_count(r, 1).matched, 64);
	io->hold_completions = false;
	rig_run(r, UINT32_MAX);
	check_all_arrived(r, 5000);
	rig_close(r);
}

static void when_frames_run_out_it_takes_completions_first(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 1, .ring = 512, .tx_frames = 96};
	struct rig *r = rig_open(&spec);

	rig_a_to_b(r, 0, 5000);
	rig_run(r, UINT32_MAX);
	check_all_arrived(r, 5000);
	rig_close(r);
}

static void what_had_no_room_in_time_is_given_up_as_no_room(void **state)
{
	struct rig *r = open_sender(64, MEGA, UINT64_MAX);
	struct queue_io *io = r->queue[0][0].io;
	struct worker_counters *c = sender(r);

	io->hold_completions = true;
	for (int i = 0; i < 10000; i++) /* 100 ms: 100,000 frames, of which 10 ms may be late */
		rig_round(r, true);
	assert_int_equal(c->submitted, 128);
	assert_int_equal(c->given_up_late, 0);
	assert_int_equal(c->wanted, 99990 + 1);
	assert_int_equal(c->given_up_no_room, c->wanted - 128 - 10000);
	io->hold_completions = false;
	r->step_ns = 0;
	while (rig_round(r, true))
		;
	check_identity(c);
	rig_drain(r);
	check_all_arrived(r, 128 + 10000);
	rig_close(r);
}

/* --- kicks --- */

static void kicks_that_ask_for_patience_lose_nothing(void **state)
{
	static const int errors[] = {-EAGAIN, -EBUSY, -ENOBUFS, -ENETDOWN};

	for (uint32_t i = 0; i < ARRAY_LEN(errors); i++) {
		struct rig *r = open_sender(512, 0, 5000);
		struct queue_io *io = r->queue[0][0].io;

		io->tx_budget = 512; /* so that nothing else answers "again" */
		io->kick_error = errors[i];
		io->kick_errors = 100;
		rig_run(r, UINT32_MAX);
		check_all_arrived(r, 5000);
		assert_int_equal(io->kick_errors, 0);
		assert_int_equal(sender(r)->kicks, io->kicks);
		assert_int_equal(sender(r)->kicks_again, 100);
		assert_int_equal(r->worker[0][0].error, 0);
		rig_close(r);
	}
}

static void check_kicks_of_a_round(int error, uint64_t kicks)
{
	struct rig *r = open_sender(512, 0, 64);
	struct queue_io *io = r->queue[0][0].io;

	io->kick_error = error;
	io->kick_errors = UINT32_MAX;
	rig_round(r, true);
	assert_int_equal(sender(r)->submitted, 64);
	assert_int_equal(io->kicks, kicks);
	io->kick_errors = 0;
	rig_drain(r);
	check_all_arrived(r, 64);
	rig_close(r);
}

static void a_kick_is_repeated_only_while_the_kernel_says_again_within_bounds(void **state)
{
	check_kicks_of_a_round(-EAGAIN, 16);
	check_kicks_of_a_round(-EBUSY, 1);
	check_kicks_of_a_round(-ENETDOWN, 1);
}

static void a_socket_that_is_gone_is_an_error(void **state)
{
	static const int errors[] = {-ENXIO, -EINVAL, -EBADF};

	for (uint32_t i = 0; i < ARRAY_LEN(errors); i++) {
		struct rig *r = open_sender(512, 0, 5000);
		struct queue_io *io = r->queue[0][0].io;

		rig_round(r, true);
		io->kick_error = errors[i];
		io->kick_errors = UINT32_MAX;
		rig_run(r, UINT32_MAX);
		assert_int_equal(r->worker[0][0].error, errors[i]);
		assert_true(sender(r)->submitted < 5000);
		assert_int_equal(fake_link_sum(&r->wire.link[0])->sent, 64);
		rig_close(r);
	}
}

static void a_missed_wake_up_is_made_up_for_by_the_tail_kick(void **state)
{
	struct rig *r = open_sender(512, 0, 200);
	struct queue_io *io = r->queue[0][0].io;

	io->flag_lies = true;
	io->tx_budget = 512;
	rig_run(r, UINT32_MAX);
	check_all_arrived(r, 200);
	assert_in_range(io->kicks, 1, 4);
	rig_close(r);
}

static void a_driver_that_polls_is_not_kicked_while_frames_come_back(void **state)
{
	struct rig *r = open_sender(512, 0, 5000);

	r->queue[0][0].io->driver_polls = true;
	rig_run(r, UINT32_MAX);
	check_all_arrived(r, 5000);
	assert_in_range(r->queue[0][0].io->kicks, 0, 1); /* at the start, to be sure */
	rig_close(r);
}

/* --- time --- */

static void frames_go_out_when_they_are_due(void **state)
{
	struct rig *r = open_sender(512, 100000, 50); /* one per 10 us, as the clock steps */
	const struct hist *late = &r->lateness[0][0];

	for (uint64_t i = 0; i < 50; i++) {
		assert_int_equal(worker_next_ns(&r->worker[0][0], true),
				 RIG_START + i * 10000 + (i > 0));
		assert_int_equal(worker_next_ns(&r->worker[0][0], false), UINT64_MAX);
		rig_round(r, true);
		assert_int_equal(sender(r)->submitted, i + 1);
	}
	assert_int_equal(worker_next_ns(&r->worker[0][0], true), UINT64_MAX);
	assert_int_equal(late->count, 50);
	assert_int_equal(late->max, 1); /* the first: the clock stood 1 ns behind the start */
	assert_int_equal(late->sum, 1);
	rig_drain(r);
	check_all_arrived(r, 50);
	rig_close(r);
}

static void nothing_is_sent_before_the_start(void **state)
{
	struct rig *r = open_sender(512, 0, 100);

	worker_start(&r->worker[0][0], RIG_START + 3 * r->step_ns, UINT64_MAX);
	for (int i = 0; i < 3; i++) {
		rig_round(r, true);
		assert_int_equal(sender(r)->submitted, 0);
	}
	rig_run(r, UINT32_MAX);
	check_all_arrived(r, 100);
	rig_close(r);
}

static void a_clock_that_jumps_a_second_gives_up_all_but_the_cap(void **state)
{
	struct rig *r = open_sender(512, MEGA, UINT64_MAX);
	struct worker_counters *c = sender(r);

	for (int i = 0; i < 100; i++) /* 1 ms */
		rig_round(r, true);
	assert_int_equal(c->wanted, 991);
	check_identity(c);
	fake_clock_advance(SECOND);
	rig_round(r, true);
	assert_int_equal(c->given_up_late, 1001001 - 991 - 10000);
	r->step_ns = 0;
	while (rig_round(r, true))
		;
	assert_int_equal(c->given_up_no_room, 0);
	assert_int_equal(c->submitted, 991 + 10000 + 10);
	check_identity(c);
	assert_in_range(r->lateness[0][0].max, 9 * MILLI, 11 * MILLI);
	rig_drain(r);
	check_all_arrived(r, 991 + 10000 + 10);
	rig_close(r);
}

static void a_limit_is_kept_though_frames_were_given_up(void **state)
{
	struct rig *r = open_sender(512, MEGA, 20000);
	struct worker_counters *c = sender(r);

	for (int i = 0; i < 100; i++)
		rig_round(r, true);
	fake_clock_advance(SECOND);
	rig_run(r, UINT32_MAX);
	check_all_arrived(r, 20000);
	assert_true(c->given_up_late > 900000);
	check_identity(c);
	rig_close(r);
}

static void a_clock_that_stands_still_asks_for_nothing_more(void **state)
{
	struct rig *r = open_sender(512, MEGA, UINT64_MAX);
	struct worker_counters *c = sender(r);

	for (int i = 0; i < 100; i++)
		rig_round(r, true);
	r->step_ns = 0;
	for (int i = 0; i < 100; i++)
		rig_round(r, true);
	assert_int_equal(c->submitted, 1001);
	check_identity(c);
	assert_true(worker_next_ns(&r->worker[0][0], true) > RIG_START + MILLI);
	rig_drain(r);
	rig_close(r);
}

static void wanted_goes_on_from_trial_to_trial(void **state)
{
	struct rig *r = open_sender(512, MEGA, 3000);

	rig_run(r, UINT32_MAX);
	assert_int_equal(sender(r)->wanted, 3000);
	rig_a_to_b(r, MEGA, 1000);
	rig_run(r, UINT32_MAX);
	assert_int_equal(sender(r)->wanted, 4000);
	check_identity(sender(r));
	rig_close(r);
}

static void the_span_of_a_burst_is_known_at_the_next_round(void **state)
{
	struct rig *r = open_sender(512, 0, 64);

	rig_round(r, true);
	assert_int_equal(r->worker[0][0].burst_span, 0);
	fake_clock_advance(5000);
	rig_drain(r);
	assert_int_equal(r->worker[0][0].burst_span, r->step_ns + 5000);
	rig_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_ring_slows_down_but_loses_nothing),
		cmocka_unit_test(without_completions_it_waits_and_then_goes_on),
		cmocka_unit_test(when_frames_run_out_it_takes_completions_first),
		cmocka_unit_test(what_had_no_room_in_time_is_given_up_as_no_room),
		cmocka_unit_test(kicks_that_ask_for_patience_lose_nothing),
		cmocka_unit_test(a_kick_is_repeated_only_while_the_kernel_says_again_within_bounds),
		cmocka_unit_test(a_socket_that_is_gone_is_an_error),
		cmocka_unit_test(a_missed_wake_up_is_made_up_for_by_the_tail_kick),
		cmocka_unit_test(a_driver_that_polls_is_not_kicked_while_frames_come_back),
		cmocka_unit_test(frames_go_out_when_they_are_due),
		cmocka_unit_test(nothing_is_sent_before_the_start),
		cmocka_unit_test(a_clock_that_jumps_a_second_gives_up_all_but_the_cap),
		cmocka_unit_test(a_limit_is_kept_though_frames_were_given_up),
		cmocka_unit_test(a_clock_that_stands_still_asks_for_nothing_more),
		cmocka_unit_test(wanted_goes_on_from_trial_to_trial),
		cmocka_unit_test(the_span_of_a_burst_is_known_at_the_next_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
