/* SPDX-License-Identifier: MIT */
/* core/stats.h: percentiles against sorted data, sums and differences of every row. */
#include "core/stats.h"
#include "unit.h"
#include <stdlib.h>
#include <string.h>

static struct hist h, other, third;

static int reset(void **state)
{
	memset(&h, 0, sizeof(h));
	memset(&other, 0, sizeof(other));
	memset(&third, 0, sizeof(third));
	return 0;
}

static void assert_within_one_percent(int64_t got, double want)
{
	if (got < want * 0.99 || got > want * 1.01)
		print_error("%lld, not about %.0f\n", (long long)got, want);
	assert_true(got >= want * 0.99 && got <= want * 1.01);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* 1000, 2000, ... 10000000: the exact nearest ranks. */
static void percentiles_of_a_known_series_are_right(void **state)
{
	static const struct {
		uint32_t num, den;
		double want;
	} rows[] = {{1, 2, 5000000},	{3, 4, 7500000},      {9, 10, 9000000},
		    {99, 100, 9900000}, {999, 1000, 9990000}, {1, 10000, 1000}};

	for (int64_t v = 1000; v <= 10000000; v += 1000)
		hist_note(&h, v);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_within_one_percent(hist_quantile(&h, rows[i].num, rows[i].den),
					  rows[i].want);
	assert_int_equal(h.sum / h.count, 5000500);
	assert_int_equal(hist_quantile(&h, 9999, 10000), UNKNOWN); /* one sample above it */
}

static void percentiles_agree_with_sorted_data(void **state)
{
	static const uint32_t quantiles[][2] = {{0, 1},	 {1, 10},   {1, 2},
						{9, 10}, {99, 100}, {999, 1000}};
	static int64_t data[20000];
	uint64_t seed = 3;

	for (int round = 0; round < 30; round++) {
		size_t n = 11 + next_random(&seed) % (ARRAY_LEN(data) - 11);

		reset(state);
		for (size_t i = 0; i < n; i++) {
			data[i] = (int64_t)(next_random(&seed) >> (31 + next_random(&seed) % 30));
			hist_note(&h, data[i]);
		}
		qsort(data, n, sizeof(data[0]), compare);
		for (size_t q = 0; q < ARRAY_LEN(quantiles); q++) {
			uint64_t num = quantiles[q][0], den = quantiles[q][1];
			size_t rank = (n * num + den - 1) / den;
			int64_t got = hist_quantile(&h, (uint32_t)num, (uint32_t)den);

			rank = rank ? rank : 1;
			if (n - rank < 10)
				assert_int_equal(got, UNKNOWN);
			else
				assert_within_one_percent(got, (double)data[rank - 1]);
		}
	}
}

static void a_percentile_above_the_median_needs_ten_samples_above_it(void **state)
{
	assert_int_equal(hist_quantile(&h, 1, 2), UNKNOWN);
	for (int i = 1; i <= 10000; i++) {
		hist_note(&h, 5);
		assert_int_equal(hist_quantile(&h, 1, 2), 5);
		assert_int_equal(hist_quantile(&h, 9, 10), i < 100 ? UNKNOWN : 5);
		assert_int_equal(hist_quantile(&h, 99, 100), i < 1000 ? UNKNOWN : 5);
		assert_int_equal(hist_quantile(&h, 999, 1000), i < 10000 ? UNKNOWN : 5);
	}
	assert_int_equal(hist_quantile(&h, 1, 1), UNKNOWN);
	assert_int_equal(hist_quantile(&h, 3, 2), UNKNOWN);
	assert_int_equal(hist_quantile(&h, 1, 0), UNKNOWN);
}

static void a_percentile_stays_within_min_and_max(void **state)
{
	for (int i = 0; i < 100; i++)
		hist_note(&h, 999999);
	assert_int_equal(hist_quantile(&h, 1, 2), 999999);
	reset(state);
	for (int i = 0; i < 100; i++)
		hist_note(&h, 999424); /* the lowest value of that bucket */
	assert_int_equal(hist_quantile(&h, 1, 2), 999424);
}

static void values_over_the_range_rank_above_all_others(void **state)
{
	for (int i = 0; i < 10; i++)
		hist_note(&h, 100);
	for (int i = 0; i < 90; i++)
		hist_note(&h, HIST_MAX_NS + 5);
	assert_int_equal(hist_quantile(&h, 1, 10), 100);
	assert_int_equal(hist_quantile(&h, 1, 2), HIST_MAX_NS + 5);
}

static void a_sum_of_histograms_is_that_of_all_values(void **state)
{
	uint64_t seed = 4;

	for (int i = 0; i < 5000; i++) {
		int64_t v = (int64_t)(next_random(&seed) >> 29) - 1000;

		hist_note(i % 3 ? &h : &other, v);
		hist_note(&third, v);
	}
	hist_note(&h, -7);
	hist_note(&third, -7);
	hist_add(&h, &other);
	assert_memory_equal(&h, &third, sizeof(h));
}

static void adding_an_empty_histogram_changes_nothing(void **state)
{
	hist_note(&h, 50);
	third = h;
	hist_add(&h, &other);
	assert_memory_equal(&h, &third, sizeof(h));
	hist_add(&other, &h);
	assert_memory_equal(&other, &third, sizeof(h));
}

static void an_interval_holds_what_came_in_it(void **state)
{
	hist_note(&h, 5);
	hist_note(&h, 1000000);
	hist_note(&h, -1);
	other = h;
	hist_note(&h, 300);
	hist_note(&h, 301);
	hist_note(&h, 70001);
	hist_note(&h, -2);
	hist_sub(&h, &other, &third);
	assert_int_equal(third.count, 3);
	assert_int_equal(third.sum, 300 + 301 + 70001);
	assert_int_equal(third.negative, 1);
	assert_int_equal(third.over, 0);
	assert_int_equal(third.bucket[hist_index(300)], 2);
	assert_int_equal(third.bucket[hist_index(5)], 0);
	assert_int_equal(third.min, hist_low(hist_index(300)));
	assert_int_equal(third.max, hist_low(hist_index(70001) + 1) - 1);
}

static void bounds_of_an_interval_stay_within_those_of_all(void **state)
{
	hist_note(&h, 70001);
	hist_sub(&h, &other, &third);
	assert_int_equal(third.min, 70001);
	assert_int_equal(third.max, 70001);
	hist_sub(&h, &h, &third);
	assert_int_equal(third.count, 0);
	assert_int_equal(third.min, 0);
	assert_int_equal(third.max, 0);
}

static void an_interval_sees_values_over_the_range(void **state)
{
	hist_note(&h, 9);
	other = h;
	hist_note(&h, HIST_MAX_NS + 77);
	hist_sub(&h, &other, &third);
	assert_int_equal(third.count, 1);
	assert_int_equal(third.over, 1);
	assert_int_equal(third.min, HIST_MAX_NS + 1);
	assert_int_equal(third.max, HIST_MAX_NS + 77);
}

static void an_interval_may_be_taken_in_place(void **state)
{
	static struct hist apart;

	hist_note(&h, 100);
	other = h;
	hist_note(&h, 40000);
	hist_sub(&h, &other, &apart);
	hist_sub(&h, &other, &h);
	assert_memory_equal(&h, &apart, sizeof(h));
}

/* Every row of the tables, each with a number of its own: no row is left out or crossed. */
static void fill(void *counters, size_t size, uint64_t first)
{
	uint64_t *row = counters;

	for (size_t i = 0; i < size / sizeof(*row); i++)
		row[i] = first + i * i;
}

static void every_counter_row_is_added(void **state)
{
	struct queue_counters a, b, sum;

	fill(&a, sizeof(a), 1);
	fill(&b, sizeof(b), 1000);
	sum = a;
	worker_counters_add(&sum.worker, &b.worker);
	program_counters_add(&sum.program, &b.program);
	socket_counters_add(&sum.socket, &b.socket);
#define CHECK_WORKER(name, text) assert_int_equal(sum.worker.name, a.worker.name + b.worker.name);
#define CHECK_PROGRAM(name, text) \
	assert_int_equal(sum.program.name, a.program.name + b.program.name);
#define CHECK_SOCKET(name, text) assert_int_equal(sum.socket.name, a.socket.name + b.socket.name);
	WORKER_COUNTERS(CHECK_WORKER)
	PROGRAM_COUNTERS(CHECK_PROGRAM)
	SOCKET_COUNTERS(CHECK_SOCKET)
}

static void every_counter_row_is_subtracted(void **state)
{
	struct queue_counters now, before, d;
	struct netdev_counters dev_now, dev_before, dev;

	fill(&now, sizeof(now), 5000);
	fill(&before, sizeof(before), 100);
	fill(&dev_now, sizeof(dev_now), 70);
	fill(&dev_before, sizeof(dev_before), 7);
	queue_counters_sub(&now, &before, &d);
	netdev_counters_sub(&dev_now, &dev_before, &dev);
#define CHECK_4900(name, text) assert_int_equal(d.CHECK_GROUP.name, 4900);
#define CHECK_GROUP	       worker
	WORKER_COUNTERS(CHECK_4900)
#undef CHECK_GROUP
#define CHECK_GROUP program
	PROGRAM_COUNTERS(CHECK_4900)
#undef CHECK_GROUP
#define CHECK_GROUP socket
	SOCKET_COUNTERS(CHECK_4900)
#define CHECK_63(name, text) assert_int_equal(dev.name, 63);
	NETDEV_COUNTERS(CHECK_63)
	assert_memory_equal(&d.gauge, &now.gauge, sizeof(d.gauge));
}

static void all_refusals_are_summed_and_nothing_else(void **state)
{
	struct program_counters c;

	memset(&c, 0, sizeof(c));
	c.seen = c.passed = c.redirected = c.no_socket = 1000000;
	c.refused_short = 1;
	c.refused_multicast = 20;
	c.refused_link_local = 300;
	c.refused_neighbour = 4000;
	c.refused_source = 50000;
	c.refused_reply = 600000;
	assert_int_equal(program_refused(&c), 654321);
}

static void the_layout_of_a_snapshot_is_as_documented(void **state)
{
	assert_int_equal(offsetof(struct counter_slot, worker) % 64, 0);
	assert_int_equal(sizeof(struct counter_slot) % 64, 0);
	assert_int_equal(offsetof(struct counter_slot, program) % 64, 0);
	assert_int_equal(offsetof(struct snapshot, queue) % 8, 0);
	assert_int_equal(snapshot_size(3),
			 sizeof(struct snapshot) + 3 * sizeof(struct queue_counters));
	assert_true(sizeof(struct worker_counters) >= WORKER_COUNTER_ROWS * 8);
	assert_true(sizeof(struct program_counters) >= PROGRAM_COUNTER_ROWS * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(percentiles_of_a_known_series_are_right, reset),
		cmocka_unit_test_setup(percentiles_agree_with_sorted_data, reset),
		cmocka_unit_test_setup(a_percentile_above_the_median_needs_ten_samples_above_it,
				       reset),
		cmocka_unit_test_setup(a_percentile_stays_within_min_and_max, reset),
		cmocka_unit_test_setup(values_over_the_range_rank_above_all_others, reset),
		cmocka_unit_test_setup(a_sum_of_histograms_is_that_of_all_values, reset),
		cmocka_unit_test_setup(adding_an_empty_histogram_changes_nothing, reset),
		cmocka_unit_test_setup(an_interval_holds_what_came_in_it, reset),
		cmocka_unit_test_setup(bounds_of_an_interval_stay_within_those_of_all, reset),
		cmocka_unit_test_setup(an_interval_sees_values_over_the_range, reset),
		cmocka_unit_test_setup(an_interval_may_be_taken_in_place, reset),
		cmocka_unit_test(every_counter_row_is_added),
		cmocka_unit_test(every_counter_row_is_subtracted),
		cmocka_unit_test(all_refusals_are_summed_and_nothing_else),
		cmocka_unit_test(the_layout_of_a_snapshot_is_as_documented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
