/* SPDX-License-Identifier: MIT */
/* abi/swap.h: turning frames round, at each layer, whole and cut short. */
#include "abi/swap.h"
#include "unit.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LEN 96

enum net { NET_IPV4, NET_IPV6, NET_OTHER };

struct packet {
	uint8_t data[LEN];
	uint32_t l3;
};

/* Bytes that all differ where it matters, under tags VLAN headers. */
static struct packet packet_of(enum net net, uint32_t tags, uint8_t protocol)
{
	static const uint16_t ethertypes[] = {
		[NET_IPV4] = ETHERTYPE_IPV4, [NET_IPV6] = ETHERTYPE_IPV6, [NET_OTHER] = 0x88b5};
	struct packet p = {.l3 = 14 + 4 * tags};

	for (int i = 0; i < LEN; i++)
		p.data[i] = (uint8_t)(i + 1);
	for (uint32_t i = 0; i < tags; i++)
		store_be16(p.data + 12 + 4 * i, i ? ETHERTYPE_VLAN : ETHERTYPE_QINQ);
	store_be16(p.data + p.l3 - 2, ethertypes[net]);
	if (net == NET_IPV4) {
		p.data[p.l3] = 0x45;
		store_be16(p.data + p.l3 + 6, 0x4000);
		p.data[p.l3 + 9] = protocol;
	}
	if (net == NET_IPV6)
		p.data[p.l3 + 6] = protocol;
	return p;
}

static void exchange(uint8_t *p, uint32_t a, uint32_t b, uint32_t n)
{
	uint8_t saved[16];

	memcpy(saved, p + a, n);
	memcpy(p + a, p + b, n);
	memcpy(p + b, saved, n);
}

/* What should come out, written down once more in the plainest way. */
static struct packet swapped(struct packet p, enum net net, enum swap how, bool has_ports)
{
	if (how >= SWAP_L2)
		exchange(p.data, 0, 6, 6);
	if (how >= SWAP_L3 && net == NET_IPV4)
		exchange(p.data, p.l3 + 12, p.l3 + 16, 4);
	if (how >= SWAP_L3 && net == NET_IPV6)
		exchange(p.data, p.l3 + 8, p.l3 + 24, 16);
	if (how >= SWAP_L4 && net == NET_IPV4 && has_ports)
		exchange(p.data, p.l3 + 20, p.l3 + 22, 2);
	if (how >= SWAP_L4 && net == NET_IPV6 && has_ports)
		exchange(p.data, p.l3 + 40, p.l3 + 42, 2);
	return p;
}

static void each_layer_is_swapped_as_asked(void **state)
{
	static const uint8_t protocols[] = {IPPROTO_NR_UDP, IPPROTO_NR_TCP, IPPROTO_NR_ICMP6, 44};

	for (enum net net = NET_IPV4; net <= NET_OTHER; net++)
		for (uint32_t tags = 0; tags <= 2; tags++)
			for (enum swap how = SWAP_NONE; how <= SWAP_L4; how++)
				for (size_t i = 0; i < ARRAY_LEN(protocols); i++) {
					struct packet p = packet_of(net, tags, protocols[i]);
					struct packet want = swapped(p, net, how, i < 2);

					swap_frame(p.data, p.data + LEN, how);
					assert_memory_equal(p.data, want.data, LEN);
				}
}

static void twice_is_the_identity(void **state)
{
	for (enum net net = NET_IPV4; net <= NET_OTHER; net++)
		for (uint32_t tags = 0; tags <= 3; tags++)
			for (enum swap how = SWAP_NONE; how <= SWAP_L4; how++) {
				struct packet p = packet_of(net, tags, IPPROTO_NR_UDP), before = p;

				swap_frame(p.data, p.data + LEN, how);
				assert_int_equal(memcmp(p.data, before.data, LEN) == 0,
						 how == SWAP_NONE);
				swap_frame(p.data, p.data + LEN, how);
				assert_memory_equal(p.data, before.data, LEN);
			}
}

/* On an exact copy: ASan sees a touch beyond the end. Fields cut off are left as they are. */
static void any_length_is_swapped_within_its_bounds(void **state)
{
	for (enum net net = NET_IPV4; net <= NET_OTHER; net++)
		for (uint32_t tags = 0; tags <= 3; tags++)
			for (uint32_t len = 0; len < LEN; len++) {
				struct packet p = packet_of(net, tags, IPPROTO_NR_UDP);
				uint8_t *exact = malloc(len ? len : 1);

				memcpy(exact, p.data, len);
				swap_frame(exact, exact + len, SWAP_L4);
				swap_frame(exact, exact + len, SWAP_L4);
				assert_memory_equal(exact, p.data, len);
				free(exact);
			}
}

static void a_header_cut_short_is_left_alone(void **state)
{
	struct packet p = packet_of(NET_IPV4, 0, IPPROTO_NR_UDP), want = p;

	swap_frame(p.data, p.data + 13, SWAP_L4);
	assert_memory_equal(p.data, want.data, LEN);
	swap_frame(p.data, p.data + 33, SWAP_L4);
	want = swapped(want, NET_OTHER, SWAP_L4, false);
	assert_memory_equal(p.data, want.data, LEN);

	p = want = packet_of(NET_IPV4, 0, IPPROTO_NR_UDP);
	swap_frame(p.data, p.data + 37, SWAP_L4);
	want = swapped(want, NET_IPV4, SWAP_L4, false);
	assert_memory_equal(p.data, want.data, LEN);
}

static void a_later_fragment_keeps_its_ports(void **state)
{
	static const struct {
		uint16_t field;
		bool has_ports;
	} rows[] = {
		{0x4000, true}, {0x2000, true}, {0x2001, false}, {0x0001, false}, {0x1fff, false}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct packet p = packet_of(NET_IPV4, 0, IPPROTO_NR_UDP), want;

		store_be16(p.data + p.l3 + 6, rows[i].field);
		want = swapped(p, NET_IPV4, SWAP_L4, rows[i].has_ports);
		swap_frame(p.data, p.data + LEN, SWAP_L4);
		assert_memory_equal(p.data, want.data, LEN);
	}
}

static void ports_are_found_behind_ip_options(void **state)
{
	struct packet p = packet_of(NET_IPV4, 0, IPPROTO_NR_TCP), want;

	p.data[p.l3] = 0x4a;
	want = swapped(p, NET_IPV4, SWAP_L3, true);
	exchange(want.data, p.l3 + 40, p.l3 + 42, 2);
	swap_frame(p.data, p.data + LEN, SWAP_L4);
	assert_memory_equal(p.data, want.data, LEN);

	p = packet_of(NET_IPV4, 0, IPPROTO_NR_TCP);
	p.data[p.l3] = 0x44; /* a header length that can't be */
	want = swapped(p, NET_IPV4, SWAP_L3, true);
	swap_frame(p.data, p.data + LEN, SWAP_L4);
	assert_memory_equal(p.data, want.data, LEN);
}

static uint32_t sum_of(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i += 2)
		sum += load_be16(p + i);
	return fold16(sum);
}

/* Sums over the IPv4 header, and over addresses and all behind the header, as UDP and TCP have. */
static void no_sum_changes(void **state)
{
	uint64_t seed = 1;

	for (int i = 0; i < 1000; i++) {
		struct packet p = packet_of(NET_IPV4, 0, IPPROTO_NR_UDP);
		uint32_t ip, transport;

		for (uint32_t at = p.l3 + 12; at < LEN; at++)
			p.data[at] = (uint8_t)next_random(&seed);
		ip = sum_of(p.data + p.l3, 20);
		transport = sum_of(p.data + p.l3 + 12, LEN - p.l3 - 12);
		for (enum swap how = SWAP_L2; how <= SWAP_L4; how++) {
			swap_frame(p.data, p.data + LEN, how);
			assert_int_equal(sum_of(p.data + p.l3, 20), ip);
			assert_int_equal(sum_of(p.data + p.l3 + 12, LEN - p.l3 - 12), transport);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_layer_is_swapped_as_asked),
		cmocka_unit_test(twice_is_the_identity),
		cmocka_unit_test(any_length_is_swapped_within_its_bounds),
		cmocka_unit_test(a_header_cut_short_is_left_alone),
		cmocka_unit_test(a_later_fragment_keeps_its_ports),
		cmocka_unit_test(ports_are_found_behind_ip_options),
		cmocka_unit_test(no_sum_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
