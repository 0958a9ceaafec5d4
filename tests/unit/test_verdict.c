/* SPDX-License-Identifier: MIT */
/* core/verdict.h: limits as the user writes them, and the one sentence a run comes to. */
#include "core/verdict.h"
#include "unit.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct result result;
static struct result_trial trials[2];

/* A direction in which all sent frames arrived and all is known. */
static struct result_direction direction_of(const char *from, const char *to, int64_t sent)
{
	struct result_direction d = {
		.ledger = {.submitted = sent, .completed = sent, .matched = sent},
		.rates = {.rx_pps = 1e6},
		.latency = {.samples = sent, .p99 = 20000},
	};

	snprintf(d.from, sizeof(d.from), "%s", from);
	snprintf(d.to, sizeof(d.to), "%s", to);
	return d;
}

static void lose(struct result_direction *d, int64_t n)
{
	d->ledger.matched -= n;
	d->ledger.lost = d->ledger.wire_lost = n;
}

/* One trial with both directions between lab-a and lab-b. */
static int two_directions(void **state)
{
	memset(&result, 0, sizeof(result));
	memset(trials, 0, sizeof(trials));
	result.trial = trials;
	result.ntrials = 1;
	strcpy(trials[0].name, "both");
	strcpy(trials[1].name, "reflected");
	trials[0].ndirections = 2;
	trials[0].direction[0] = direction_of("lab-a", "lab-b", 50000);
	trials[0].direction[1] = direction_of("lab-b", "lab-a", 50000);
	return 0;
}

static void assert_verdict(int status, const char *text, const char *limit_word)
{
	struct limit limit = {0};

	if (limit_word)
		assert_int_equal(limit_parse(limit_word, &limit), 0);
	verdict_judge(&result, &limit, limit_word ? 1 : 0);
	assert_string_equal(result.verdict.text, text);
	assert_int_equal(result.verdict.status, status);
}

static void limits_are_read_as_written(void **state)
{
	static const struct {
		const char *word;
		struct limit want;
	} rows[] = {
		{"loss>0", {LIMIT_LOSS, true, 0, ""}},
		{"loss>1k", {LIMIT_LOSS, true, 1000, ""}},
		{"loss%>0.1", {LIMIT_LOSS_PERCENT, true, 0.1, ""}},
		{"loss%<100", {LIMIT_LOSS_PERCENT, false, 100, ""}},
		{"rx_pps<1M", {LIMIT_RX_PPS, false, 1e6, ""}},
		{"rx_pps<2.5k", {LIMIT_RX_PPS, false, 2500, ""}},
		{"p99>50us", {LIMIT_LATENCY_P99, true, 50000, ""}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct limit got;

		assert_int_equal(limit_parse(rows[i].word, &got), 0);
		assert_int_equal(got.what, rows[i].want.what);
		assert_int_equal(got.above, rows[i].want.above);
		assert_true(got.value == rows[i].want.value);
		assert_string_equal(got.text, rows[i].word);
	}
}

static void anything_else_is_no_limit(void **state)
{
	static const char *const bad[] = {
		"",
		"loss",
		"loss>",
		"loss=0",
		">0",
		"los>0",
		"losss>0",
		"Loss>0",
		"loss >0",
		"loss> 0",
		"loss>0 ",
		"loss>-1",
		"loss>0.5",
		"loss>1%",
		"loss>>0",
		"loss>=0",
		"loss<>0",
		"loss>x",
		"loss%>101",
		"loss%>1%",
		"loss%>-1",
		"p99>50",
		"p99>50parsec",
		"p99>-1us",
		"p50>1us",
		"rx_pps<",
		"rx_pps<1Mpps",
		"rx_pps<1e6",
		"tx_pps<1",
		"loss>99999999999999999999",
		"rx_pps<1.000000000000000000000000000000000000000000000000",
	};
	struct limit limit = {.value = 77};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		if (limit_parse(bad[i], &limit) != -EINVAL)
			print_error("limit \"%s\"\n", bad[i]);
		assert_int_equal(limit_parse(bad[i], &limit), -EINVAL);
	}
	assert_true(limit.value == 77);
}

static void a_clean_run_has_no_loss(void **state)
{
	assert_verdict(0, "no loss in 2 directions", NULL);
	trials[0].ndirections = 1;
	assert_verdict(0, "no loss in 1 direction", NULL);
}

static void explained_loss_is_fine_and_said(void **state)
{
	lose(&trials[0].direction[0], 123);
	assert_verdict(0, "0.12 % lost (123 of 100,000), all explained", NULL);
	lose(&trials[0].direction[0], 49000);
	trials[0].direction[0].ledger.lost = 1;
	trials[0].direction[0].ledger.submitted = 9950000;
	assert_verdict(0, "under 0.01 % lost (1 of 10,000,000), all explained", NULL);
}

static void loss_without_wire_counters_is_said_to_be_so(void **state)
{
	struct ledger *l = &trials[0].direction[0].ledger;

	lose(&trials[0].direction[0], 5000);
	l->wire_lost = UNKNOWN;
	l->unexplained = 5000;
	assert_verdict(
		0,
		"5.00 % lost (5,000 of 100,000), 5,000 unexplained: a port here has no counters "
		"to tell",
		NULL);
}

static void unexplained_frames_fail(void **state)
{
	trials[0].direction[1].ledger.unexplained = 3;
	assert_verdict(3, "lab-b to lab-a: 3 frames unexplained", NULL);
	trials[0].direction[1].ledger.unexplained = 1;
	assert_verdict(3, "lab-b to lab-a: 1 frame unexplained", NULL);
	trials[0].direction[1].ledger.unexplained = -1234;
	assert_verdict(3, "lab-b to lab-a: -1,234 frames unexplained", NULL);
}

static void the_first_cause_is_named(void **state)
{
	trials[0].direction[0].ledger.unexplained = 2;
	trials[0].direction[1].ledger.unexplained = 3;
	assert_verdict(3, "lab-a to lab-b: 2 frames unexplained", "p99>1us");
}

static void a_leg_and_a_trial_are_named_where_there_are_more(void **state)
{
	strcpy(trials[0].direction[0].leg, "leg 2");
	trials[0].direction[0].ledger.unexplained = 3;
	assert_verdict(3, "lab-a to lab-b (leg 2): 3 frames unexplained", NULL);
	result.ntrials = 2;
	assert_verdict(3, "lab-a to lab-b (both, leg 2): 3 frames unexplained", NULL);
	trials[1].ndirections = 1;
	trials[1].direction[0] = trials[0].direction[0];
	trials[1].direction[0].leg[0] = 0;
	trials[0].direction[0].ledger.unexplained = 0;
	assert_verdict(3, "lab-a to lab-b (reflected): 3 frames unexplained", NULL);
}

static void a_receive_check_that_does_not_close_fails(void **state)
{
	trials[0].direction[0].ledger.receive_unexplained = 7;
	assert_verdict(
		3, "lab-a to lab-b: 7 frames unexplained between the XDP program and the socket",
		NULL);
}

static void a_wire_that_brought_nothing_fails(void **state)
{
	lose(&trials[0].direction[0], 50000);
	assert_verdict(3, "lab-a to lab-b: 50,000 frames sent, none arrived", NULL);
	trials[0].direction[0].ledger.corrupt = 50000;
	assert_verdict(3, "lab-a to lab-b: 50,000 frames sent, none arrived undamaged", NULL);
}

static void a_limit_that_is_met_fails(void **state)
{
	lose(&trials[0].direction[1], 500);
	assert_verdict(3, "lab-b to lab-a: 500 lost, limit loss>0", "loss>0");
	assert_verdict(3, "lab-b to lab-a: 1 % lost, limit loss%>0.1", "loss%>0.1");
	trials[0].direction[1].rates.rx_pps = 812743;
	assert_verdict(3, "lab-b to lab-a: 812.7 kpps received, limit rx_pps<1M", "rx_pps<1M");
	trials[0].direction[1].latency.p99 = 61234;
	assert_verdict(3, "lab-b to lab-a: 61.2 us p99 latency, limit p99>50us", "p99>50us");
}

static void a_limit_that_is_only_reached_is_kept(void **state)
{
	assert_verdict(0, "no loss in 2 directions", "loss>0");
	assert_verdict(0, "no loss in 2 directions", "rx_pps<1M");
	assert_verdict(0, "no loss in 2 directions", "p99>20us");
	assert_verdict(3, "lab-a to lab-b: 20.0 us p99 latency, limit p99>19999ns", "p99>19999ns");
	lose(&trials[0].direction[0], 50);
	assert_verdict(0, "0.05 % lost (50 of 100,000), all explained", "loss%>0.1");
}

static void each_limit_is_checked(void **state)
{
	struct limit limits[2];

	assert_int_equal(limit_parse("loss>0", &limits[0]), 0);
	assert_int_equal(limit_parse("p99>10us", &limits[1]), 0);
	verdict_judge(&result, limits, 2);
	assert_int_equal(result.verdict.status, 3);
	assert_string_equal(result.verdict.text,
			    "lab-a to lab-b: 20.0 us p99 latency, limit p99>10us");
}

/* One direction that has the figure is enough, none is not: a check that can't be made fails. */
static void a_limit_that_cannot_be_checked_is_not_kept(void **state)
{
	trials[0].direction[0].latency.p99 = UNKNOWN;
	assert_verdict(0, "no loss in 2 directions", "p99>50us");
	trials[0].direction[1].latency.p99 = UNKNOWN;
	assert_verdict(3, "limit p99>50us can't be checked: this run has no such figure",
		       "p99>50us");
	trials[0].direction[0].rates.rx_pps = trials[0].direction[1].rates.rx_pps = NAN;
	assert_verdict(3, "limit rx_pps<1M can't be checked: this run has no such figure",
		       "rx_pps<1M");
}

static void all_unknown(struct ledger *l)
{
	int64_t *row = (int64_t *)l;

	for (int i = 0; i < LEDGER_ROW_COUNT; i++)
		row[i] = UNKNOWN;
}

static void a_sender_alone_says_what_it_sent(void **state)
{
	struct ledger *l = &trials[0].direction[0].ledger;

	trials[0].ndirections = 1;
	trials[0].direction[0].to[0] = 0;
	all_unknown(l);
	l->submitted = l->completed = 1000000;
	assert_verdict(0, "1,000,000 frames sent", NULL);
	assert_verdict(3, "limit loss>0 can't be checked: this run has no such figure", "loss>0");
}

static void a_receiver_alone_says_what_is_missing(void **state)
{
	struct ledger *l = &trials[0].direction[0].ledger;

	trials[0].ndirections = 1;
	trials[0].direction[0].from[0] = 0;
	all_unknown(l);
	l->matched = 990;
	l->corrupt = 4;
	l->too_late = 1;
	l->lost = 5;
	l->receive_unexplained = 0;
	assert_verdict(0, "0.50 % lost (5 of 1,000)", NULL);
	assert_verdict(3, "at lab-b: 5 lost, limit loss>0", "loss>0");
	assert_verdict(3, "at lab-b: 0.5 % lost, limit loss%>0.1", "loss%>0.1");
	l->lost = 0;
	assert_verdict(0, "no loss in 1 direction", NULL);
	l->matched = l->corrupt = l->too_late = 0;
	assert_verdict(0, "no frames of this test were seen", NULL);
}

static void copies_do_not_make_up_for_losses(void **state)
{
	lose(&trials[0].direction[0], 10);
	trials[0].direction[1].ledger.lost = -10;
	assert_verdict(0, "0.01 % lost (10 of 100,000), all explained", NULL);
}

static void a_run_without_trials_saw_nothing(void **state)
{
	result.ntrials = 0;
	assert_verdict(0, "no frames of this test were seen", NULL);
}

static void the_longest_names_fit(void **state)
{
	struct result_direction *d = &trials[0].direction[0];
	const char *text = result.verdict.text;

	result.ntrials = 2;
	memset(d->from, 'x', sizeof(d->from) - 1);
	memset(d->to, 'y', sizeof(d->to) - 1);
	memset(d->leg, 'z', sizeof(d->leg) - 1);
	memset(trials[0].name, 't', sizeof(trials[0].name) - 1);
	d->ledger.receive_unexplained = INT64_MAX;
	verdict_judge(&result, NULL, 0);
	assert_string_equal(text + strlen(text) - 11, " the socket");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_read_as_written),
		cmocka_unit_test(anything_else_is_no_limit),
		cmocka_unit_test_setup(a_clean_run_has_no_loss, two_directions),
		cmocka_unit_test_setup(explained_loss_is_fine_and_said, two_directions),
		cmocka_unit_test_setup(loss_without_wire_counters_is_said_to_be_so, two_directions),
		cmocka_unit_test_setup(unexplained_frames_fail, two_directions),
		cmocka_unit_test_setup(the_first_cause_is_named, two_directions),
		cmocka_unit_test_setup(a_leg_and_a_trial_are_named_where_there_are_more,
				       two_directions),
		cmocka_unit_test_setup(a_receive_check_that_does_not_close_fails, two_directions),
		cmocka_unit_test_setup(a_wire_that_brought_nothing_fails, two_directions),
		cmocka_unit_test_setup(a_limit_that_is_met_fails, two_directions),
		cmocka_unit_test_setup(a_limit_that_is_only_reached_is_kept, two_directions),
		cmocka_unit_test_setup(each_limit_is_checked, two_directions),
		cmocka_unit_test_setup(a_limit_that_cannot_be_checked_is_not_kept, two_directions),
		cmocka_unit_test_setup(a_sender_alone_says_what_it_sent, two_directions),
		cmocka_unit_test_setup(a_receiver_alone_says_what_is_missing, two_directions),
		cmocka_unit_test_setup(copies_do_not_make_up_for_losses, two_directions),
		cmocka_unit_test_setup(a_run_without_trials_saw_nothing, two_directions),
		cmocka_unit_test_setup(the_longest_names_fit, two_directions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
