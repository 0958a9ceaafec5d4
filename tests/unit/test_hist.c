/* SPDX-License-Identifier: MIT */
/* The histogram of abi/hist.h: which value falls into which bucket. */
#include "abi/hist.h"
#include "unit.h"
#include <string.h>

static void values_below_256_have_a_bucket_each(void **state)
{
	for (uint32_t v = 0; v < 256; v++) {
		assert_int_equal(hist_index(v), v);
		assert_int_equal(hist_low(v), v);
	}
}

/* Worked out by hand: 128 buckets per octave above 256, each 2^octave wide. */
static void known_values_have_known_buckets(void **state)
{
	static const struct {
		uint64_t value, low, width;
		uint32_t index;
	} rows[] = {
		{255, 255, 1, 255},
		{256, 256, 2, 256},
		{257, 256, 2, 256},
		{511, 510, 2, 383},
		{512, 512, 4, 384},
		{1000, 1000, 4, 506},
		{1024, 1024, 8, 512},
		{1000000, 999424, 4096, 1780},
		{10000000000ull, 9999220736ull, 67108864, 3477},
		{(1ull << 34) - 1, (1ull << 34) - (1ull << 26), 1ull << 26, 3583},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint32_t index = hist_index(rows[i].value);

		assert_int_equal(index, rows[i].index);
		assert_int_equal(hist_low(index), rows[i].low);
		assert_int_equal(hist_low(index + 1) - hist_low(index), rows[i].width);
	}
}

static void assert_in_its_bucket(uint64_t v)
{
	uint32_t i = hist_index(v);

	assert_true(hist_low(i) <= v);
	assert_true(v < hist_low(i + 1));
}

static void every_value_lies_in_its_bucket(void **state)
{
	uint64_t seed = 1;

	for (uint64_t v = 0; v < 1 << 20; v++)
		assert_in_its_bucket(v);
	for (uint32_t bit = 8; bit <= 34; bit++)
		for (uint64_t near = 0; near < 256; near++) {
			assert_in_its_bucket((1ull << bit) + near);
			assert_in_its_bucket((1ull << bit) - near);
		}
	for (int n = 0; n < 1000000; n++)
		assert_in_its_bucket(next_random(&seed) >> (30 + n % 34));
}

static void buckets_grow_and_stay_below_one_percent(void **state)
{
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		uint64_t low = hist_low(i), width = hist_low(i + 1) - low;

		assert_true(width >= 1);
		assert_int_equal(hist_index(low), i);
		assert_int_equal(hist_index(low + width - 1), i);
		if (low >= 256)
			assert_true(width * 128 <= low);
		else
			assert_int_equal(width, 1);
	}
}

static void the_largest_value_fits_the_array(void **state)
{
	assert_true(hist_index(HIST_MAX_NS) < HIST_BUCKETS);
	assert_int_equal(hist_index((1ull << 34) - 1), HIST_BUCKETS - 1);
}

/* Both forms of the logarithm, at every octave's first and last values and between them. */
static void the_form_for_bpf_is_no_other(void **state)
{
	uint64_t seed = 3;

	for (uint32_t bit = 0; bit < 64; bit++) {
		uint64_t low = 1ull << bit, high = low | (low - 1);

		assert_int_equal(hist_log2_steps(low), bit);
		assert_int_equal(hist_log2_steps(high), bit);
		for (int n = 0; n < 2000; n++) {
			uint64_t v = low | (next_random(&seed) & (low - 1));

			assert_int_equal(hist_log2_steps(v), bit);
			assert_int_equal(hist_log2_steps(v), hist_log2(v));
		}
	}
}

static void notes_are_counted_exactly(void **state)
{
	static struct hist h;

	memset(&h, 0, sizeof(h));
	hist_note(&h, 300);
	assert_int_equal(h.min, 300);
	assert_int_equal(h.max, 300);
	hist_note(&h, 0);
	hist_note(&h, 301);
	assert_int_equal(h.count, 3);
	assert_int_equal(h.sum, 601);
	assert_int_equal(h.min, 0);
	assert_int_equal(h.max, 301);
	assert_int_equal(h.bucket[hist_index(300)], 2);
	assert_int_equal(h.bucket[0], 1);
}

static void negative_values_are_counted_and_not_clamped(void **state)
{
	static struct hist h;

	memset(&h, 0, sizeof(h));
	hist_note(&h, -1);
	hist_note(&h, INT64_MIN);
	assert_int_equal(h.negative, 2);
	assert_int_equal(h.count, 0);
	assert_int_equal(h.sum, 0);
	for (int i = 0; i < HIST_BUCKETS; i++)
		assert_int_equal(h.bucket[i], 0);
	hist_note(&h, 9);
	assert_int_equal(h.min, 9);
}

static void values_over_the_range_have_no_bucket(void **state)
{
	static struct hist h;
	uint64_t in_buckets = 0;

	memset(&h, 0, sizeof(h));
	hist_note(&h, HIST_MAX_NS);
	hist_note(&h, HIST_MAX_NS + 1);
	hist_note(&h, INT64_MAX / 4);
	for (int i = 0; i < HIST_BUCKETS; i++)
		in_buckets += h.bucket[i];
	assert_int_equal(in_buckets, 1);
	assert_int_equal(h.over, 2);
	assert_int_equal(h.count, 3);
	assert_int_equal(h.max, INT64_MAX / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_below_256_have_a_bucket_each),
		cmocka_unit_test(known_values_have_known_buckets),
		cmocka_unit_test(every_value_lies_in_its_bucket),
		cmocka_unit_test(buckets_grow_and_stay_below_one_percent),
		cmocka_unit_test(the_largest_value_fits_the_array),
		cmocka_unit_test(the_form_for_bpf_is_no_other),
		cmocka_unit_test(notes_are_counted_exactly),
		cmocka_unit_test(negative_values_are_counted_and_not_clamped),
		cmocka_unit_test(values_over_the_range_have_no_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
