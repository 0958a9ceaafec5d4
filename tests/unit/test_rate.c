/* SPDX-License-Identifier: MIT */
/* core/rate.h: the absolute schedule, its cap, its limit, and a clock that misbehaves. */
#include "core/rate.h"
#include "unit.h"
#include <math.h>

#define SECOND 1000000000ull
#define START  123456789012345ull

static const double odd_rates[] = {1e9,		148809523.8, 14880952.38, 1234567.89, 1e6,
				   333333.3333, 1000,	     59.94,	  1,	      1.0 / 7};

static void no_schedule_drifts_over_an_hour(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(odd_rates); i++) {
		long double per_ns = (long double)odd_rates[i] / SECOND;
		uint64_t seed = i, sent = 0;
		struct pacer p;

		pacer_init(&p, odd_rates[i], 64, UINT64_MAX, START);
		p.cap = UINT64_MAX / 2; /* nothing is given up here */
		for (uint64_t t = 0; t <= 3600 * SECOND; t += next_random(&seed) % SECOND) {
			int64_t want = (int64_t)floorl(per_ns * t);
			uint64_t due = pacer_due(&p, START + t);

			sent += due;
			pacer_sent(&p, due);
			assert_in_range((int64_t)sent - want + 1, 0, 2);
			assert_int_equal(p.wanted, sent);
		}
	}
}

static void whole_periods_have_no_frame_too_many(void **state)
{
	static const double rates[] = {1,   10,	  250,	    1000, 12345,     1e5,
				       1e6, 14e6, 37202380, 1e8,  148809523, 1e9};
	static const uint64_t seconds[] = {1, 2, 10, 60, 600};

	for (size_t i = 0; i < ARRAY_LEN(rates); i++)
		for (size_t j = 0; j < ARRAY_LEN(seconds); j++) {
			struct pacer p;

			pacer_init(&p, rates[i], 1, UINT64_MAX, START);
			assert_int_equal(pacer_due(&p, START + seconds[j] * SECOND),
					 (uint64_t)rates[i] * seconds[j]);
		}
}

static void the_first_frame_is_due_at_the_start(void **state)
{
	struct pacer p;

	pacer_init(&p, 1000, 1, UINT64_MAX, START);
	assert_int_equal(pacer_due(&p, START - 1), 0);
	assert_int_equal(pacer_due(&p, 0), 0);
	assert_int_equal(p.wanted, 0);
	assert_int_equal(pacer_next_ns(&p), START);
	assert_int_equal(pacer_due(&p, START), 1);
	pacer_sent(&p, 1);
	assert_int_equal(pacer_due(&p, START), 0);
	assert_int_equal(pacer_due(&p, START + 999999), 0);
	assert_int_equal(pacer_due(&p, START + 1000001), 1);
}

static void the_next_frame_is_due_then_and_not_before(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(odd_rates); i++) {
		uint64_t seed = i;
		struct pacer p;

		pacer_init(&p, odd_rates[i], 64, UINT64_MAX, START);
		p.cap = UINT64_MAX / 2;
		for (int n = 0; n < 3000; n++) {
			uint64_t next = pacer_next_ns(&p);

			if (next > START)
				assert_int_equal(pacer_due(&p, next - 1), 0);
			assert_true(pacer_due(&p, next) >= 1);
			pacer_sent(&p, pacer_due(&p, next + next_random(&seed) % (9 * SECOND)));
		}
	}
}

static void a_small_delay_is_caught_up(void **state)
{
	struct pacer p;

	pacer_init(&p, 1e6, 64, UINT64_MAX, START);
	assert_int_equal(p.cap, 10000); /* 10 ms */
	assert_int_equal(pacer_due(&p, START + 9 * SECOND / 1000 + 500), 9001);
	assert_int_equal(pacer_give_up(&p), 0);
	assert_int_equal(pacer_due(&p, START + 9 * SECOND / 1000 + 500), 9001);
}

static void the_cap_is_at_least_two_bursts(void **state)
{
	struct pacer p;

	pacer_init(&p, 1000, 64, UINT64_MAX, START);
	assert_int_equal(p.cap, 128);
	pacer_init(&p, 1000, 1, UINT64_MAX, START);
	assert_int_equal(p.cap, 10);
	pacer_init(&p, 0.5, 1, UINT64_MAX, START);
	assert_int_equal(p.cap, 2);
}

static void what_is_beyond_the_cap_is_given_up_and_counted(void **state)
{
	uint64_t given_up = 0, now = START + SECOND + 500;
	struct pacer p;

	pacer_init(&p, 1e6, 64, UINT64_MAX, START);
	assert_int_equal(pacer_due(&p, now), 1000001);
	given_up += pacer_give_up(&p);
	assert_int_equal(given_up, 990001);
	assert_int_equal(pacer_give_up(&p), 0);
	assert_int_equal(pacer_due(&p, now), 10000);
	pacer_sent(&p, 10000);
	assert_int_equal(pacer_due(&p, now), 0);
	assert_int_equal(p.wanted, given_up + p.sent);
	/* and the schedule goes on where the clock is */
	assert_int_equal(pacer_due(&p, now + 1000000), 1000);
}

static void a_clock_that_jumps_a_minute_makes_no_flood(void **state)
{
	uint64_t given_up = 0, due, now = START;
	struct pacer p;

	pacer_init(&p, 1e5, 32, UINT64_MAX, START);
	for (int i = 0; i < 200000; i++) {
		now += i == 100000 ? 60 * SECOND : 10007;
		due = pacer_due(&p, now);
		given_up += pacer_give_up(&p);
		due = pacer_due(&p, now);
		assert_true(due <= 1000);
		pacer_sent(&p, due < 32 ? due : 32);
	}
	assert_in_range(given_up, 5999000 - 2, 5999000 + 2); /* all but the cap */
	assert_true(pacer_due(&p, now) <= 1);
	assert_true(p.wanted - p.sent - given_up <= 1);
}

static void a_clock_that_goes_back_asks_for_nothing_twice(void **state)
{
	struct pacer p;

	pacer_init(&p, 1e6, 1, UINT64_MAX, START);
	pacer_sent(&p, pacer_due(&p, START + SECOND));
	assert_int_equal(pacer_due(&p, START + SECOND / 2), 0);
	assert_int_equal(pacer_due(&p, START - SECOND), 0);
	assert_int_equal(pacer_due(&p, START + SECOND), 0);
	assert_int_equal(pacer_due(&p, START + SECOND + 1000), 1);
}

static void a_limit_is_kept_exactly(void **state)
{
	uint64_t now = START, due;
	struct pacer p;

	pacer_init(&p, 1e6, 64, 12345, START);
	for (; !pacer_done(&p); now += 7919) {
		due = pacer_due(&p, now);
		assert_int_equal(pacer_give_up(&p), 0);
		pacer_sent(&p, due < 64 ? due : 64);
		assert_true(p.sent <= 12345);
	}
	assert_int_equal(p.sent, 12345);
	assert_int_equal(p.wanted, 12345);
	assert_int_equal(pacer_due(&p, now + SECOND), 0);
	assert_int_equal(pacer_next_ns(&p), UINT64_MAX);
}

static void lateness_loses_no_frame_of_a_limit(void **state)
{
	uint64_t seed = 9, now = START, given_up = 0, due;
	struct pacer p;

	pacer_init(&p, 1e6, 16, 50000, START);
	while (!pacer_done(&p)) {
		now += next_random(&seed) % 5000;
		if (next_random(&seed) % 500 == 0)
			now += SECOND / 5;
		pacer_due(&p, now);
		given_up += pacer_give_up(&p);
		due = pacer_due(&p, now);
		assert_true(due <= p.cap);
		pacer_sent(&p, due < 16 ? due : 16);
		assert_true(p.sent + given_up <= p.wanted);
	}
	assert_int_equal(p.sent, 50000);
	assert_true(given_up > 100000);
	assert_int_equal(p.wanted, p.sent + given_up);
}

/* The few frames left fit in the cap: the minute that passed asks for no more than these. */
static void a_late_end_of_a_limit_gives_up_nothing(void **state)
{
	struct pacer p;

	pacer_init(&p, 1e6, 16, 5000, START);
	assert_int_equal(pacer_due(&p, START + 60 * SECOND), 5000);
	assert_int_equal(pacer_give_up(&p), 0);
	pacer_sent(&p, 5000);
	assert_true(pacer_done(&p));
	assert_int_equal(p.wanted, 5000);
}

static void without_a_schedule_the_limit_is_due(void **state)
{
	struct pacer p;

	pacer_init(&p, 0, 64, 100, START);
	assert_int_equal(p.rate, 0);
	assert_int_equal(pacer_due(&p, START - 1), 0);
	assert_int_equal(pacer_next_ns(&p), START);
	assert_int_equal(pacer_due(&p, START), 100);
	pacer_sent(&p, 64);
	assert_int_equal(pacer_give_up(&p), 0);
	assert_int_equal(pacer_due(&p, START + 60 * SECOND), 36);
	assert_int_equal(pacer_give_up(&p), 0);
	pacer_sent(&p, 36);
	assert_true(pacer_done(&p));
	assert_int_equal(pacer_due(&p, START + 61 * SECOND), 0);
	pacer_init(&p, 0, 64, UINT64_MAX, START);
	assert_true(pacer_due(&p, START) > UINT64_MAX / 2);
	assert_false(pacer_done(&p));
}

static void a_schedule_ends_at_its_stop(void **state)
{
	struct pacer p;

	pacer_init(&p, 1e6, 64, UINT64_MAX, START);
	p.stop_ns = START + SECOND / 100;
	assert_int_equal(pacer_due(&p, START + SECOND), 10000);
	pacer_sent(&p, 9999);
	assert_in_range(pacer_next_ns(&p), START + 9999000, START + 9999001);
	assert_int_equal(pacer_due(&p, START + 60 * SECOND), 1);
	pacer_sent(&p, 1);
	assert_int_equal(pacer_due(&p, START + 60 * SECOND), 0);
	assert_int_equal(pacer_next_ns(&p), UINT64_MAX);
	assert_int_equal(p.wanted, 10000);
}

static void a_stop_before_the_start_asks_for_nothing(void **state)
{
	static const uint64_t stops[] = {0, 1, START - 1, START};

	for (size_t i = 0; i < ARRAY_LEN(stops); i++) {
		struct pacer p;

		pacer_init(&p, 1e6, 64, UINT64_MAX, START);
		p.stop_ns = stops[i];
		assert_int_equal(pacer_due(&p, START), 0);
		assert_int_equal(pacer_due(&p, START + SECOND), 0);
		assert_int_equal(pacer_next_ns(&p), UINT64_MAX);
	}
}

static void the_slowest_rate_is_still_a_schedule(void **state)
{
	struct pacer p;

	pacer_init(&p, 1.0 / 3600, 1, UINT64_MAX, START);
	assert_int_equal(pacer_due(&p, START), 1);
	pacer_sent(&p, 1);
	assert_int_equal(pacer_due(&p, START + 3599 * SECOND), 0);
	assert_int_equal(pacer_due(&p, START + 3601 * SECOND), 1);
	assert_in_range(pacer_next_ns(&p), START + 3600 * SECOND,
			START + 3600 * SECOND + SECOND / 100);
	pacer_init(&p, 1e-30, 1, UINT64_MAX, START);
	assert_true(p.rate > 0);
	assert_int_equal(pacer_due(&p, START + 3600 * SECOND), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_schedule_drifts_over_an_hour),
		cmocka_unit_test(whole_periods_have_no_frame_too_many),
		cmocka_unit_test(the_first_frame_is_due_at_the_start),
		cmocka_unit_test(the_next_frame_is_due_then_and_not_before),
		cmocka_unit_test(a_small_delay_is_caught_up),
		cmocka_unit_test(the_cap_is_at_least_two_bursts),
		cmocka_unit_test(what_is_beyond_the_cap_is_given_up_and_counted),
		cmocka_unit_test(a_clock_that_jumps_a_minute_makes_no_flood),
		cmocka_unit_test(a_clock_that_goes_back_asks_for_nothing_twice),
		cmocka_unit_test(a_limit_is_kept_exactly),
		cmocka_unit_test(lateness_loses_no_frame_of_a_limit),
		cmocka_unit_test(a_late_end_of_a_limit_gives_up_nothing),
		cmocka_unit_test(without_a_schedule_the_limit_is_due),
		cmocka_unit_test(a_schedule_ends_at_its_stop),
		cmocka_unit_test(a_stop_before_the_start_asks_for_nothing),
		cmocka_unit_test(the_slowest_rate_is_still_a_schedule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
