// SPDX-License-Identifier: MIT
/* Generator to counter over a cable whose own account is the truth. */
#include "rig.h"
#include <errno.h>
#include <string.h>

#define FRAMES 100000u

/* Frames of `flow` when every queue sends `limit` of them. */
static uint64_t flow_frames(uint32_t flows, uint32_t queues, uint32_t flow, uint64_t limit)
{
	uint32_t share = flow_share(flows, flow % queues, queues), place = flow / queues;

	return limit / share + (place < limit % share);
}

static void check_clean_cable(uint32_t flows, uint32_t queues)
{
	struct rig_spec spec = {.queues = queues, .flows = flows};
	struct rig *r = rig_open(&spec);
	uint64_t limit = FRAMES / queues;
	struct worker_counters a, b;

	rig_a_to_b(r, 0, flows >= queues ? limit : FRAMES);
	rig_run(r, UINT32_MAX);
	a = rig_count(r, 0);
	b = rig_count(r, 1);
	assert_int_equal(a.submitted, FRAMES);
	assert_int_equal(a.completed, FRAMES);
	assert_int_equal(a.submitted_bytes, FRAMES * 60ull);
	assert_int_equal(b.received, FRAMES);
	assert_int_equal(b.received_bytes, FRAMES * 60ull);
	assert_int_equal(b.matched, FRAMES);
	assert_int_equal(b.foreign + b.stale + b.corrupt + b.duplicate + b.reordered, 0);
	assert_int_equal(b.user_stamped + b.retagged + b.joined_late + b.too_late, 0);
	for (uint32_t flow = 0; flow < flows && flows >= queues; flow++)
		assert_int_equal(rig_window(r, 1, flow).unique,
				 flow_frames(flows, queues, flow, limit));
	rig_check_truth(r, 1);
	rig_close(r);
}

static void a_clean_cable_matches_every_frame(void **state)
{
	static const uint32_t flows[] = {1, 10, 1000};

	for (uint32_t i = 0; i < ARRAY_LEN(flows); i++)
		for (uint32_t queues = 1; queues <= 2; queues++)
			check_clean_cable(flows[i], queues);
}

/* --- one fault, then all of them --- */

static void run_with(const struct rig_spec *spec, const struct fake_rule *rules, uint32_t n,
		     uint64_t seed, void (*look)(struct rig *r))
{
	struct rig *r = rig_open(spec);

	r->wire.link[0].random = seed;
	for (uint32_t i = 0; i < n; i++)
		fake_link_rule(&r->wire.link[0], &rules[i]);
	rig_a_to_b(r, 0, FRAMES / spec->queues);
	rig_run(r, UINT32_MAX);
	for (uint32_t i = 0; i < n; i++)
		assert_true(r->wire.link[0].fault[rules[i].fault] > 0);
	rig_check_truth(r, 1);
	if (look)
		look(r);
	rig_close(r);
}

static void see_loss(struct rig *r)
{
	const struct fake_flow *truth = fake_link_sum(&r->wire.link[0]);
	struct worker_counters a = rig_count(r, 0), b = rig_count(r, 1);

	assert_int_equal(a.submitted - b.matched, truth->lost);
	assert_in_range(truth->lost, 50, 200); /* 1 in 1000 of 100,000 */
	assert_int_equal(b.duplicate + b.reordered + b.too_late + b.corrupt, 0);
}

static void one_frame_in_a_thousand_lost_is_seen_exactly(void **state)
{
	const struct fake_rule lose = {.fault = FAULT_LOSE, .one_in = 1000};

	for (uint32_t queues = 1; queues <= 2; queues++)
		for (uint32_t flows = 2; flows <= 200; flows *= 10)
			run_with(&(struct rig_spec){.queues = queues, .flows = flows}, &lose, 1,
				 flows + queues, see_loss);
}

/* Gaps that the counter sees by itself, without knowing what was sent. */
static void see_gaps(struct rig *r)
{
	const struct window *w = worker_window(&r->worker[1][0], 0);

	assert_int_equal(window_missing(w), 4);
	assert_int_equal(w->next, FRAMES - 2); /* the last two never came: no gap shows */
}

static void listed_losses_are_gaps_but_for_the_tail(void **state)
{
	static const uint64_t list[] = {0, 17, 18, 5000, FRAMES - 2, FRAMES - 1};
	const struct fake_rule lose = {.fault = FAULT_LOSE, .list = list, .nlist = 6};

	run_with(&(struct rig_spec){.queues = 1, .flows = 1}, &lose, 1, 1, see_gaps);
}

static void see_copies(struct rig *r)
{
	struct worker_counters b = rig_count(r, 1);

	assert_int_equal(b.matched, FRAMES);
	assert_int_equal(b.duplicate, r->wire.link[0].fault[FAULT_DUPLICATE]);
}

static void copies_are_counted_beside_their_first(void **state)
{
	const struct fake_rule twice = {.fault = FAULT_DUPLICATE, .one_in = 100};

	run_with(&(struct rig_spec){.queues = 2, .flows = 10}, &twice, 1, 7, see_copies);
}

static void see_order(struct rig *r)
{
	struct worker_counters b = rig_count(r, 1);

	assert_int_equal(b.matched, FRAMES);
	assert_int_equal(b.reordered, r->wire.link[0].fault[FAULT_DELAY]);
}

static void swapped_neighbours_are_reordered(void **state)
{
	static const uint64_t list[] = {3, 100, 102, 77777};
	const struct fake_rule swap = {.fault = FAULT_DELAY, .list = list, .nlist = 4, .arg = 1};

	run_with(&(struct rig_spec){.queues = 1, .flows = 1}, &swap, 1, 7, see_order);
}

static void see_late(struct rig *r)
{
	struct worker_counters b = rig_count(r, 1);

	assert_int_equal(b.too_late, r->wire.link[0].fault[FAULT_DELAY]);
	assert_int_equal(b.matched + b.too_late, FRAMES);
}

static void a_frame_below_the_window_is_too_late(void **state)
{
	const struct fake_rule delay = {.fault = FAULT_DELAY, .one_in = 5000, .arg = 900};
	const struct rig_spec spec = {.queues = 1, .flows = 1, .window_bits = 256};

	run_with(&spec, &delay, 1, 3, see_late);
}

static void see_damage(struct rig *r)
{
	struct worker_counters b = rig_count(r, 1);

	assert_int_equal(b.corrupt, r->wire.link[0].fault[FAULT_CORRUPT]);
	assert_int_equal(b.matched + b.corrupt, FRAMES);
}

static void a_damaged_stamp_is_corrupt_wherever_it_is_hit(void **state)
{
	for (uint32_t at = STAMP_OFFSET; at < STAMP_OFFSET + STAMP_LEN; at++) {
		const struct fake_rule hit = {
			.fault = FAULT_CORRUPT, .one_in = 1000, .arg = at, .mask = 0x10};

		run_with(&(struct rig_spec){.queues = 2, .flows = 30}, &hit, 1, at, see_damage);
	}
}

static void see_tags(struct rig *r)
{
	struct worker_counters b = rig_count(r, 1);

	assert_int_equal(b.retagged, r->wire.link[0].fault[FAULT_RETAG]);
	assert_int_equal(b.matched, FRAMES);
}

static void a_tag_that_was_not_sent_is_noticed(void **state)
{
	const struct fake_rule tag = {.fault = FAULT_RETAG, .one_in = 500};

	run_with(&(struct rig_spec){.queues = 1, .flows = 3}, &tag, 1, 3, see_tags);
}

static const struct fake_rule everything[] = {
	{.fault = FAULT_LOSE, .one_in = 300},
	{.fault = FAULT_DEV_DROP, .one_in = 900},
	{.fault = FAULT_MISS, .one_in = 700},
	{.fault = FAULT_DUPLICATE, .one_in = 200},
	{.fault = FAULT_DELAY, .one_in = 250, .arg = 1},
	{.fault = FAULT_DELAY, .one_in = 400, .arg = 33},
	{.fault = FAULT_CORRUPT, .one_in = 350, .arg = STAMP_OFFSET + 11, .mask = 0x40},
	{.fault = FAULT_RETAG, .one_in = 333},
};

static void all_faults_at_once_are_told_apart(void **state)
{
	static const uint32_t flows[] = {2, 24, 1000};

	for (uint32_t i = 0; i < ARRAY_LEN(flows); i++)
		for (uint32_t queues = 1; queues <= 2; queues++)
			run_with(&(struct rig_spec){.queues = queues, .flows = flows[i]},
				 everything, ARRAY_LEN(everything), 99 + i, NULL);
}

/* A card that spreads flows over its queues in its own way, as RSS does. */
static void receive_queues_need_not_be_those_of_the_sender(void **state)
{
	struct rig_spec spec = {.queues = 3, .flows = 9};
	struct rig *r = rig_open(&spec);

	r->wire.port[1].spread = true;
	r->wire.port[1].queues = 2;
	for (uint32_t i = 0; i < 6; i++)
		fake_link_rule(&r->wire.link[0], &everything[i]);
	rig_a_to_b(r, 0, FRAMES / 2);
	rig_run(r, UINT32_MAX);
	rig_check_truth(r, 1);
	/* Sent on queue 5 mod 3, received where its odd source port leads. */
	assert_true(worker_window(&r->worker[1][1], 5)->unique > 0);
	assert_int_equal(worker_window(&r->worker[1][2], 5)->unique, 0);
	rig_close(r);
}

/* --- what the driver can't do, what only a full check sees --- */

static void run_without_metadata(uint32_t queues, bool verify_full)
{
	struct rig_spec spec = {.queues = queues, .flows = 12};
	struct rig *r = rig_open(&spec);
	struct plan count = rig_plan(r, 1);

	r->wire.port[1].no_metadata = true;
	r->wire.link[0].random = 5;
	for (uint32_t i = 0; i < ARRAY_LEN(everything); i++)
		fake_link_rule(&r->wire.link[0], &everything[i]);
	rig_a_to_b(r, 0, FRAMES / queues);
	count.verify_full = verify_full;
	rig_prepare(r, 1, &count);
	rig_run(r, UINT32_MAX);
	rig_check_truth(r, 1);
	assert_int_equal(rig_count(r, 1).user_stamped, r->wire.link[0].delivered);
	rig_close(r);
}

static void without_metadata_counts_are_the_same_and_times_are_ours(void **state)
{
	run_without_metadata(1, false);
	run_without_metadata(2, true);
}

static struct worker_counters run_damaged(uint32_t at, bool verify_full)
{
	struct rig_spec spec = {.queues = 1, .flows = 5, .frame_bytes = 300};
	const struct fake_rule hit = {
		.fault = FAULT_CORRUPT, .one_in = 1000, .arg = at, .mask = 0x04};
	struct rig *r = rig_open(&spec);
	struct plan count = rig_plan(r, 1);
	struct worker_counters b;

	r->wire.link[0].random = at;
	fake_link_rule(&r->wire.link[0], &hit);
	rig_a_to_b(r, 0, FRAMES / 10);
	count.verify_full = verify_full;
	rig_prepare(r, 1, &count);
	rig_run(r, UINT32_MAX);
	b = rig_count(r, 1);
	assert_int_equal(b.matched + b.corrupt, FRAMES / 10);
	assert_true(r->wire.link[0].fault[FAULT_CORRUPT] > 0);
	assert_int_equal(b.corrupt, verify_full ? r->wire.link[0].fault[FAULT_CORRUPT] : 0);
	if (verify_full)
		rig_check_truth(r, 1);
	rig_close(r);
	return b;
}

/* IP TTL, UDP checksum, the first and the last byte of the payload. */
static void verify_full_finds_damage_that_the_stamp_can_not_show(void **state)
{
	static const uint32_t places[] = {22, 41, STAMP_OFFSET + STAMP_LEN, 295};

	for (uint32_t i = 0; i < ARRAY_LEN(places); i++) {
		(void)run_damaged(places[i], false);
		(void)run_damaged(places[i], true);
	}
}

/* One frame in two has one byte damaged, wherever it lies: each of them is found, and no other. */
static void damage_everywhere(uint32_t frame_bytes, bool macs_known)
{
	struct rig_spec spec = {.queues = 1,
				.flows = 3,
				.frame_bytes = frame_bytes,
				.rx_frames = 64,
				.tx_frames = 64,
				.ring = 64};
	const struct fake_rule hit = {.fault = FAULT_CORRUPT, .one_in = 2};
	struct rig *r = rig_open(&spec);
	struct plan count = rig_plan(r, 1);
	uint64_t frames = 0, damaged = 0;

	r->wire.link[0].random = frame_bytes;
	fake_link_rule(&r->wire.link[0], &hit);
	count.verify_full = true;
	count.macs = macs_known ? r->frame[0].data : NULL;
	for (uint32_t at = macs_known ? 0 : 12; at < frame_bytes - FCS_LEN; at++) {
		struct worker_counters b;

		r->wire.link[0].rule[0].arg = at;
		r->wire.link[0].rule[0].mask = (uint8_t)(1 << at % 8);
		rig_a_to_b(r, 0, 16);
		rig_prepare(r, 1, &count);
		rig_run(r, UINT32_MAX);
		b = rig_count(r, 1);
		frames += 16;
		if (b.corrupt != r->wire.link[0].fault[FAULT_CORRUPT])
			fail_msg("%u bytes: damage at %u was not seen, or more", frame_bytes, at);
		assert_int_equal(b.matched + b.corrupt, frames);
		assert_true(b.corrupt > damaged);
		damaged = b.corrupt;
	}
	rig_close(r);
}

static void verify_full_finds_each_damaged_byte(void **state)
{
	damage_everywhere(64, true);
	damage_everywhere(1518, true);
	damage_everywhere(64, false);
}

/* Addresses that nobody told: frames are right whatever they are, and other ones in turn too. */
static void verify_full_takes_any_addresses_when_none_are_known(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 3};
	const struct fake_rule hit = {.fault = FAULT_CORRUPT, .one_in = 2, .arg = 8, .mask = 0x10};
	struct rig *r = rig_open(&spec);
	struct plan count = rig_plan(r, 1);

	r->wire.link[0].random = 5;
	fake_link_rule(&r->wire.link[0], &hit);
	count.verify_full = true;
	rig_a_to_b(r, 0, 200);
	rig_prepare(r, 1, &count);
	rig_run(r, UINT32_MAX);
	assert_int_equal(rig_count(r, 1).matched, 200);
	rig_close(r);
}

/* --- whose frames? --- */

static void frames_of_another_run_are_stale(void **state)
{
	struct rig_spec spec = {.queues = 2, .flows = 4};
	struct rig *r = rig_open(&spec);
	struct plan count = rig_plan(r, 1);
	struct worker_counters b;

	rig_a_to_b(r, 0, 500);
	count.run = RIG_RUN + 1;
	rig_prepare(r, 1, &count);
	rig_run(r, UINT32_MAX);
	b = rig_count(r, 1);
	assert_int_equal(b.stale, 1000);
	assert_int_equal(b.matched + b.foreign + b.corrupt, 0);
	rig_close(r);
}

static void frames_that_are_not_expected_are_foreign(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 10};
	struct rig *r = rig_open(&spec);
	struct plan count = rig_plan(r, 1);

	rig_a_to_b(r, 0, 500);
	count.expect_flags = STAMP_REPLY;
	rig_prepare(r, 1, &count);
	rig_run(r, UINT32_MAX);
	assert_int_equal(rig_count(r, 1).foreign, 500);

	rig_a_to_b(r, 0, 500);
	count = rig_plan(r, 1);
	count.rx_flows = 6; /* and four flows more than there are windows */
	rig_prepare(r, 1, &count);
	rig_run(r, UINT32_MAX);
	assert_int_equal(rig_count(r, 1).foreign, 500 + 200);
	assert_int_equal(rig_count(r, 1).matched, 300);
	rig_close(r);
}

static void the_first_run_that_comes_is_the_one_that_is_counted(void **state)
{
	struct rig_spec spec = {.queues = 2, .flows = 4};
	struct rig *r = rig_open(&spec);
	struct plan send = rig_plan(r, 0), count = rig_plan(r, 1);
	struct worker_counters b;

	count.run = 0x1234; /* its own number means nothing */
	count.any_run = true;
	rig_prepare(r, 1, &count);
	send.tx = TX_GENERATE;
	send.limit = 300;
	rig_prepare(r, 0, &send);
	rig_run(r, UINT32_MAX);
	assert_int_equal(rig_count(r, 1).matched, 600);

	send.run = RIG_RUN + 5;
	rig_prepare(r, 0, &send);
	rig_run(r, UINT32_MAX);
	b = rig_count(r, 1);
	assert_int_equal(b.matched, 600);
	assert_int_equal(b.stale, 600);
	assert_int_equal(r->run_seen[1], 1u << 16 | RIG_RUN);
	rig_close(r);
}

static void a_queue_learns_the_run_that_another_queue_saw_first(void **state)
{
	struct rig_spec spec = {.queues = 2, .flows = 2};
	struct rig *r = rig_open(&spec);
	struct plan send = rig_plan(r, 0), count = rig_plan(r, 1);

	count.any_run = true;
	rig_prepare(r, 1, &count);
	send.tx = TX_GENERATE;
	send.limit = 100;
	rig_prepare(r, 0, &send);
	send.run = RIG_RUN + 1;
	send.tx_index = 1;
	assert_int_equal(worker_prepare(&r->worker[0][1], &send), 0);
	r->worker[0][1].sending = false; /* queue 0 goes first */
	for (int i = 0; i < 3; i++)
		rig_round(r, true);
	r->worker[0][1].sending = true;
	rig_run(r, UINT32_MAX);
	assert_int_equal(r->slot[1][0].worker.matched, 100);
	assert_int_equal(r->slot[1][1].worker.matched, 0);
	assert_int_equal(r->slot[1][1].worker.stale, 100);
	rig_close(r);
}

/* --- time --- */

static void latency_is_what_the_cable_adds(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 3};
	struct rig *r = rig_open(&spec);
	const struct hist *h = &r->latency[1][0];

	r->wire.link[0].latency_ns = 12345;
	rig_a_to_b(r, 0, 1000);
	rig_run(r, UINT32_MAX);
	assert_int_equal(h->count, 1000);
	assert_int_equal(h->min, 12345);
	assert_int_equal(h->max, 12345);
	assert_int_equal(h->sum, 12345000);
	assert_int_equal(h->bucket[hist_index(12345)], 1000);
	rig_close(r);
}

static void an_arrival_before_its_sending_is_negative_and_not_clamped(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 1};
	struct rig *r = rig_open(&spec);

	r->wire.link[0].latency_ns = (uint64_t)-500;
	rig_a_to_b(r, 0, 10);
	rig_run(r, UINT32_MAX);
	assert_int_equal(r->latency[1][0].negative, 10);
	assert_int_equal(r->latency[1][0].count, 0);
	assert_int_equal(rig_count(r, 1).matched, 10);
	rig_close(r);
}

static void no_memory_for_windows_is_said_with_its_size(void **state)
{
	struct rig_spec spec = {.queues = 1, .flows = 1};
	struct rig *r = rig_open(&spec);
	struct plan count = rig_plan(r, 1);

	count.rx_flows = UINT32_MAX; /* 2 TiB a flow */
	count.window_bits = 1u << 31;
	assert_int_equal(worker_prepare(&r->worker[1][0], &count), -ENOMEM);
	assert_non_null(strstr(fake_log_text(), "4294967295 flows"));
	assert_null(strstr(fake_log_text(), "(0 MiB)"));
	rig_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_cable_matches_every_frame),
		cmocka_unit_test(one_frame_in_a_thousand_lost_is_seen_exactly),
		cmocka_unit_test(listed_losses_are_gaps_but_for_the_tail),
		cmocka_unit_test(copies_are_counted_beside_their_first),
		cmocka_unit_test(swapped_neighbours_are_reordered),
		cmocka_unit_test(a_frame_below_the_window_is_too_late),
		cmocka_unit_test(a_damaged_stamp_is_corrupt_wherever_it_is_hit),
		cmocka_unit_test(a_tag_that_was_not_sent_is_noticed),
		cmocka_unit_test(all_faults_at_once_are_told_apart),
		cmocka_unit_test(receive_queues_need_not_be_those_of_the_sender),
		cmocka_unit_test(without_metadata_counts_are_the_same_and_times_are_ours),
		cmocka_unit_test(verify_full_finds_damage_that_the_stamp_can_not_show),
		cmocka_unit_test(verify_full_finds_each_damaged_byte),
		cmocka_unit_test(verify_full_takes_any_addresses_when_none_are_known),
		cmocka_unit_test(frames_of_another_run_are_stale),
		cmocka_unit_test(frames_that_are_not_expected_are_foreign),
		cmocka_unit_test(the_first_run_that_comes_is_the_one_that_is_counted),
		cmocka_unit_test(a_queue_learns_the_run_that_another_queue_saw_first),
		cmocka_unit_test(latency_is_what_the_cable_adds),
		cmocka_unit_test(an_arrival_before_its_sending_is_negative_and_not_clamped),
		cmocka_unit_test(no_memory_for_windows_is_said_with_its_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
