/* SPDX-License-Identifier: MIT */
/*
 * abi/stream.h and the role that runs it, on a fake clock. The test plays the XDP program: it asks
 * for each frame that comes by whether one is due, as the program does.
 */
#include "abi/stream.h"
#include "core/frame.h"
#include "run/worker.h"
#include "unit.h"
#include <errno.h>
#include <math.h>
#include <string.h>

#define SECOND 1000000000ull
#define START  123456789012345ull

static const double rates[] = {14880952.38, 1234567.89, 1e6,   333333.3333, 3e5,
			       70000,	    1000,	59.94, 7,	    1};

/* --- what the program does ---------------------------------------------------------------------
 */

static struct {
	uint64_t clock, look_ns; /* a look takes so long */
	uint64_t looks, readings, calls;
	uint64_t given_up, wanted;
	uint64_t stop_at; /* sent: somebody sets the stop; 0: nobody */
	uint32_t batch, len;
	int err;
} world;

/* One frame that comes by. True: it was sent. */
static bool look(struct stream *s, uint64_t now)
{
	enum stream_answer answer;
	uint64_t n;

	if (s->done)
		return false;
	if (stream_paced(s) || !s->stamp_left) {
		world.readings++;
		answer = stream_ask(s, now);
		s->done |= answer == STREAM_DONE;
		if (answer != STREAM_SEND)
			return false;
		n = stream_paced(s) ? stream_give_up(s, now) : 0;
		world.given_up += n;
		world.wanted += n;
		stream_tick(s, now);
	} else if (s->stop || s->sent >= s->limit) {
		s->done = 1;
		return false;
	}
	stream_sent(s);
	world.wanted++;
	return true;
}

int inside_run(struct prog *prog, const void *frame, uint32_t len, uint32_t looks, uint32_t batch)
{
	struct stream *s = (struct stream *)prog->skel;

	world.calls++;
	world.batch = batch;
	world.len = len;
	for (uint32_t i = 0; i < looks && !s->done; i++) {
		look(s, world.clock);
		world.looks++;
		world.clock += world.look_ns;
		if (world.stop_at && s->sent >= world.stop_at)
			s->stop = 1;
	}
	return world.err;
}

/* --- a worker that has a stream ----------------------------------------------------------------
 */

static struct frame frame;
static struct stream stream;
static struct prog prog = {.skel = &stream};
static struct worker worker;
static struct worker_counters counters;

static struct plan plan_of(double pps)
{
	frame.len = 60;
	return (struct plan){
		.tx = TX_GENERATE,
		.burst = 64,
		.frame = &frame,
		.flows = 3,
		.tx_queues = 1,
		.pps = pps,
		.limit = UINT64_MAX,
		.run = 0x1234,
	};
}

/* As worker_prepare() and worker_start() do. */
static struct stream *prepare(const struct plan *plan, uint64_t stop_ns)
{
	memset(&world, 0, sizeof(world));
	memset(&stream, 0xff, sizeof(stream));
	world.clock = START;
	world.look_ns = 100;
	worker = (struct worker){.plan = *plan,
				 .stream = &stream,
				 .inside = &prog,
				 .count = &counters,
				 .sending = plan->limit > 0};
	worker.stamp_head = stamp_head(plan->run, plan->send_flags);
	stream_prepare(&worker);
	worker_start(&worker, START, stop_ns);
	return &stream;
}

static struct stream *paced(double pps)
{
	struct plan plan = plan_of(pps);

	return prepare(&plan, STREAM_FOREVER);
}

/* Until it is done, or so many calls were made. */
static void run(uint32_t calls)
{
	while (calls-- && worker.sending) {
		if (world.clock < stream_next_ns(&worker))
			world.clock = stream_next_ns(&worker);
		role_stream(&worker, world.clock);
	}
}

/* --- the schedule ------------------------------------------------------------------------------
 */

/* Frames due t ns after the start; each may be up to a ns early, for clocks count whole ones. */
static void assert_due(uint64_t n, double pps, uint64_t t)
{
	long double per_ns = (long double)pps / SECOND;

	assert_in_range(n, (uint64_t)floorl(per_ns * t), (uint64_t)floorl(per_ns * (t + 1)) + 1);
}

static void every_sample_is_within_one_frame_of_due(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		struct stream *s = paced(rates[i]);
		uint64_t seed = i, t = 0, step = (uint64_t)(2000 * SECOND / rates[i] / 100);

		s->cap_ns = UINT64_MAX / 2; /* nothing is given up here */
		while (t <= 2000 * SECOND && s->sent < 100000) {
			while (look(s, START + t))
				;
			assert_due(s->sent, rates[i], t);
			assert_int_equal(world.wanted, s->sent);
			t += next_random(&seed) % (step + 1);
		}
		assert_true(s->sent > 1000);
	}
}

/* Cap 0: what the samples miss is given up, so an hour of any rate is few steps. */
static void no_schedule_drifts_over_an_hour(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		struct stream *s = paced(rates[i]);
		uint64_t seed = i, t = 0, n;

		s->cap_ns = 0;
		for (; t <= 3600 * SECOND; t += next_random(&seed) % SECOND) {
			while (look(s, START + t))
				;
			assert_due(world.wanted, rates[i], t);
			assert_int_equal(world.wanted, world.given_up + s->sent);
		}
		n = world.wanted;
		assert_in_range(s->due_ns - START, (uint64_t)((long double)n * SECOND / rates[i]),
				(uint64_t)((long double)n * SECOND / rates[i]) + 10);
	}
}

/* Nor is one missing, where a gap is no whole number of ns (or of 2^-32 ns) either. */
static void a_known_time_is_exactly_rate_times_time_frames(void **state)
{
	static const uint64_t whole[] = {1,	7,	13,	 1000,	  1001,	   333333,
					 77777, 999983, 1400000, 3000000, 7123457, 14880952};
	static const uint64_t seconds[] = {1, 2, 3, 10, 61, 600};

	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		for (size_t j = 0; j < ARRAY_LEN(seconds); j++) {
			struct plan plan = plan_of((double)whole[i]);
			uint64_t left = whole[i] * seconds[j] - 1;
			struct stream *s = prepare(&plan, START + seconds[j] * SECOND);

			for (uint64_t n; left; left -= n) {
				n = left < 1u << 30 ? left : 1u << 30;
				stream_advance(s, n);
			}
			assert_int_equal(stream_ask(s, START + 3600 * SECOND), STREAM_SEND);
			assert_int_equal(stream_ask(s, START),
					 seconds[j] * whole[i] > 1 ? STREAM_WAIT : STREAM_SEND);
			stream_advance(s, 1);
			assert_int_equal(stream_ask(s, START + 3600 * SECOND), STREAM_DONE);
		}
}

static void the_first_frame_is_due_at_the_start(void **state)
{
	struct stream *s = paced(1e6);

	assert_int_equal(s->gap_ns, 1000);
	assert_int_equal(s->gap_frac, 0);
	assert_int_equal(stream_ask(s, 0), STREAM_WAIT);
	assert_int_equal(stream_ask(s, START - 1), STREAM_WAIT);
	assert_int_equal(stream_ask(s, START), STREAM_SEND);
	assert_true(look(s, START));
	assert_int_equal(stream_ask(s, START + 999), STREAM_WAIT);
	assert_int_equal(stream_ask(s, START + 1000), STREAM_SEND);
	assert_int_equal(world.wanted, 1);
	/* without a schedule too */
	s = paced(0);
	assert_false(stream_paced(s));
	assert_int_equal(stream_ask(s, START - 1), STREAM_WAIT);
	assert_int_equal(stream_ask(s, START), STREAM_SEND);
}

/* More than a thousand million a second: a gap of less than a ns is still a schedule. */
static void a_gap_below_a_nanosecond_is_a_gap(void **state)
{
	struct stream *s = paced(3e9);

	assert_int_equal(s->gap_ns, 0);
	assert_true(s->gap_frac > 0);
	assert_true(stream_paced(s));
	s->cap_ns = UINT64_MAX / 2;
	while (look(s, START + 1000))
		;
	assert_in_range(s->sent, 3000, 3003);
}

/* --- late --------------------------------------------------------------------------------------
 */

static void what_is_beyond_the_cap_is_given_up_and_counted(void **state)
{
	struct stream *s = paced(1e6);

	assert_int_equal(s->cap_ns, 10000000);
	assert_true(look(s, START + 10000000)); /* just at the cap */
	assert_int_equal(world.given_up, 0);
	s = paced(1e6);
	assert_int_equal(stream_give_up(s, START - 1), 0);
	assert_int_equal(stream_give_up(s, 0), 0);
	while (look(s, START + SECOND + 500))
		;
	assert_int_equal(world.given_up, 990000);
	assert_int_equal(s->sent, 10001);
	assert_int_equal(world.wanted, world.given_up + s->sent);
	/* and the schedule goes on where the clock is */
	while (look(s, START + SECOND + 1000500))
		;
	assert_int_equal(s->sent, 11001);
	assert_int_equal(world.given_up, 990000);
}

static void a_clock_that_jumps_a_minute_makes_no_flood(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		struct stream *s = paced(rates[i]);
		uint64_t cap = (uint64_t)((double)s->cap_ns * rates[i] / SECOND), n = 0;
		int64_t due = (int64_t)(60 * rates[i]) + 1;

		while (look(s, START + 60 * SECOND))
			n++;
		/* Rounding the division down leaves more where a gap is few ns. */
		assert_in_range(n, cap < (uint64_t)due ? cap : (uint64_t)due, cap + cap / 2 + 64);
		assert_due(world.wanted, rates[i], 60 * SECOND);
		assert_int_equal(world.wanted, world.given_up + s->sent);
	}
}

/* Years late: the number that is given up has a bound, the rest is found the next time. */
static void the_longest_delay_does_not_overflow(void **state)
{
	struct stream *s = paced(14880952.38);
	uint64_t now = START + 1000000 * SECOND, before;

	for (int i = 0; i < 100000 && s->due_ns + s->cap_ns + 100 < now; i++) {
		before = s->due_ns;
		assert_true(stream_give_up(s, now) <= 1u << 30);
		assert_true(s->due_ns > before && s->due_ns <= now);
	}
	assert_true(s->due_ns + s->cap_ns + 100 >= now);
}

/* What came after the stop was not due: it is not given up either. */
static void nothing_is_given_up_beyond_the_stop(void **state)
{
	struct plan plan = plan_of(1e6);
	struct stream *s = prepare(&plan, START + SECOND);

	while (look(s, START + 60 * SECOND))
		;
	assert_int_equal(world.wanted, 1000000);
	assert_int_equal(s->sent, 10001);
	assert_true(s->done);
	/* a stop before the start */
	s = prepare(&plan, START);
	assert_false(look(s, START + SECOND));
	assert_true(s->done);
	assert_int_equal(world.wanted, 0);
}

static void the_cap_is_two_bursts_at_least(void **state)
{
	assert_int_equal(paced(1e6)->cap_ns, 10000000);
	assert_in_range(paced(1)->cap_ns, 2 * SECOND, 2 * SECOND + 2);
	assert_in_range(paced(50)->cap_ns, SECOND / 25, SECOND / 25 + 2);
}

static void a_clock_that_goes_back_asks_for_nothing_twice(void **state)
{
	struct stream *s = paced(2e6);

	s->cap_ns = UINT64_MAX / 2;
	while (look(s, START + SECOND))
		;
	assert_int_equal(s->sent, 2000001);
	assert_false(look(s, START + SECOND / 2));
	assert_false(look(s, START - SECOND));
	assert_int_equal(stream_give_up(s, START + SECOND / 2), 0);
	assert_false(look(s, START + SECOND));
	assert_true(look(s, START + SECOND + 500));
	/* Without a schedule frames go on, and no bulk took 500 years. */
	s = paced(0);
	for (uint32_t i = 0; i < 1000; i++)
		assert_true(look(s, START + 1000000 - i));
	assert_true(s->bulk_span < 1000000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_true(look(s, START + 1000000 + i));
	assert_in_range(s->bulk_span, 16, 1016);
}

/* --- ends --------------------------------------------------------------------------------------
 */

static void a_limit_is_kept_exactly(void **state)
{
	static const double speeds[] = {0, 1000, 1e5, 1.2e6, 3e6};
	static const uint64_t limits[] = {1, 2, 7, 63, 64, 65, 3001};

	for (size_t i = 0; i < ARRAY_LEN(speeds); i++)
		for (size_t j = 0; j < ARRAY_LEN(limits); j++) {
			struct plan plan = plan_of(speeds[i]);
			struct stream *s;

			plan.limit = limits[j];
			s = prepare(&plan, STREAM_FOREVER);
			run(UINT32_MAX);
			assert_int_equal(s->sent, limits[j]);
			assert_int_equal(worker.pacer.sent, limits[j]);
			assert_int_equal(world.wanted, limits[j]);
			assert_true(s->done);
			assert_false(worker.sending);
			assert_int_equal(s->walk.seq, limits[j] / 3);
			assert_int_equal(s->walk.flow, limits[j] % 3);
			assert_true(worker.sent_at >= START);
		}
}

static void lateness_loses_no_frame_of_a_limit(void **state)
{
	struct plan plan = plan_of(1e6);
	struct stream *s;
	uint64_t seed = 5;

	plan.limit = 30000;
	s = prepare(&plan, STREAM_FOREVER);
	while (!s->done) {
		world.clock += next_random(&seed) % 300 ? 700 : SECOND / 5;
		look(s, world.clock);
	}
	assert_int_equal(s->sent, 30000);
	assert_true(world.given_up > 30000);
	assert_int_equal(world.wanted, s->sent + world.given_up);
}

static void a_duration_is_kept_exactly(void **state)
{
	static const double speeds[] = {1000, 77777, 1e6, 1.2e6, 3e6};

	for (size_t i = 0; i < ARRAY_LEN(speeds); i++) {
		struct plan plan = plan_of(speeds[i]);
		struct stream *s = prepare(&plan, START + SECOND);

		world.look_ns = 50;
		run(UINT32_MAX);
		assert_int_equal(s->sent, speeds[i]);
		assert_int_equal(world.given_up, 0);
		assert_false(worker.sending);
	}
}

static void a_stop_ends_it_at_once(void **state)
{
	static const double speeds[] = {0, 1000, 3e6};

	for (size_t i = 0; i < ARRAY_LEN(speeds); i++) {
		struct stream *s = paced(speeds[i]);

		world.stop_at = 500;
		run(UINT32_MAX);
		assert_int_equal(s->sent, 500);
		assert_int_equal(stream_ask(s, START + 60 * SECOND), STREAM_DONE);
		assert_false(worker.sending);
	}
}

static void what_does_not_send_is_done_from_the_start(void **state)
{
	struct plan plan = plan_of(1000);

	plan.limit = 0;
	assert_true(prepare(&plan, STREAM_FOREVER)->done);
	plan = plan_of(1000);
	plan.tx = TX_NONE;
	assert_true(prepare(&plan, STREAM_FOREVER)->done);
	assert_false(look(&stream, START + SECOND));
}

/* --- calls -------------------------------------------------------------------------------------
 */

static void fast_streams_have_large_batches(void **state)
{
	static const struct {
		double pps;
		uint32_t burst, batch, bulk;
	} rows[] = {
		{0, 64, 64, 16},     {0, 256, 64, 16},	{0, 5, 5, 5},	   {0, 1, 1, 1},
		{1.4e6, 64, 64, 16}, {2e7, 64, 64, 16}, {1.3e6, 64, 8, 8}, {1e6, 64, 8, 8},
		{999999, 64, 1, 1},  {1, 64, 1, 1},	{1e6, 3, 3, 3},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan plan = plan_of(rows[i].pps);
		struct stream *s;

		plan.burst = rows[i].burst;
		s = prepare(&plan, STREAM_FOREVER);
		assert_int_equal(worker.batch, rows[i].batch);
		assert_int_equal(s->bulk, rows[i].bulk);
		run(1);
		assert_int_equal(world.batch, rows[i].batch);
		assert_int_equal(world.len, 60);
	}
}

static void a_call_has_an_end(void **state)
{
	struct plan plan = plan_of(0);

	plan.limit = 100;
	prepare(&plan, STREAM_FOREVER);
	run(1);
	assert_in_range(world.looks, 100, 101); /* no more than needed */
	paced(0);
	run(1);
	assert_in_range(world.looks, 1 << 18, 1 << 20); /* a stop by flag is seen in between */
	paced(1e5);
	run(1);
	assert_in_range(world.looks, 1 << 18, 1 << 20);
	paced(1000); /* the thread sleeps in between */
	world.clock = START - SECOND;
	run(5);
	assert_int_equal(world.looks, 5);
	assert_int_equal(stream.sent, 0); /* so early that it is not due yet: the program waits */
}

static void nothing_is_called_before_its_time(void **state)
{
	paced(1000);
	assert_true(stream_next_ns(&worker) < START && stream_next_ns(&worker) > START - SECOND);
	assert_int_equal(role_stream(&worker, stream_next_ns(&worker) - 1), 0);
	assert_int_equal(world.calls, 0);
	world.clock = START;
	assert_int_equal(role_stream(&worker, START), 1);
	assert_int_equal(world.calls, 1);
	assert_int_equal(role_stream(&worker, START + 10000), 0);
	assert_int_equal(world.calls, 1);
}

static void an_error_of_the_call_is_kept_but_a_signal_is_none(void **state)
{
	paced(0);
	world.err = -EINTR;
	role_stream(&worker, START);
	assert_int_equal(worker.error, 0);
	world.err = -EINVAL;
	role_stream(&worker, START);
	assert_int_equal(worker.error, -EINVAL);
}

/* --- stamps ------------------------------------------------------------------------------------
 */

static void frames_share_a_clock_reading_as_asked(void **state)
{
	for (uint32_t every = 1; every <= 64; every++) {
		struct plan plan = plan_of(0);
		struct stream *s;

		plan.stamp_every = every;
		s = prepare(&plan, STREAM_FOREVER);
		for (uint32_t i = 0; i < 1000; i++) {
			assert_true(look(s, START + 100 * i));
			assert_int_equal(s->now, START + 100 * (i - i % every));
		}
		assert_int_equal(world.readings, (1000 + every - 1) / every);
	}
}

static void with_a_schedule_each_frame_has_its_own_time(void **state)
{
	struct plan plan = plan_of(1e6);
	struct stream *s;

	plan.stamp_every = 16;
	s = prepare(&plan, STREAM_FOREVER);
	for (uint32_t i = 0; i < 100; i++) {
		assert_true(look(s, START + 1000 * i));
		assert_int_equal(s->now, START + 1000 * i);
	}
}

/* Frames leave 16 at a time: the first of them was stamped when the last was not yet there. */
static void the_span_of_a_bulk_is_the_resolution(void **state)
{
	static const struct {
		uint32_t burst, every;
		uint64_t least, most; /* in looks */
	} rows[] = {
		{64, 1, 16, 16}, {64, 16, 16, 16}, {64, 64, 64, 64}, {8, 1, 8, 8},
		{64, 4, 16, 16}, {64, 12, 20, 24}, {1, 4, 4, 4},     {4, 16, 16, 16},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan plan = plan_of(0);

		plan.burst = rows[i].burst;
		plan.stamp_every = rows[i].every;
		plan.limit = 10000;
		prepare(&plan, STREAM_FOREVER);
		run(UINT32_MAX);
		assert_in_range(worker.burst_span, 100 * rows[i].least, 100 * rows[i].most);
	}
	/* One at a time leaves when it is stamped. */
	paced(5000);
	run(100);
	assert_int_equal(worker.burst_span, 1);
}

static void a_pause_between_calls_is_no_span(void **state)
{
	struct stream *s = paced(0);

	for (int i = 0; i < 3; i++) {
		role_stream(&worker, world.clock);
		world.clock += SECOND;
	}
	assert_true(s->sent > 100000);
	assert_int_equal(worker.burst_span, 1600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_is_within_one_frame_of_due),
		cmocka_unit_test(no_schedule_drifts_over_an_hour),
		cmocka_unit_test(a_known_time_is_exactly_rate_times_time_frames),
		cmocka_unit_test(the_first_frame_is_due_at_the_start),
		cmocka_unit_test(a_gap_below_a_nanosecond_is_a_gap),
		cmocka_unit_test(what_is_beyond_the_cap_is_given_up_and_counted),
		cmocka_unit_test(a_clock_that_jumps_a_minute_makes_no_flood),
		cmocka_unit_test(the_longest_delay_does_not_overflow),
		cmocka_unit_test(nothing_is_given_up_beyond_the_stop),
		cmocka_unit_test(the_cap_is_two_bursts_at_least),
		cmocka_unit_test(a_clock_that_goes_back_asks_for_nothing_twice),
		cmocka_unit_test(a_limit_is_kept_exactly),
		cmocka_unit_test(lateness_loses_no_frame_of_a_limit),
		cmocka_unit_test(a_duration_is_kept_exactly),
		cmocka_unit_test(a_stop_ends_it_at_once),
		cmocka_unit_test(what_does_not_send_is_done_from_the_start),
		cmocka_unit_test(fast_streams_have_large_batches),
		cmocka_unit_test(a_call_has_an_end),
		cmocka_unit_test(nothing_is_called_before_its_time),
		cmocka_unit_test(an_error_of_the_call_is_kept_but_a_signal_is_none),
		cmocka_unit_test(frames_share_a_clock_reading_as_asked),
		cmocka_unit_test(with_a_schedule_each_frame_has_its_own_time),
		cmocka_unit_test(the_span_of_a_bulk_is_the_resolution),
		cmocka_unit_test(a_pause_between_calls_is_no_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
