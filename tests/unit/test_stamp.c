/* SPDX-License-Identifier: MIT */
/* The stamp of abi/stamp.h: layout, check, reply flag, 40-bit clock. */
#include "abi/stamp.h"
#include "unit.h"
#include <string.h>

static void put(uint8_t *at, const struct stamp *s)
{
	uint64_t head = stamp_head(s->run, s->flags);

	stamp_put(at, head, stamp_burst_sum(head, s->time), s->flow, s->seq, s->time);
}

static struct stamp random_stamp(uint64_t *seed)
{
	uint64_t a = next_random(seed), b = next_random(seed);

	return (struct stamp){
		.run = (uint16_t)a,
		.flags = (a >> 16) & 0xf,
		.flow = (a >> 20) & STAMP_FLOW_MAX,
		.seq = (uint32_t)b,
		.time = next_random(seed) & STAMP_TIME_MASK,
	};
}

/* The sum of the nine words, added one after the other. */
static uint32_t plain_sum(const uint8_t *at)
{
	uint32_t sum = 0;

	for (int i = 0; i < STAMP_LEN; i += 2) {
		sum += (uint32_t)at[i] << 8 | at[i + 1];
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static void stamp_has_the_documented_bytes(void **state)
{
	static const uint8_t want[STAMP_LEN] = {
		0x78, 0x64,		      /* magic */
		0x10, 0x0d,		      /* check: ~0xeff2, the sum of the other words */
		0x12, 0x34,		      /* run */
		0x1a, 0xbc, 0xde,	      /* flags 1 (from_b), flow 0xabcde */
		0x01, 0x02, 0x03, 0x04,	      /* sequence */
		0x11, 0x22, 0x33, 0x44, 0x55, /* time */
	};
	struct stamp s = {.run = 0x1234,
			  .flags = STAMP_FROM_B,
			  .flow = 0xabcde,
			  .seq = 0x01020304,
			  .time = 0x1122334455};
	uint8_t got[STAMP_LEN];

	put(got, &s);
	assert_memory_equal(got, want, STAMP_LEN);
}

static void a_stamp_reads_back_as_written(void **state)
{
	uint64_t seed = 1;

	for (int i = 0; i < 100000; i++) {
		struct stamp in = random_stamp(&seed), out;
		uint8_t at[STAMP_LEN];

		put(at, &in);
		stamp_get(at, &out);
		assert_int_equal(out.run, in.run);
		assert_int_equal(out.flags, in.flags);
		assert_int_equal(out.flow, in.flow);
		assert_int_equal(out.seq, in.seq);
		assert_true(out.time == in.time);
		assert_true(stamp_ok(at));
		assert_int_equal(plain_sum(at), 0xffff);
	}
}

static void extreme_fields_keep_the_sum(void **state)
{
	static const struct stamp extremes[] = {
		{0},
		{0xffff, 0xf, STAMP_FLOW_MAX, UINT32_MAX, STAMP_TIME_MASK},
		{0, 0, STAMP_FLOW_MAX, 0, 0},
		{0, 0, 0, UINT32_MAX, 0},
		{0, 0, 0, 0, STAMP_TIME_MASK},
		{0x879b, 0, 0, 0, 0}, /* magic + run = 0xffff: check 0 */
	};

	for (size_t i = 0; i < ARRAY_LEN(extremes); i++) {
		uint8_t at[STAMP_LEN];

		put(at, &extremes[i]);
		assert_true(stamp_ok(at));
		assert_int_equal(plain_sum(at), 0xffff);
	}
}

static void time_beyond_40_bits_is_cut_off(void **state)
{
	uint64_t head = stamp_head(7, 0), time = 0xabcd112233445566ull;
	uint8_t at[STAMP_LEN];
	struct stamp s;

	stamp_put(at, head, stamp_burst_sum(head, time), 3, 4, time);
	stamp_get(at, &s);
	assert_true(stamp_ok(at));
	assert_true(s.time == 0x2233445566ull);
	assert_int_equal(s.flow, 3);
	assert_int_equal(s.seq, 4);
}

static void each_flipped_bit_is_found(void **state)
{
	uint64_t seed = 2;

	for (int n = 0; n < 200; n++) {
		struct stamp s = random_stamp(&seed);
		uint8_t at[STAMP_LEN];

		put(at, &s);
		for (int bit = 0; bit < STAMP_LEN * 8; bit++) {
			at[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_false(stamp_ok(at));
			at[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		assert_true(stamp_ok(at));
	}
}

static void zeros_and_ones_are_no_stamp(void **state)
{
	uint8_t at[STAMP_LEN];

	memset(at, 0, sizeof(at));
	assert_false(stamp_ok(at));
	memset(at, 0xff, sizeof(at));
	assert_false(stamp_ok(at));
}

static void a_reply_keeps_the_sum_and_all_else(void **state)
{
	uint64_t seed = 3;

	for (int i = 0; i < 100000; i++) {
		struct stamp in = random_stamp(&seed), out;
		uint8_t at[STAMP_LEN];

		in.flags &= (uint8_t)~STAMP_REPLY;
		put(at, &in);
		assert_false(stamp_is_reply(at));
		stamp_set_reply(at);
		assert_true(stamp_is_reply(at));
		assert_true(stamp_ok(at));
		assert_int_equal(plain_sum(at), 0xffff);
		stamp_get(at, &out);
		assert_int_equal(out.flags, in.flags | STAMP_REPLY);
		assert_int_equal(out.run, in.run);
		assert_int_equal(out.flow, in.flow);
		assert_int_equal(out.seq, in.seq);
		assert_true(out.time == in.time);
	}
}

static void age_is_signed_across_the_wrap(void **state)
{
	assert_int_equal(stamp_age(1000, 400), 600);
	assert_int_equal(stamp_age(400, 1000), -600);
	assert_int_equal(stamp_age((1ull << 40) + 5, STAMP_TIME_MASK - 4), 10);
	assert_int_equal(stamp_age(5, STAMP_TIME_MASK - 4), 10);
	assert_int_equal(stamp_age(STAMP_TIME_MASK - 4, 5), -10);
	/* The clock has more bits than the stamp. */
	assert_int_equal(stamp_age(0x123456789abcdefull, 0x123456789abcdefull & STAMP_TIME_MASK),
			 0);
	assert_int_equal(stamp_age((1ull << 39) - 1, 0), (1ll << 39) - 1);
}

static void stores_and_loads_are_big_endian_at_any_address(void **state)
{
	uint8_t p[16] = {0};

	store_be64(p + 1, 0x0102030405060708ull);
	assert_int_equal(p[1], 1);
	assert_int_equal(p[8], 8);
	assert_true(load_be64(p + 1) == 0x0102030405060708ull);
	assert_int_equal(load_be32(p + 3), 0x03040506);
	assert_int_equal(load_be16(p + 7), 0x0708);
	store_be32(p + 9, 0xa1a2a3a4);
	store_be16(p + 13, 0xb1b2);
	assert_int_equal(p[9], 0xa1);
	assert_int_equal(p[12], 0xa4);
	assert_int_equal(p[14], 0xb2);
	assert_int_equal(p[15], 0);
}

static void folding_equals_the_remainder(void **state)
{
	uint64_t seed = 4;

	assert_int_equal(fold16(0), 0);
	assert_int_equal(fold16(0xffff), 0xffff);
	assert_int_equal(fold16(0x10000), 1);
	assert_int_equal(fold16(UINT64_MAX), 0xffff);
	for (int i = 0; i < 100000; i++) {
		uint64_t v = next_random(&seed) >> (i % 60);

		assert_int_equal(fold16(v) % 0xffff, v % 0xffff);
		assert_true(fold16(v) <= 0xffff);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamp_has_the_documented_bytes),
		cmocka_unit_test(a_stamp_reads_back_as_written),
		cmocka_unit_test(extreme_fields_keep_the_sum),
		cmocka_unit_test(time_beyond_40_bits_is_cut_off),
		cmocka_unit_test(each_flipped_bit_is_found),
		cmocka_unit_test(zeros_and_ones_are_no_stamp),
		cmocka_unit_test(a_reply_keeps_the_sum_and_all_else),
		cmocka_unit_test(age_is_signed_across_the_wrap),
		cmocka_unit_test(stores_and_loads_are_big_endian_at_any_address),
		cmocka_unit_test(folding_equals_the_remainder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
