/* SPDX-License-Identifier: MIT */
/* core/units.h: what is a number and what is not. */
#include "core/units.h"
#include "unit.h"
#include <errno.h>
#include <string.h>

/* Words that are no number of any kind. */
static const char *const nonsense[] = {
	"",	" ",   " 1",  "1 ",	  "64k ",     "\t1",   "1\n",	"-1",	"+1",  "-",   "+",
	".",	"1.",  ".5",  "1.2.3",	  "1e9",      "1E9",   "1e",	"0x10", "0b1", "x",   "k",
	"copy", "inf", "nan", "NaN",	  "infinity", "1,000", "1_000", "1'0",	"1kk", "1kM", "1Ki",
	"1 k",	"--1", "1-",  "\xc2\xb2", "\xd9\xa1", "1/2",   "1k5",	"1Q",
};

static void counts_are_whole_numbers_in_powers_of_ten(void **state)
{
	static const struct {
		const char *word;
		uint64_t want;
	} rows[] = {
		{"0", 0},
		{"1500", 1500},
		{"007", 7},
		{"64k", 64000},
		{"64K", 64000},
		{"2.5M", 2500000},
		{"1G", 1000000000},
		{"1.5k", 1500},
		{"1.000", 1},
		{"0.001k", 1},
		{"1.0000000000000000000k", 1000},
		{"18446744073709551615", UINT64_MAX},
		{"18446744073.709551615G", UINT64_MAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t got = 77;

		assert_int_equal(parse_count(rows[i].word, &got), 0);
		assert_true(got == rows[i].want);
	}
}

static void assert_count_fails(const char *word, int want)
{
	uint64_t got = 77;
	int err = parse_count(word, &got);

	if (err != want)
		print_error("count \"%s\"\n", word);
	assert_int_equal(err, want);
	assert_int_equal(got, 77);
}

static void nonsense_is_no_count(void **state)
{
	static const char *const more[] = {"1.5",  "0.0001k", "1.0005k", "1s",
					   "1pps", "max",     "50%",	 "1m"};

	for (size_t i = 0; i < ARRAY_LEN(nonsense); i++)
		assert_count_fails(nonsense[i], -EINVAL);
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		assert_count_fails(more[i], -EINVAL);
}

static void counts_that_overflow_are_out_of_range(void **state)
{
	static const char *const words[] = {"18446744073709551616", "18446744073709552k",
					    "18446744073.709551616G", "99999999999999999999999999",
					    "111111111111111111111111111111111111111111111111111"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		assert_count_fails(words[i], -ERANGE);
	assert_count_fails("99999999999999999999999999x", -EINVAL);
	assert_count_fails("111111111111111111111111111111111111111111111111111x", -EINVAL);
}

static void decimals_are_right_to_the_last_bit(void **state)
{
	static const struct {
		const char *word;
		double want;
	} rows[] = {{"0", 0},	       {"0.1", 0.1},	  {"0.0", 0},
		    {"2.5M", 2500000}, {"1.1M", 1100000}, {"1234567.89", 1234567.89},
		    {"12k", 12000}};
	double got = 77;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(parse_decimal(rows[i].word, &got), 0);
		assert_true(got == rows[i].want);
	}
	got = 77;
	for (size_t i = 0; i < ARRAY_LEN(nonsense); i++)
		assert_int_equal(parse_decimal(nonsense[i], &got), -EINVAL);
	assert_int_equal(parse_decimal("1%", &got), -EINVAL);
	assert_int_equal(parse_decimal("0.11111111111111111111111111111111111111111111111", &got),
			 -ERANGE);
	assert_true(got == 77);
}

static void durations_are_whole_nanoseconds(void **state)
{
	static const struct {
		const char *word;
		uint64_t want;
	} rows[] = {
		{"0", 0},
		{"10", 10000000000},
		{"1.5", 1500000000},
		{"0.000000001", 1},
		{"10s", 10000000000},
		{"500ms", 500000000},
		{"20us", 20000},
		{"2.5us", 2500},
		{"100ns", 100},
		{"1m", 60000000000},
		{"1.5m", 90000000000},
		{"1m30s", 90000000000},
		{"2h", 7200000000000},
		{"1h1m1s1ms1us1ns", 3661001001001},
		{"1h0.5s", 3600500000000},
		{"9223372036854775807ns", INT64_MAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t got = 77;

		assert_int_equal(parse_duration(rows[i].word, &got), 0);
		assert_true(got == rows[i].want);
	}
}

static void assert_duration_fails(const char *word, int want)
{
	uint64_t got = 77;
	int err = parse_duration(word, &got);

	if (err != want)
		print_error("duration \"%s\"\n", word);
	assert_int_equal(err, want);
	assert_int_equal(got, 77);
}

static void nonsense_is_no_duration(void **state)
{
	static const char *const more[] = {
		"1M",	"1H",	 "1S",	     "1d",     "1min", "1sec",	 "s",
		"1m30", "30s1m", "1s1s",     "1.5m1s", "1 m",  "1m 30s", "1m-3s",
		"1ss",	"0.5ns", "1.0001us", "1k",     "1pps", "1m30x",
	};

	for (size_t i = 0; i < ARRAY_LEN(nonsense); i++)
		assert_duration_fails(nonsense[i], -EINVAL);
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		assert_duration_fails(more[i], -EINVAL);
	assert_duration_fails("9223372036854775808ns", -ERANGE);
	assert_duration_fails("99999999999999999999h", -ERANGE);
	assert_duration_fails("2562047h48m", -ERANGE);
	assert_duration_fails("99999999999999999999h1x", -EINVAL);
}

static void rates_have_a_unit(void **state)
{
	static const struct {
		const char *word;
		struct rate_spec want;
	} rows[] = {
		{"1500pps", {RATE_PPS, 1500}},
		{"1Mpps", {RATE_PPS, 1e6}},
		{"1mpps", {RATE_PPS, 1e6}},
		{"1MPPS", {RATE_PPS, 1e6}},
		{"2.5kpps", {RATE_PPS, 2500}},
		{"0.5pps", {RATE_PPS, 0.5}},
		{"1234567.89pps", {RATE_PPS, 1234567.89}},
		{"5Gbps", {RATE_L1_BPS, 5e9}},
		{"5gbps", {RATE_L1_BPS, 5e9}},
		{"5Gbps/l1", {RATE_L1_BPS, 5e9}},
		{"5Gbps/l2", {RATE_L2_BPS, 5e9}},
		{"5Gbps/L2", {RATE_L2_BPS, 5e9}},
		{"100bps", {RATE_L1_BPS, 100}},
		{"80%", {RATE_PERCENT, 80}},
		{"0.1%", {RATE_PERCENT, 0.1}},
		{"100%", {RATE_PERCENT, 100}},
		{"max", {RATE_MAX, 0}},
		{"MAX", {RATE_MAX, 0}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct rate_spec got = {RATE_PPS, 77};

		assert_int_equal(parse_rate(rows[i].word, &got), 0);
		assert_int_equal(got.unit, rows[i].want.unit);
		assert_true(got.value == rows[i].want.value);
	}
}

static void assert_rate_fails(const char *word, int want)
{
	struct rate_spec got = {RATE_PPS, 77};
	int err = parse_rate(word, &got);

	if (err != want)
		print_error("rate \"%s\"\n", word);
	assert_int_equal(err, want);
	assert_true(got.value == 77);
}

static void nonsense_is_no_rate(void **state)
{
	static const char *const more[] = {
		"1",	  "1000",   "1M",     "pps",	"Mpps",	    "1 Mpps",  "1Mpps ", "1Mp",
		"1MMpps", "1Tpps",  "5Gbit",  "5Gbps/", "5Gbps/l3", "5Gbps/l", "5G/l2",	 "5pps/l1",
		"%",	  "80 %",   "80%%",   "80k%",	"maximum",  "ma",      "max ",	 " max",
		"1fps",	  "-5Gbps", "1e6pps", "infpps", "nanpps",   "0x1pps",
	};

	for (size_t i = 0; i < ARRAY_LEN(nonsense); i++)
		assert_rate_fails(nonsense[i], -EINVAL);
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		assert_rate_fails(more[i], -EINVAL);
	assert_rate_fails("0pps", -ERANGE);
	assert_rate_fails("0%", -ERANGE);
	assert_rate_fails("0.0Gbps", -ERANGE);
	assert_rate_fails("100.1%", -ERANGE);
	assert_rate_fails("11111111111111111111111111111111111111111111111pps", -ERANGE);
}

static double pps_of(const char *word, uint32_t frame_bytes, uint64_t link_bps)
{
	struct rate_spec rate;
	double pps = -1;

	assert_int_equal(parse_rate(word, &rate), 0);
	assert_int_equal(rate_to_pps(&rate, frame_bytes, link_bps, &pps), 0);
	return pps;
}

static void rates_become_frames_per_second(void **state)
{
	assert_true(pps_of("1Mpps", 64, 0) == 1e6);
	assert_true(pps_of("max", 64, 0) == 0);
	assert_int_equal(pps_of("10Gbps", 64, 0), 14880952);
	assert_int_equal(pps_of("10Gbps/l2", 64, 0), 19531250);
	assert_int_equal(pps_of("5Gbps", 1518, 0), 406371);
	assert_int_equal(pps_of("100%", 64, 10000000000), 14880952);
	assert_int_equal(pps_of("50%", 64, 10000000000), 7440476);
	assert_int_equal(pps_of("100%", 9018, 100000000000), 1383049);
}

static void rates_that_cannot_be_are_refused(void **state)
{
	struct rate_spec percent = {RATE_PERCENT, 50};
	struct rate_spec slow = {RATE_PPS, 1.0 / 3601}, hourly = {RATE_PPS, 1.0 / 3600};
	struct rate_spec fast = {RATE_PPS, 1e9 + 1}, billion = {RATE_PPS, 1e9};
	struct rate_spec wide = {RATE_L1_BPS, 1e13};
	double pps = 77;

	assert_int_equal(rate_to_pps(&percent, 64, 0, &pps), -ENODATA);
	assert_int_equal(rate_to_pps(&slow, 64, 0, &pps), -ERANGE);
	assert_int_equal(rate_to_pps(&fast, 64, 0, &pps), -ERANGE);
	assert_int_equal(rate_to_pps(&wide, 64, 0, &pps), -ERANGE);
	assert_true(pps == 77);
	assert_int_equal(rate_to_pps(&hourly, 64, 0, &pps), 0);
	assert_int_equal(rate_to_pps(&billion, 64, 0, &pps), 0);
	assert_true(pps == 1e9);
}

static void mac_addresses_are_six_pairs(void **state)
{
	static const uint8_t want[6] = {0x02, 0, 0, 0xab, 0xCD, 0x0a};
	static const char *const bad[] = {
		"",
		"02:00:00:00:00",
		"02:00:00:00:00:0a:0b",
		"02:00:00:00:00:0",
		"2:0:0:0:0:a",
		"02:00:00-00:00:0a",
		"02-00:00:00:00:0a",
		"02.00.00.00.00.0a",
		"0200.0000.000a",
		"02000000000a",
		"02:00:00:00:00:0g",
		" 2:00:00:00:00:0a",
		"02:00:00:00:00:0a ",
		"+2:00:00:00:00:0a",
		"02:00:00:00:00::a",
		"0x:00:00:00:00:0a",
	};
	uint8_t got[6];

	assert_int_equal(parse_mac("02:00:00:ab:CD:0a", got), 0);
	assert_memory_equal(got, want, 6);
	memset(got, 0, 6);
	assert_int_equal(parse_mac("02-00-00-aB-cd-0A", got), 0);
	assert_memory_equal(got, want, 6);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(parse_mac(bad[i], got), -EINVAL);
		assert_memory_equal(got, want, 6);
	}
}

static void sets_are_numbers_and_ranges(void **state)
{
	uint64_t bits[16] = {0};

	assert_int_equal(parse_set("0,2-3", 64, bits), 0);
	assert_int_equal(bits[0], 0xd);
	assert_int_equal(parse_set("5", 6, bits), 0);
	assert_int_equal(bits[0], 0x20);
	assert_int_equal(parse_set("3,1,1-2", 64, bits), 0);
	assert_int_equal(bits[0], 0xe);
	assert_int_equal(parse_set("0-1023", 1024, bits), 0);
	for (int i = 0; i < 16; i++)
		assert_true(bits[i] == UINT64_MAX);
	assert_int_equal(parse_set("64,127", 128, bits), 0);
	assert_true(bits[0] == 0 && bits[1] == (1 | 1ull << 63));
	assert_true(bits[2] == UINT64_MAX); /* only as many words as max needs */
}

static void bad_sets_leave_the_bits_alone(void **state)
{
	static const char *const bad[] = {"",	   ",",	  "1,", ",1",  "1,,2", "1-",  "-1",  "1--2",
					  "1-2-3", "3-2", "a",	"1a",  "1;2",  "1 2", " 1",  "1 ",
					  "0x1",   "1.0", "1k", "all", "*",    "1-a", "99,a"};
	static const char *const large[] = {"64",
					    "0-64",
					    "0,99",
					    "99999999999999999999",
					    "0-99999999999999999999",
					    "0-18446744073709551615"};
	uint64_t bits = 77;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(parse_set(bad[i], 64, &bits), -EINVAL);
	for (size_t i = 0; i < ARRAY_LEN(large); i++)
		assert_int_equal(parse_set(large[i], 64, &bits), -ERANGE);
	assert_int_equal(bits, 77);
}

static void port_ranges_fill_a_table(void **state)
{
	struct port_range r[MATCH_UDP_RANGES];

	memset(r, 0xff, sizeof(r));
	assert_int_equal(parse_port_ranges("7,100-200", r), 0);
	assert_int_equal(r[0].low, 7);
	assert_int_equal(r[0].high, 7);
	assert_int_equal(r[1].low, 100);
	assert_int_equal(r[1].high, 200);
	assert_int_equal(r[2].high, 0);
	assert_int_equal(parse_port_ranges("1-65535", r), 0);
	assert_int_equal(r[0].high, 65535);
	assert_int_equal(r[1].high, 0);
	assert_int_equal(parse_port_ranges("1,2,3,4,5,6,7,8", r), 0);
	assert_int_equal(r[7].low, 8);
}

static void bad_port_ranges_leave_the_table_alone(void **state)
{
	static const char *const bad[] = {"", ",", "7,", "-7", "7-", "200-100", "echo", "7 ", "7k"};
	static const char *const large[] = {"0", "0-5", "65536", "1-65536", "1,2,3,4,5,6,7,8,9"};
	struct port_range r[MATCH_UDP_RANGES], before[MATCH_UDP_RANGES];

	memset(r, 0x5a, sizeof(r));
	memcpy(before, r, sizeof(r));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(parse_port_ranges(bad[i], r), -EINVAL);
	for (size_t i = 0; i < ARRAY_LEN(large); i++)
		assert_int_equal(parse_port_ranges(large[i], r), -ERANGE);
	assert_memory_equal(r, before, sizeof(r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_whole_numbers_in_powers_of_ten),
		cmocka_unit_test(nonsense_is_no_count),
		cmocka_unit_test(counts_that_overflow_are_out_of_range),
		cmocka_unit_test(decimals_are_right_to_the_last_bit),
		cmocka_unit_test(durations_are_whole_nanoseconds),
		cmocka_unit_test(nonsense_is_no_duration),
		cmocka_unit_test(rates_have_a_unit),
		cmocka_unit_test(nonsense_is_no_rate),
		cmocka_unit_test(rates_become_frames_per_second),
		cmocka_unit_test(rates_that_cannot_be_are_refused),
		cmocka_unit_test(mac_addresses_are_six_pairs),
		cmocka_unit_test(sets_are_numbers_and_ranges),
		cmocka_unit_test(bad_sets_leave_the_bits_alone),
		cmocka_unit_test(port_ranges_fill_a_table),
		cmocka_unit_test(bad_port_ranges_leave_the_table_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
