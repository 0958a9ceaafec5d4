/* SPDX-License-Identifier: MIT */
/* core/units.h: line rates, and numbers for people. */
#include "core/units.h"
#include "unit.h"
#include <math.h>

/* RFC 2544 appendix B and RFC 5180 arithmetic. */
static void line_rates_are_those_of_the_standards(void **state)
{
	static const struct {
		uint32_t frame_bytes;
		uint64_t gbit;
		double pps;
	} rows[] = {{64, 1, 1488095},	{64, 10, 14880952}, {64, 100, 148809523},
		    {128, 10, 8445945}, {512, 25, 5874060}, {1518, 1, 81274},
		    {1518, 10, 812743}, {4096, 10, 303692}, {9018, 400, 5532197},
		    {9216, 40, 541359}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_true(floor(line_pps(rows[i].gbit * 1000000000, rows[i].frame_bytes)) ==
			    rows[i].pps);
	assert_true(l1_bps(1, 64) == 672);
	assert_true(l2_bps(1, 64) == 512);
	assert_true(fabs(l1_bps(line_pps(10000000000, 1518), 1518) - 1e10) < 1);
	assert_true(fabs(l2_bps(line_pps(10000000000, 64), 64) / 1e10 - 0.761905) < 1e-6);
}

static void counts_for_people_have_four_digits(void **state)
{
	static const struct {
		double value;
		const char *want;
	} rows[] = {
		{0, "0"},
		{950, "950"},
		{999, "999"},
		{12.5, "12.50"},
		{999.94, "999.9"},
		{999.96, "1.000 k"},
		{1000, "1.000 k"},
		{812743, "812.7 k"},
		{14880952, "14.88 M"},
		{99996, "100.0 k"},
		{999949, "999.9 k"},
		{999951, "1.000 M"},
		{1e10, "10.00 G"},
		{-1234, "-1.234 k"},
		{0.25, "0.25"},
		{1.0 / 3600, "0.0002778"},
		{1.2345e15, "1234 T"},
		{NAN, "-"},
		{(double)UNKNOWN, "-"},
	};
	char text[32];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(format_count(text, sizeof(text), rows[i].value), rows[i].want);
}

static void times_for_people_have_three_digits(void **state)
{
	static const struct {
		double value;
		const char *want;
	} rows[] = {
		{0, "0 ns"},	     {1, "1 ns"},
		{999, "999 ns"},     {12.34, "12.3 ns"},
		{999.7, "1.00 us"},  {1234, "1.23 us"},
		{12345, "12.3 us"},  {999400, "999 us"},
		{999600, "1.00 ms"}, {1e10, "10.0 s"},
		{3.6e12, "3600 s"},  {-1500, "-1.50 us"},
		{NAN, "-"},	     {(double)UNKNOWN, "-"},
	};
	char text[32];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(format_ns(text, sizeof(text), rows[i].value), rows[i].want);
}

static void exact_numbers_show_every_digit(void **state)
{
	static const struct {
		int64_t value;
		const char *want;
	} rows[] = {
		{0, "0"},
		{7, "7"},
		{999, "999"},
		{1000, "1,000"},
		{12345678, "12,345,678"},
		{-1, "-1"},
		{-123456, "-123,456"},
		{UNKNOWN, "-"},
		{INT64_MAX, "9,223,372,036,854,775,807"},
		{INT64_MIN + 1, "-9,223,372,036,854,775,807"},
	};
	char text[32];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(format_exact(text, sizeof(text), rows[i].value), rows[i].want);
}

static void text_is_cut_to_its_size(void **state)
{
	char text[5] = "####";

	assert_ptr_equal(format_exact(text, 4, 12345678), text);
	assert_string_equal(text, "12,");
	assert_string_equal(format_count(text, 5, 14880952), "14.8");
	assert_string_equal(format_ns(text, 2, 5), "5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_rates_are_those_of_the_standards),
		cmocka_unit_test(counts_for_people_have_four_digits),
		cmocka_unit_test(times_for_people_have_three_digits),
		cmocka_unit_test(exact_numbers_show_every_digit),
		cmocka_unit_test(text_is_cut_to_its_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
