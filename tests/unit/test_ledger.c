/* SPDX-License-Identifier: MIT */
/* core/ledger.h: the identities, whatever the counters say, and each row from its own source. */
#include "core/ledger.h"
#include "unit.h"
#include <string.h>

static struct ledger_end from, to;
static struct ledger_input in;
static struct ledger l;

/* 1000 frames sent by one port, all received by the other. */
static int all_arrive(void **state)
{
	memset(&from, 0, sizeof(from));
	memset(&to, 0, sizeof(to));
	from.worker.wanted = from.worker.submitted = from.worker.completed = 1000;
	from.netdev.tx_packets = to.netdev.rx_packets = 1000;
	to.program.seen = to.program.redirected = 1000;
	to.worker.received = to.worker.matched = 1000;
	in = (struct ledger_input){.from = &from,
				   .to = &to,
				   .scheduled = true,
				   .wire_counted = true,
				   .expect = UNKNOWN};
	return 0;
}

static int64_t known(int64_t row)
{
	return row == UNKNOWN ? 0 : row;
}

static void assert_send_identities(void)
{
	if (l.given_up_late != UNKNOWN)
		assert_int_equal(l.wanted, l.given_up_late + l.given_up_no_room + l.submitted);
	else
		assert_int_equal(l.wanted, l.submitted);
	assert_int_equal(l.submitted, l.tx_invalid + l.tx_uncompleted + l.completed);
}

static void assert_wire_identity(void)
{
	assert_int_equal(l.completed, l.dev_tx_dropped + known(l.wire_lost) + l.nic_missed +
					      l.no_socket + l.too_long + known(l.fill_empty) +
					      known(l.ring_full) + l.refused + l.dropped_by_us +
					      l.matched + l.corrupt + known(l.too_late) +
					      l.unexplained);
}

static void assert_receive_identity(void)
{
	assert_int_equal(l.xdp_seen, l.passed + l.no_socket + l.too_long + known(l.fill_empty) +
					     known(l.ring_full) + l.received + l.in_ring +
					     l.receive_unexplained);
}

static void assert_identities(void)
{
	ledger_close(&in, &l);
	assert_send_identities();
	assert_wire_identity();
	assert_receive_identity();
}

static void a_clean_run_is_all_matched(void **state)
{
	assert_identities();
	assert_int_equal(l.wanted, 1000);
	assert_int_equal(l.submitted, 1000);
	assert_int_equal(l.completed, 1000);
	assert_int_equal(l.matched, 1000);
	for (int i = 0; ledger_rows[i].name; i++)
		if (!strcmp(ledger_rows[i].name, "xdp_seen"))
			assert_int_equal(ledger_value(&l, i), 1000);
	assert_int_equal(l.lost, 0);
	assert_int_equal(l.wire_lost, 0);
	assert_int_equal(l.unexplained, 0);
	assert_int_equal(l.receive_unexplained, 0);
	assert_int_equal(l.refused, 0);
	assert_int_equal(l.foreign, 0);
}

/* 10 frames leave the matched row for another cause: that row has them, nothing is unexplained. */
static void each_cause_of_loss_has_its_row(void **state)
{
	static const struct {
		const char *row;
		__u64 *counter;
		int64_t lost; /* of 1000 */
		__u64 *not_seen, *not_received;
	} rows[] = {
		{"dev_tx_dropped", &from.netdev.tx_dropped, 10, &to.program.seen, NULL},
		{"nic_missed", &to.netdev.rx_missed, 10, &to.program.seen, &to.netdev.rx_packets},
		{"no_socket", &to.program.no_socket, 10, NULL, NULL},
		{"too_long", &to.socket.too_long, 10, NULL, NULL},
		{"fill_empty", &to.socket.fill_empty, 10, NULL, NULL},
		{"ring_full", &to.socket.ring_full, 10, NULL, NULL},
		{"dropped_by_us", &to.worker.dropped_by_us, 10, NULL, NULL},
		{"corrupt", &to.worker.corrupt, 0, NULL, NULL},
		{"too_late", &to.worker.too_late, 0, NULL, NULL},
	};

	for (size_t n = 0; n < ARRAY_LEN(rows); n++) {
		int i = 0;

		all_arrive(state);
		*rows[n].counter = 10;
		to.worker.matched = 990;
		if (rows[n].not_seen)
			*rows[n].not_seen -= 10;
		if (rows[n].not_received)
			*rows[n].not_received -= 10;
		if (rows[n].counter == &from.netdev.tx_dropped)
			from.netdev.tx_packets = to.netdev.rx_packets = 990;
		assert_identities();
		while (strcmp(ledger_rows[i].name, rows[n].row) != 0)
			i++;
		assert_int_equal(ledger_value(&l, i), 10);
		assert_int_equal(l.unexplained, 0);
		assert_int_equal(l.lost, rows[n].lost);
		assert_int_equal(l.wire_lost, 0);
	}
}

static void what_the_wire_lost_is_the_difference_of_the_ports(void **state)
{
	to.netdev.rx_packets = to.program.seen = to.worker.received = to.worker.matched = 993;
	assert_identities();
	assert_int_equal(l.wire_lost, 7);
	assert_int_equal(l.lost, 7);
	assert_int_equal(l.unexplained, 0);
	in.wire_counted = false;
	assert_identities();
	assert_int_equal(l.wire_lost, UNKNOWN);
	assert_int_equal(l.lost, 7);
	assert_int_equal(l.unexplained, 7);
}

static void copies_made_on_the_wire_do_not_hide_its_losses(void **state)
{
	to.netdev.rx_packets = to.program.seen = to.worker.received = 1002; /* 3 lost, 5 copies */
	to.worker.matched = 997;
	to.worker.duplicate = 5;
	assert_identities();
	assert_int_equal(l.wire_lost, 3);
	assert_int_equal(l.duplicate, 5);
	assert_int_equal(l.lost, 3);
	assert_int_equal(l.unexplained, 0);
}

static void what_nobody_counted_is_unexplained(void **state)
{
	to.worker.matched -= 4;
	assert_identities();
	assert_int_equal(l.unexplained, 4);
	to.worker.matched += 6; /* and it is signed */
	assert_identities();
	assert_int_equal(l.unexplained, -2);
	assert_int_equal(l.lost, -2);
}

static void the_receive_check_finds_what_got_lost_inside(void **state)
{
	to.worker.received -= 3;
	to.in_ring = 2;
	assert_identities();
	assert_int_equal(l.in_ring, 2);
	assert_int_equal(l.receive_unexplained, 1);
}

static void a_schedule_divides_wanted(void **state)
{
	from.worker.wanted = 1300;
	from.worker.given_up_late = 200;
	from.worker.given_up_no_room = 100;
	assert_identities();
	assert_int_equal(l.wanted, 1300);
	assert_int_equal(l.given_up_late, 200);
	assert_int_equal(l.given_up_no_room, 100);
	from.worker.wanted = 1305; /* 5 were still due when sending stopped */
	assert_identities();
	assert_int_equal(l.given_up_late, 205);
}

static void without_a_schedule_what_was_sent_was_wanted(void **state)
{
	in.scheduled = false;
	from.worker.wanted = 5;
	assert_identities();
	assert_int_equal(l.wanted, 1000);
	assert_int_equal(l.given_up_late, UNKNOWN);
	assert_int_equal(l.given_up_no_room, UNKNOWN);
}

static void a_reflector_has_no_schedule(void **state)
{
	in.reflected_out = true;
	from.worker.wanted = 0;
	assert_identities();
	assert_int_equal(l.wanted, 1000);
	assert_int_equal(l.given_up_late, UNKNOWN);
	assert_int_equal(l.given_up_no_room, UNKNOWN);
}

static void frames_the_kernel_refused_or_kept_are_told_apart(void **state)
{
	from.socket.tx_invalid = 10;
	from.worker.completed = 985;
	assert_identities();
	assert_int_equal(l.tx_invalid, 10);
	assert_int_equal(l.tx_uncompleted, 5);
}

static void refusals_count_on_the_leg_to_a_reflector(void **state)
{
	to.worker.matched = to.worker.received = 980;
	to.program.passed = 20;
	to.program.refused_source = 15;
	to.program.refused_reply = 5;
	in.leg_to_reflector = true;
	assert_identities();
	assert_int_equal(l.refused, 20);
	assert_int_equal(l.unexplained, 0);
	assert_int_equal(l.foreign, 0);
	in.leg_to_reflector = false;
	assert_identities();
	assert_int_equal(l.refused, 0);
	assert_int_equal(l.unexplained, 20);
}

static void frames_left_to_the_kernel_are_foreign(void **state)
{
	to.worker.foreign = 4;
	to.program.passed = 30;
	to.program.refused_multicast = 10;
	assert_identities();
	assert_int_equal(l.foreign, 24);
	assert_int_equal(l.passed, 30);
	to.program.refused_multicast = 100; /* snapshots of a running program may be torn */
	assert_identities();
	assert_int_equal(l.foreign, 0);
}

static void a_zero_copy_socket_does_not_count_frames(void **state)
{
	in.zero_copy_receiver = true;
	to.socket.fill_empty = to.socket.ring_full = 100000;
	assert_identities();
	assert_int_equal(l.fill_empty, UNKNOWN);
	assert_int_equal(l.ring_full, UNKNOWN);
	assert_int_equal(l.unexplained, 0);
	assert_int_equal(l.receive_unexplained, 0);
}

/* The late frames stand in unexplained, but they did arrive: they are not lost. */
static void moved_flows_have_no_duplicate_reordered_or_late_row(void **state)
{
	in.flow_moved = 2;
	to.worker.matched = 990;
	to.worker.too_late = 10;
	to.worker.duplicate = to.worker.reordered = 3;
	to.netdev.rx_packets = 1003;
	to.program.seen = to.worker.received = 1003;
	assert_identities();
	assert_int_equal(l.flow_moved, 2);
	assert_int_equal(l.duplicate, UNKNOWN);
	assert_int_equal(l.reordered, UNKNOWN);
	assert_int_equal(l.too_late, UNKNOWN);
	assert_int_equal(l.unexplained, 10);
	assert_int_equal(l.lost, 0);
}

static void assert_group_unknown(int group, const char *except)
{
	for (int i = 0; ledger_rows[i].name; i++)
		if (ledger_rows[i].group == group && strcmp(ledger_rows[i].name, except) != 0)
			assert_int_equal(ledger_value(&l, i), UNKNOWN);
}

static void a_sender_alone_knows_nothing_behind_the_wire(void **state)
{
	in.to = NULL;
	from.netdev.tx_dropped = 3;
	ledger_close(&in, &l);
	assert_send_identities();
	assert_int_equal(l.submitted, 1000);
	assert_int_equal(l.dev_tx_dropped, 3);
	assert_group_unknown(1, "dev_tx_dropped");
	assert_group_unknown(2, "");
}

static void a_receiver_alone_knows_gaps(void **state)
{
	in.from = NULL;
	in.missing = 12;
	to.worker.corrupt = 5;
	to.netdev.rx_missed = 8;
	ledger_close(&in, &l);
	assert_receive_identity();
	assert_group_unknown(0, "");
	assert_int_equal(l.dev_tx_dropped, UNKNOWN);
	assert_int_equal(l.wire_lost, UNKNOWN);
	assert_int_equal(l.unexplained, UNKNOWN);
	assert_int_equal(l.nic_missed, 8);
	assert_int_equal(l.matched, 1000);
	assert_int_equal(l.lost, 12);
}

static void a_receiver_that_knows_how_many_sees_the_tail(void **state)
{
	in.from = NULL;
	in.missing = 12;
	in.expect = 1100;
	to.worker.corrupt = 5;
	to.worker.too_late = 2;
	ledger_close(&in, &l);
	assert_int_equal(l.lost, 93);
	assert_int_equal(l.unexplained, UNKNOWN);
	in.expect = 1000;
	ledger_close(&in, &l);
	assert_int_equal(l.lost, -7);
}

static void with_nobody_nothing_is_known(void **state)
{
	in.from = in.to = NULL;
	ledger_close(&in, &l);
	for (int i = 0; i < LEDGER_ROW_COUNT; i++)
		assert_int_equal(ledger_value(&l, i), UNKNOWN);
}

static void fill_random(struct ledger_end *end, uint64_t *seed)
{
	uint64_t *row = (uint64_t *)end;

	for (size_t i = 0; i < sizeof(*end) / sizeof(*row); i++)
		row[i] = next_random(seed) >> (next_random(seed) % 2 ? 30 : 60);
}

static void identities_hold_for_any_counters(void **state)
{
	uint64_t seed = 11;

	for (int i = 0; i < 20000; i++) {
		uint64_t bits = next_random(&seed);

		fill_random(&from, &seed);
		fill_random(&to, &seed);
		in = (struct ledger_input){
			.from = &from,
			.to = &to,
			.scheduled = bits & 1,
			.reflected_out = bits & 2,
			.leg_to_reflector = bits & 4,
			.wire_counted = bits & 8,
			.zero_copy_receiver = bits & 16,
			.expect = bits & 32 ? (int64_t)(bits >> 40) : UNKNOWN,
			.missing = bits >> 50,
			.flow_moved = bits & 64 ? bits >> 60 : 0,
		};
		assert_identities();
		assert_int_equal(l.lost, (int64_t)(from.worker.submitted - to.worker.matched -
						   to.worker.corrupt - to.worker.too_late));
	}
}

static void rows_are_named_in_the_order_of_the_fields(void **state)
{
	static const char *const first[] = {"wanted", "dev_tx_dropped", "lost"};
	int group = -1, n = 0;

	for (; ledger_rows[n].name; n++) {
		assert_true(ledger_rows[n].source && ledger_rows[n].text);
		if (ledger_rows[n].group == group)
			continue;
		assert_int_equal(ledger_rows[n].group, ++group);
		assert_string_equal(ledger_rows[n].name, first[group]);
	}
	assert_int_equal(n, LEDGER_ROW_COUNT);
	assert_int_equal(group, 2);
#define CHECK_ROW(field, source, text)                                                          \
	assert_string_equal(ledger_rows[offsetof(struct ledger, field) / sizeof(int64_t)].name, \
			    #field);
	LEDGER_ROWS(CHECK_ROW)
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_clean_run_is_all_matched, all_arrive),
		cmocka_unit_test_setup(each_cause_of_loss_has_its_row, all_arrive),
		cmocka_unit_test_setup(what_the_wire_lost_is_the_difference_of_the_ports,
				       all_arrive),
		cmocka_unit_test_setup(copies_made_on_the_wire_do_not_hide_its_losses, all_arrive),
		cmocka_unit_test_setup(what_nobody_counted_is_unexplained, all_arrive),
		cmocka_unit_test_setup(the_receive_check_finds_what_got_lost_inside, all_arrive),
		cmocka_unit_test_setup(a_schedule_divides_wanted, all_arrive),
		cmocka_unit_test_setup(without_a_schedule_what_was_sent_was_wanted, all_arrive),
		cmocka_unit_test_setup(a_reflector_has_no_schedule, all_arrive),
		cmocka_unit_test_setup(frames_the_kernel_refused_or_kept_are_told_apart,
				       all_arrive),
		cmocka_unit_test_setup(refusals_count_on_the_leg_to_a_reflector, all_arrive),
		cmocka_unit_test_setup(frames_left_to_the_kernel_are_foreign, all_arrive),
		cmocka_unit_test_setup(a_zero_copy_socket_does_not_count_frames, all_arrive),
		cmocka_unit_test_setup(moved_flows_have_no_duplicate_reordered_or_late_row,
				       all_arrive),
		cmocka_unit_test_setup(a_sender_alone_knows_nothing_behind_the_wire, all_arrive),
		cmocka_unit_test_setup(a_receiver_alone_knows_gaps, all_arrive),
		cmocka_unit_test_setup(a_receiver_that_knows_how_many_sees_the_tail, all_arrive),
		cmocka_unit_test_setup(with_nobody_nothing_is_known, all_arrive),
		cmocka_unit_test_setup(identities_hold_for_any_counters, all_arrive),
		cmocka_unit_test(rows_are_named_in_the_order_of_the_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
