/* SPDX-License-Identifier: MIT */
/* core/frame.h: bytes of a frame, checksums by two ways, and the full check of a received one. */
#include "abi/swap.h"
#include "core/frame.h"
#include "unit.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct frame_spec spec_a = {
	.src_mac = {0x02, 0, 0, 0, 0, 0x0a},
	.dst_mac = {0x02, 0, 0, 0, 0, 0x0b},
	.src_ip = FRAME_NET_A,
	.dst_ip = FRAME_NET_B,
	.frame_bytes = 64,
};

/*
 * Sums by hand. IPv4: 4500+002e+0000+4000+4011+c612+0001+c613+0001 = 25166, folded 5168, ~ae97.
 * UDP: addresses 18c27, protocol 0011, length 001a twice, ports c000 twice, stamp ffff:
 * 18c27+11+1a+1a+18000+ffff = 40c6b, folded 0c6f, ~f390.
 * Stamp of nothing: magic 7864, check ~7864 = 879b.
 */
static void a_64_byte_frame_has_these_bytes(void **state)
{
	static const uint8_t want[60] = {
		0x02, 0,    0,	  0,	0,    0x0b, 0x02, 0,	0,    0,    0,	  0x0a,
		0x08, 0x00, 0x45, 0x00, 0x00, 0x2e, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
		0xae, 0x97, 0xc6, 0x12, 0x00, 0x01, 0xc6, 0x13, 0x00, 0x01, 0xc0, 0x00,
		0xc0, 0x00, 0x00, 0x1a, 0xf3, 0x90, 0x78, 0x64, 0x87, 0x9b,
	};
	static struct frame f;

	assert_int_equal(frame_build(&spec_a, &f), 0);
	assert_int_equal(f.len, 60);
	assert_memory_equal(f.data, want, 60);
}

static void sizes_out_of_range_are_refused(void **state)
{
	static const uint32_t bad[] = {0, 3, 4, 60, 63, FRAME_BYTES_MAX + 1, UINT32_MAX};
	static struct frame f, before;

	memset(&f, 0x5a, sizeof(f));
	before = f;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct frame_spec spec = spec_a;

		spec.frame_bytes = bad[i];
		assert_int_equal(frame_build(&spec, &f), -ERANGE);
		assert_memory_equal(&f, &before, sizeof(f));
	}
}

/* One word after the other, with end-around carry: the plainest way. */
static uint32_t plain_sum(uint32_t sum, const uint8_t *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static uint32_t plain_udp_sum(const uint8_t *ip, uint32_t udp_len)
{
	uint8_t pseudo[4] = {0, IPPROTO_NR_UDP, (uint8_t)(udp_len >> 8), (uint8_t)udp_len};

	return plain_sum(plain_sum(plain_sum(0, ip + 12, 8), pseudo, 4), ip + 20, udp_len);
}

static void assert_sums(const uint8_t *data, uint32_t len)
{
	assert_int_equal(plain_sum(0, data + 14, 20), 0xffff);
	assert_int_equal(plain_udp_sum(data + 14, len - 34), 0xffff);
	assert_true(load_be16(data + 40) != 0);
}

static void stamp_random(uint8_t *data, uint64_t *seed, uint32_t flow)
{
	uint64_t head = stamp_head((uint16_t)next_random(seed), next_random(seed) & STAMP_FROM_B);
	uint64_t time = next_random(seed);

	stamp_put(data + STAMP_OFFSET, head, stamp_burst_sum(head, time), flow,
		  (uint32_t)next_random(seed), time);
}

static void every_size_has_right_sums_and_pattern(void **state)
{
	static struct frame f;
	struct frame_spec spec = spec_a;

	for (spec.frame_bytes = FRAME_BYTES_MIN; spec.frame_bytes <= FRAME_BYTES_MAX;
	     spec.frame_bytes += spec.frame_bytes < 1600 ? 1 : 97) {
		assert_int_equal(frame_build(&spec, &f), 0);
		assert_int_equal(f.len, spec.frame_bytes - 4);
		assert_int_equal(load_be16(f.data + 16), f.len - 14);
		assert_int_equal(load_be16(f.data + 38), f.len - 34);
		assert_sums(f.data, f.len);
		assert_true(stamp_ok(f.data + STAMP_OFFSET));
		assert_true(frame_intact(f.data, f.len, STAMP_OFFSET));
		for (uint32_t at = 60; at < f.len; at++)
			assert_int_equal(f.data[at], at & 0xff);
	}
}

static void any_flow_and_stamp_gives_a_right_checksum(void **state)
{
	static struct frame f;
	struct frame_spec spec = spec_a;
	uint64_t seed = 5;

	for (int i = 0; i < 50000; i++) {
		uint32_t flow = (uint32_t)(next_random(&seed) % FRAME_FLOWS_MAX);

		spec.frame_bytes = 64 + (uint32_t)(next_random(&seed) % 200);
		spec.src_ip = (uint32_t)next_random(&seed);
		assert_int_equal(frame_build(&spec, &f), 0);
		frame_set_flow(f.data, f.udp_sum, f.udp_rest, flow);
		stamp_random(f.data, &seed, flow);
		assert_sums(f.data, f.len);
		assert_int_equal(load_be16(f.data + 38), f.len - 34);
		assert_int_equal(load_be16(f.data + 34), 0xc000 | (flow & 0x3fff));
		assert_int_equal(load_be16(f.data + 36), 0xc000 | flow >> 14);
		assert_int_equal(frame_port_flow(f.data + FRAME_UDP_AT), flow);
		assert_true(frame_intact(f.data, f.len, STAMP_OFFSET));
	}
}

/* RFC 768: a computed 0 is sent as ffff. This source lacks 0x100 to that, so flow 0x100 has it. */
static void the_checksum_is_never_zero(void **state)
{
	static struct frame f;
	struct frame_spec spec = spec_a;
	int ones = 0;

	spec.src_ip = FRAME_NET_A + 0xf390 - 0x100;
	assert_int_equal(frame_build(&spec, &f), 0);
	for (uint32_t flow = 0; flow < FRAME_FLOWS_MAX; flow++) {
		uint32_t check;

		frame_set_flow(f.data, f.udp_sum, f.udp_rest, flow);
		check = load_be16(f.data + 40);
		assert_true(check != 0);
		assert_true(flow != 0x100 || check == 0xffff);
		if (check != 0xffff)
			continue;
		ones++;
		store_be16(f.data + 40, 0); /* the same number, but it means something else */
		assert_false(frame_intact(f.data, f.len, STAMP_OFFSET));
		store_be16(f.data + 40, 0xffff);
		assert_sums(f.data, f.len);
		assert_true(frame_intact(f.data, f.len, STAMP_OFFSET));
	}
	assert_true(ones > 0);
}

/* The frame as it is, or with one VLAN tag put in. */
static uint32_t tagged(const struct frame *f, uint32_t tags, uint8_t *out)
{
	memcpy(out, f->data, 12);
	for (uint32_t i = 0; i < tags; i++)
		memcpy(out + 12 + 4 * i, "\x81\x00\x00\x64", 4);
	memcpy(out + 12 + 4 * tags, f->data + 12, f->len - 12);
	return f->len + 4 * tags;
}

/* What a switch may rewrite, and no sum shows: priority and number of a VLAN. */
static bool in_tag(uint32_t at, uint32_t tags)
{
	return tags && (at == 14 || at == 15);
}

static void each_flipped_bit_behind_the_macs_is_found(void **state)
{
	static const uint32_t sizes[] = {64, 65, 128, 333};
	static struct frame f;
	struct frame_spec spec = spec_a;
	uint8_t data[400];

	for (uint32_t n = 0; n < 2 * ARRAY_LEN(sizes); n++) {
		uint32_t tags = n % 2, len;

		spec.frame_bytes = sizes[n / 2];
		assert_int_equal(frame_build(&spec, &f), 0);
		frame_set_flow(f.data, f.udp_sum, f.udp_rest, 12345);
		len = tagged(&f, tags, data);
		assert_true(frame_intact(data, len, STAMP_OFFSET + 4 * tags));
		for (uint32_t bit = 8 * 12; bit < 8 * len; bit++) {
			if (in_tag(bit / 8, tags))
				continue;
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
			if (frame_intact(data, len, STAMP_OFFSET + 4 * tags))
				print_error("%u bytes: flipped bit %u was not seen\n", sizes[n / 2],
					    bit);
			assert_false(frame_intact(data, len, STAMP_OFFSET + 4 * tags));
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
}

/* Two swapped words keep every sum; only the pattern shows them. */
static void swapped_payload_words_are_found(void **state)
{
	static struct frame f;
	struct frame_spec spec = spec_a;

	spec.frame_bytes = 128;
	assert_int_equal(frame_build(&spec, &f), 0);
	memcpy(f.data + 80, (uint8_t[]){82, 83, 80, 81}, 4);
	assert_sums(f.data, f.len);
	assert_false(frame_intact(f.data, f.len, STAMP_OFFSET));
}

static void a_frame_without_checksum_is_not_intact(void **state)
{
	static struct frame f;

	assert_int_equal(frame_build(&spec_a, &f), 0);
	store_be16(f.data + 40, 0);
	assert_false(frame_intact(f.data, f.len, STAMP_OFFSET));
}

static void a_truncated_frame_is_not_intact(void **state)
{
	static struct frame f;
	struct frame_spec spec = spec_a;

	spec.frame_bytes = 100;
	assert_int_equal(frame_build(&spec, &f), 0);
	for (uint32_t len = 0; len < f.len; len++) {
		uint8_t *exact = malloc(len + 1);

		memcpy(exact + 1, f.data, len);
		assert_false(frame_intact(exact + 1, len, STAMP_OFFSET));
		free(exact);
	}
	for (uint32_t off = 0; off < STAMP_OFFSET; off++)
		assert_false(frame_intact(f.data, f.len, off));
	assert_false(frame_intact(f.data, f.len, UINT32_MAX));
}

static void padding_behind_the_packet_does_no_harm(void **state)
{
	static struct frame f;
	uint8_t data[80] = {0};

	assert_int_equal(frame_build(&spec_a, &f), 0);
	memcpy(data, f.data, f.len);
	assert_true(frame_intact(data, sizeof(data), STAMP_OFFSET));
}

static void a_reflected_frame_is_intact(void **state)
{
	static struct frame f;
	struct frame_spec spec = spec_a;
	uint64_t seed = 6;

	spec.frame_bytes = 200;
	for (enum swap how = SWAP_NONE; how <= SWAP_L4; how++) {
		assert_int_equal(frame_build(&spec, &f), 0);
		frame_set_flow(f.data, f.udp_sum, f.udp_rest, 77777);
		stamp_random(f.data, &seed, 77777);
		swap_frame(f.data, f.data + f.len, how);
		stamp_set_reply(f.data + STAMP_OFFSET);
		assert_sums(f.data, f.len);
		assert_true(frame_intact(f.data, f.len, STAMP_OFFSET));
	}
}

/* The frame of a flow, with any stamp. */
static void of_flow(struct frame *f, uint32_t flow, uint64_t *seed)
{
	frame_set_flow(f->data, f->udp_sum, f->udp_rest, flow);
	stamp_random(f->data, seed, flow);
}

static void beside_an_example_each_damaged_byte_is_found(void **state)
{
	static const uint8_t masks[] = {0x01, 0x80, 0xff};
	static const uint32_t sizes[] = {64, 65, 128, 1518};
	static struct frame_example example;
	static struct frame f;
	struct frame_spec spec = spec_a;
	uint64_t seed = 8;

	for (uint32_t n = 0; n < ARRAY_LEN(sizes) * ARRAY_LEN(masks); n++) {
		spec.frame_bytes = sizes[n / ARRAY_LEN(masks)];
		assert_int_equal(frame_build(&spec, &f), 0);
		of_flow(&f, 77, &seed);
		assert_false(frame_is_like(&example, f.data, f.len) && !n);
		frame_remember(&example, f.data, f.len);
		of_flow(&f, 16400, &seed);
		for (uint32_t at = 0; at < f.len; at++) {
			bool like;

			f.data[at] ^= masks[n % ARRAY_LEN(masks)];
			like = frame_is_like(&example, f.data, f.len);
			if (at >= STAMP_OFFSET && at < STAMP_OFFSET + STAMP_LEN)
				like = stamp_ok(f.data + STAMP_OFFSET);
			if (like)
				fail_msg("%u bytes: damage at %u was not seen", f.len, at);
			f.data[at] ^= masks[n % ARRAY_LEN(masks)];
		}
		assert_true(frame_is_like(&example, f.data, f.len));
	}
}

static void frames_of_all_flows_are_like_one_of_them(void **state)
{
	static struct frame_example example;
	static struct frame f;
	struct frame_spec spec = spec_a;
	uint64_t seed = 9;

	spec.frame_bytes = 80;
	assert_int_equal(frame_build(&spec, &f), 0);
	of_flow(&f, 123456, &seed);
	frame_remember(&example, f.data, f.len);
	for (uint32_t flow = 0; flow < FRAME_FLOWS_MAX; flow += 1 + flow / 3000) {
		of_flow(&f, flow, &seed);
		assert_true(frame_is_like(&example, f.data, f.len));
		f.data[40] = f.data[41] = 0; /* no checksum */
		assert_false(frame_is_like(&example, f.data, f.len));
	}
}

/* A computed checksum of ffff means the same as 0 in a sum, and 0 does not stand there. */
static void a_sum_of_ports_has_one_form(void **state)
{
	for (uint32_t from = 0xc000; from < 0x10000; from++) {
		uint8_t udp[8] = {(uint8_t)(from >> 8), (uint8_t)from, 0xc0, 0x01};
		uint32_t sum = plain_sum(0, udp, 4), want = plain_sum(sum, (uint8_t[]){3, 1}, 2);

		udp[6] = udp[7] = 0xff;
		assert_int_equal(frame_ports_sum(udp), abi_be16((uint16_t)sum));
		store_be16(udp + 6, 0x0301);
		assert_int_equal(frame_ports_sum(udp), abi_be16((uint16_t)want));
	}
}

static void what_is_no_example_is_not_remembered(void **state)
{
	static struct frame_example example;
	static struct frame f;
	uint8_t padded[80] = {0};

	assert_int_equal(frame_build(&spec_a, &f), 0);
	memcpy(padded, f.data, f.len);
	frame_remember(&example, padded, sizeof(padded)); /* bytes that nobody vouches for */
	assert_int_equal(example.len, 0);
	frame_remember(&example, f.data, f.len);
	assert_true(frame_is_like(&example, f.data, f.len));
	assert_false(frame_is_like(&example, padded, sizeof(padded)));
	assert_false(frame_is_like(&example, f.data, f.len - 1));
}

/* As far as one header follows from another by adding, it is the same as one that is made. */
static void headers_reached_by_steps_are_those_of_their_flows(void **state)
{
	static const uint32_t steps[] = {1, 2, 3, 64};
	static struct frame f;
	uint32_t by_step = 0;

	assert_int_equal(frame_build(&spec_a, &f), 0);
	for (uint32_t n = 0; n < ARRAY_LEN(steps); n++) {
		for (uint32_t flow = 0; flow < 70000; flow++) {
			uint64_t udp = frame_udp(f.udp_sum, f.udp_rest, flow);
			uint32_t next = flow + steps[n];

			assert_true(frame_udp_limit(flow) > flow);
			if (next >= frame_udp_limit(flow) || (udp & 0xffff) <= steps[n])
				continue;
			assert_true(udp + frame_udp_step(steps[n]) ==
				    frame_udp(f.udp_sum, f.udp_rest, next));
			by_step++;
		}
	}
	assert_true(by_step > 4 * 69000);
}

static void names_of_modes_and_swaps_are_those_of_the_options(void **state)
{
	assert_string_equal(mode_name(MODE_AUTO), "auto");
	assert_string_equal(mode_name(MODE_ZERO_COPY), "zero-copy");
	assert_string_equal(mode_name(MODE_COPY), "copy");
	assert_string_equal(mode_name(MODE_GENERIC), "generic");
	assert_string_equal(mode_name(MODES), "?");
	assert_string_equal(swap_name(SWAP_NONE), "none");
	assert_string_equal(swap_name(SWAP_L2), "l2");
	assert_string_equal(swap_name(SWAP_L3), "l3");
	assert_string_equal(swap_name(SWAP_L4), "l4");
	assert_string_equal(swap_name(SWAP_L4 + 1), "?");
	assert_string_equal(swap_name(-1), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_64_byte_frame_has_these_bytes),
		cmocka_unit_test(sizes_out_of_range_are_refused),
		cmocka_unit_test(every_size_has_right_sums_and_pattern),
		cmocka_unit_test(any_flow_and_stamp_gives_a_right_checksum),
		cmocka_unit_test(the_checksum_is_never_zero),
		cmocka_unit_test(each_flipped_bit_behind_the_macs_is_found),
		cmocka_unit_test(swapped_payload_words_are_found),
		cmocka_unit_test(a_frame_without_checksum_is_not_intact),
		cmocka_unit_test(a_truncated_frame_is_not_intact),
		cmocka_unit_test(padding_behind_the_packet_does_no_harm),
		cmocka_unit_test(a_reflected_frame_is_intact),
		cmocka_unit_test(beside_an_example_each_damaged_byte_is_found),
		cmocka_unit_test(frames_of_all_flows_are_like_one_of_them),
		cmocka_unit_test(a_sum_of_ports_has_one_form),
		cmocka_unit_test(what_is_no_example_is_not_remembered),
		cmocka_unit_test(headers_reached_by_steps_are_those_of_their_flows),
		cmocka_unit_test(names_of_modes_and_swaps_are_those_of_the_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
