/* SPDX-License-Identifier: MIT */
/* abi/match.h: whose is a frame, and why it must not be sent back. */
#include "abi/match.h"
#include "core/frame.h"
#include "unit.h"
#include <stdlib.h>
#include <string.h>

static const struct match_config port_b = {
	.mac = {0x02, 0, 0, 0, 0, 0x0b},
	.stamp_offset = {STAMP_OFFSET, STAMP_OFFSET + 4},
	.net_a = FRAME_NET_A,
	.net_b = FRAME_NET_B,
	.mode = MATCH_STAMPED,
};

#define LEN_MAX 256

struct packet {
	uint8_t data[LEN_MAX];
	uint32_t len;
};

static struct packet ours(void)
{
	static struct frame f;
	struct frame_spec spec = {.src_mac = {0x02, 0, 0, 0, 0, 0x0a},
				  .dst_mac = {0x02, 0, 0, 0, 0, 0x0b},
				  .src_ip = FRAME_NET_A,
				  .dst_ip = FRAME_NET_B,
				  .frame_bytes = 104};
	struct packet p = {.len = 100};

	assert_int_equal(frame_build(&spec, &f), 0);
	memcpy(p.data, f.data, p.len);
	return p;
}

static struct packet with_tag(struct packet p, uint16_t ethertype)
{
	memmove(p.data + 16, p.data + 12, p.len - 12);
	store_be16(p.data + 12, ethertype);
	store_be16(p.data + 14, 100);
	p.len += 4;
	return p;
}

static struct packet without_stamp(struct packet p, uint32_t at)
{
	p.data[at] ^= 1;
	return p;
}

/* Verdict on an exact copy, so that a read beyond the end is seen. */
static enum match_kind kind_of(const struct match_config *cfg, const struct packet *p,
			       uint32_t *offset)
{
	uint8_t *exact = malloc(p->len ? p->len : 1);
	enum match_kind kind;

	memcpy(exact, p->data, p->len);
	kind = match_frame(cfg, exact, exact + p->len, offset);
	free(exact);
	return kind;
}

static enum refusal refusal_of(const struct packet *p, uint32_t offset)
{
	uint8_t *exact = malloc(p->len ? p->len : 1);
	enum refusal why;

	memcpy(exact, p->data, p->len);
	why = match_refusal(&port_b, exact, exact + p->len, offset);
	free(exact);
	return why;
}

static void assert_kind(const struct match_config *cfg, struct packet p, enum match_kind want,
			uint32_t want_offset)
{
	uint32_t offset = 12345;

	assert_int_equal(kind_of(cfg, &p, &offset), want);
	assert_int_equal(offset, want_offset);
}

static void a_stamp_is_found_plain_and_behind_a_tag(void **state)
{
	assert_kind(&port_b, ours(), MATCH_STAMP, 42);
	assert_kind(&port_b, with_tag(ours(), ETHERTYPE_VLAN), MATCH_STAMP, 46);
	assert_kind(&port_b, with_tag(ours(), ETHERTYPE_QINQ), MATCH_STAMP, 46);
}

static void a_stamp_is_looked_for_only_where_asked(void **state)
{
	struct packet two_tags = with_tag(with_tag(ours(), ETHERTYPE_VLAN), ETHERTYPE_QINQ);
	struct match_config cfg = port_b;

	/* Right addresses and ports behind two tags, but no stamp at the places looked at. */
	assert_kind(&cfg, two_tags, MATCH_LOOKALIKE, 0);
	cfg.stamp_offset[2] = STAMP_OFFSET + 8;
	assert_kind(&cfg, two_tags, MATCH_STAMP, 50);
	memset(cfg.stamp_offset, 0, sizeof(cfg.stamp_offset));
	assert_kind(&cfg, ours(), MATCH_LOOKALIKE, 0);
}

static void damaged_stamps_are_lookalikes_behind_up_to_two_tags(void **state)
{
	struct packet p = without_stamp(ours(), 50);

	assert_kind(&port_b, p, MATCH_LOOKALIKE, 0);
	assert_kind(&port_b, with_tag(p, ETHERTYPE_VLAN), MATCH_LOOKALIKE, 0);
	assert_kind(&port_b, with_tag(with_tag(p, ETHERTYPE_VLAN), ETHERTYPE_QINQ), MATCH_LOOKALIKE,
		    0);
	assert_kind(&port_b,
		    with_tag(with_tag(with_tag(p, ETHERTYPE_VLAN), ETHERTYPE_VLAN), ETHERTYPE_QINQ),
		    MATCH_NONE, 0);
}

static void lookalikes_may_go_either_way(void **state)
{
	struct packet p = without_stamp(ours(), 50);

	store_be32(p.data + 26, FRAME_NET_B);
	store_be32(p.data + 30, FRAME_NET_A);
	assert_kind(&port_b, p, MATCH_LOOKALIKE, 0);
	store_be32(p.data + 30, FRAME_NET_B);
	assert_kind(&port_b, p, MATCH_NONE, 0);
}

/* Each byte that makes a lookalike, changed alone, leaves the frame to the kernel. */
static void lookalikes_have_our_addresses_and_ports(void **state)
{
	static const struct {
		const char *what;
		uint32_t at;
		uint8_t value;
	} rows[] = {
		{"ethertype", 12, 0x86}, {"IP options", 14, 0x46},  {"protocol", 23, 6},
		{"MF", 20, 0x20},	 {"fragment", 21, 1},	    {"source", 29, 2},
		{"destination", 33, 2},	 {"source port", 34, 0xbf}, {"destination port", 36, 0x35},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct packet p = without_stamp(ours(), 50);

		p.data[rows[i].at] = rows[i].value;
		assert_kind(&port_b, p, MATCH_NONE, 0);
	}
}

static void udp_ports_are_matched_by_range(void **state)
{
	static const struct {
		uint16_t port;
		enum match_kind want;
	} rows[] = {{6, MATCH_NONE},	{7, MATCH_ASKED},   {8, MATCH_NONE},	{99, MATCH_NONE},
		    {100, MATCH_ASKED}, {150, MATCH_ASKED}, {200, MATCH_ASKED}, {201, MATCH_NONE}};
	struct match_config cfg = port_b;

	cfg.mode = MATCH_UDP;
	cfg.udp[0] = (struct port_range){7, 7};
	cfg.udp[1] = (struct port_range){100, 200};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct packet p = without_stamp(ours(), 50);

		store_be16(p.data + 34, 5000);
		store_be16(p.data + 36, rows[i].port);
		assert_kind(&cfg, p, rows[i].want, 0);
		assert_kind(&port_b, p, MATCH_NONE, 0);
		p.data[23] = IPPROTO_NR_TCP;
		assert_kind(&cfg, p, MATCH_NONE, 0);
	}
	assert_kind(&cfg, ours(), MATCH_STAMP, 42);
}

static void match_all_takes_everything(void **state)
{
	struct match_config cfg = port_b;
	struct packet p = {.len = 14};

	cfg.mode = MATCH_ALL;
	assert_kind(&cfg, p, MATCH_ASKED, 0);
	p.len = 0;
	assert_kind(&cfg, p, MATCH_ASKED, 0);
	assert_kind(&cfg, ours(), MATCH_STAMP, 42);
	assert_kind(&cfg, without_stamp(ours(), 50), MATCH_LOOKALIKE, 0);
}

/* For ASan: no length reads beyond its end; and a stamp must be there in full. */
static void truncated_frames_are_read_within_bounds(void **state)
{
	for (uint32_t tags = 0; tags <= 2; tags++) {
		struct packet p = ours();

		for (uint32_t i = 0; i < tags; i++)
			p = with_tag(p, ETHERTYPE_VLAN);
		for (uint32_t whole = p.len; p.len > 0; p.len--) {
			uint32_t offset, need = STAMP_OFFSET + 4 * tags + STAMP_LEN;
			enum match_kind kind = kind_of(&port_b, &p, &offset);

			assert_true(p.len <= whole);
			assert_int_equal(kind != MATCH_NONE, p.len >= need);
			assert_int_equal(refusal_of(&p, offset),
					 p.len < 14 ? REFUSE_SHORT : REFUSE_NOT);
			refusal_of(&p, STAMP_OFFSET); /* an offset that is not in the frame */
		}
	}
}

static void ethertype_is_read_behind_tags(void **state)
{
	struct packet p = with_tag(with_tag(ours(), ETHERTYPE_VLAN), ETHERTYPE_QINQ);
	uint32_t ethertype = 0;

	assert_int_equal(match_l3(p.data, p.data + p.len, &ethertype), 22);
	assert_int_equal(ethertype, ETHERTYPE_IPV4);
	assert_int_equal(match_l3(p.data, p.data + 13, &ethertype), 0);
	assert_int_equal(match_l3(p.data, p.data + 17, &ethertype), 0);
	assert_int_equal(match_l3(p.data, p.data + 21, &ethertype), 0);
	assert_int_equal(match_l3(p.data, p.data + 22, &ethertype), 22);
}

static void assert_refused(struct packet p, enum refusal want)
{
	assert_int_equal(refusal_of(&p, 0), want);
}

static struct packet to_mac(uint64_t mac)
{
	struct packet p = ours();

	store_be16(p.data, mac >> 32);
	store_be32(p.data + 2, mac);
	return p;
}

static struct packet from_mac(uint64_t mac)
{
	struct packet p = ours();

	store_be16(p.data + 6, mac >> 32);
	store_be32(p.data + 8, mac);
	return p;
}

static void our_frames_are_not_refused(void **state)
{
	assert_refused(ours(), REFUSE_NOT);
	assert_refused(with_tag(ours(), ETHERTYPE_VLAN), REFUSE_NOT);
}

static void group_addresses_are_refused(void **state)
{
	assert_refused(to_mac(0xffffffffffff), REFUSE_MULTICAST);
	assert_refused(to_mac(0x01005e000001), REFUSE_MULTICAST);
	assert_refused(to_mac(0x333300000001), REFUSE_MULTICAST);
	assert_refused(to_mac(0x0180c2000010), REFUSE_MULTICAST);
	assert_refused(to_mac(0x0180c2000100), REFUSE_MULTICAST);
}

static void link_local_control_is_refused(void **state)
{
	for (uint64_t last = 0; last < 16; last++)
		assert_refused(to_mac(0x0180c2000000 | last), REFUSE_LINK_LOCAL);
}

static void impossible_sources_are_refused(void **state)
{
	assert_refused(from_mac(0x02000000000b), REFUSE_SOURCE); /* our own */
	assert_refused(from_mac(0x01005e000001), REFUSE_SOURCE); /* a group */
	assert_refused(from_mac(0xffffffffffff), REFUSE_SOURCE);
	assert_refused(from_mac(0), REFUSE_SOURCE);
	assert_refused(from_mac(0x02000000000c), REFUSE_NOT);
	assert_refused(from_mac(1), REFUSE_NOT);

	struct packet same = to_mac(0x0200000000cc);

	memcpy(same.data + 6, same.data, 6);
	assert_refused(same, REFUSE_SOURCE);
}

static void arp_is_refused(void **state)
{
	struct packet p = ours();

	store_be16(p.data + 12, ETHERTYPE_ARP);
	assert_refused(p, REFUSE_NEIGHBOUR);
	assert_refused(with_tag(p, ETHERTYPE_VLAN), REFUSE_NEIGHBOUR);
	p.len = 14;
	assert_refused(p, REFUSE_NEIGHBOUR);
	memset(p.data, 0xff, 6);
	assert_refused(p, REFUSE_NEIGHBOUR);
}

static void neighbour_discovery_is_refused(void **state)
{
	struct packet p = ours();

	store_be16(p.data + 12, ETHERTYPE_IPV6);
	p.data[20] = IPPROTO_NR_ICMP6;
	for (uint32_t type = 128; type < 140; type++) {
		p.data[54] = (uint8_t)type;
		assert_refused(p, type >= 133 && type <= 137 ? REFUSE_NEIGHBOUR : REFUSE_NOT);
	}
	p.data[54] = 135;
	p.len = 55;
	assert_refused(p, REFUSE_NEIGHBOUR);
	p.len = 54;
	assert_refused(p, REFUSE_NOT);
	p.len = 100;
	p.data[20] = IPPROTO_NR_UDP;
	assert_refused(p, REFUSE_NOT);
}

static void replies_are_refused(void **state)
{
	struct packet p = ours(), tagged;

	stamp_set_reply(p.data + STAMP_OFFSET);
	assert_int_equal(refusal_of(&p, STAMP_OFFSET), REFUSE_REPLY);
	assert_int_equal(refusal_of(&p, 0), REFUSE_NOT);
	tagged = with_tag(p, ETHERTYPE_VLAN);
	assert_int_equal(refusal_of(&tagged, STAMP_OFFSET + 4), REFUSE_REPLY);
}

/* Not what stands at another place: the bytes there are any. */
static void a_reply_is_told_by_the_stamp_that_was_found(void **state)
{
	uint64_t head = stamp_head(1, 0);

	for (uint32_t seq = 0; seq < 1000; seq++) {
		struct packet p = ours(), tagged;

		stamp_put(p.data + STAMP_OFFSET, head, stamp_burst_sum(head, seq * 7919u), 0, seq,
			  seq * 7919u);
		tagged = with_tag(p, ETHERTYPE_VLAN);
		assert_int_equal(refusal_of(&tagged, STAMP_OFFSET + 4), REFUSE_NOT);
		stamp_set_reply(p.data + STAMP_OFFSET);
		tagged = with_tag(p, ETHERTYPE_VLAN);
		assert_int_equal(refusal_of(&tagged, STAMP_OFFSET + 4), REFUSE_REPLY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stamp_is_found_plain_and_behind_a_tag),
		cmocka_unit_test(a_stamp_is_looked_for_only_where_asked),
		cmocka_unit_test(damaged_stamps_are_lookalikes_behind_up_to_two_tags),
		cmocka_unit_test(lookalikes_may_go_either_way),
		cmocka_unit_test(lookalikes_have_our_addresses_and_ports),
		cmocka_unit_test(udp_ports_are_matched_by_range),
		cmocka_unit_test(match_all_takes_everything),
		cmocka_unit_test(truncated_frames_are_read_within_bounds),
		cmocka_unit_test(ethertype_is_read_behind_tags),
		cmocka_unit_test(our_frames_are_not_refused),
		cmocka_unit_test(group_addresses_are_refused),
		cmocka_unit_test(link_local_control_is_refused),
		cmocka_unit_test(impossible_sources_are_refused),
		cmocka_unit_test(arp_is_refused),
		cmocka_unit_test(neighbour_discovery_is_refused),
		cmocka_unit_test(replies_are_refused),
		cmocka_unit_test(a_reply_is_told_by_the_stamp_that_was_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
