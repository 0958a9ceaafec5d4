/* SPDX-License-Identifier: MIT */
/* JSON and NDJSON of fixed results: against golden files, and number by number. */
#include "fixture_result.h"
#include "golden.h"
#include "sink.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>

static json_t *parse(const struct sink *s)
{
	json_error_t error;
	json_t *o = json_loads(s->text, JSON_REJECT_DUPLICATES, &error);

	if (!o)
		fail_msg("line %d: %s", error.line, error.text);
	return o;
}

/* "trials/0/name": numbers are array indices. */
static json_t *at(json_t *o, const char *path)
{
	char part[64];
	int n;

	while (sscanf(path, "%63[^/]%n", part, &n) == 1) {
		o = json_is_array(o) ? json_array_get(o, (size_t)atoi(part))
				     : json_object_get(o, part);
		if (!o)
			fail_msg("no %s", part);
		path += n + (path[n] == '/');
	}
	return o;
}

static void json_is_what_was_approved(void **state)
{
	struct sink s = sink_result("json", fixture_result());

	golden_check("report_json.json", s.text, s.size);
	free(s.text);
}

static void ndjson_is_what_was_approved(void **state)
{
	struct facts facts;
	struct report_interval in = fixed_interval(&facts);
	struct sink s = sink_interval("ndjson", &in);
	struct report_out out = sink_out(&s);

	assert_int_equal(report_find("ndjson")->result(fixture_result_send(), &out), 0);
	golden_check("report_ndjson.txt", s.text, s.size);
	free(s.text);
	free_interval(&in);
}

static void json_has_every_ledger_row_in_order(void **state)
{
	struct sink s = sink_result("json", fixture_result());
	json_t *all = parse(&s), *ledger = at(all, "trials/0/directions/0/ledger"), *value;
	const struct ledger *l = &fixture_result()->trial[0].direction[0].ledger;
	const char *key;
	int i = 0;

	json_object_foreach (ledger, key, value) {
		assert_string_equal(key, ledger_rows[i].name);
		if (ledger_value(l, i) == UNKNOWN)
			assert_true(json_is_null(value));
		else
			assert_int_equal(json_integer_value(value), ledger_value(l, i));
		i++;
	}
	assert_int_equal(i, LEDGER_ROW_COUNT);
	json_decref(all);
	free(s.text);
}

static void json_says_null_for_what_is_not_known(void **state)
{
	static const char *const nulls[] = {
		"ports/0/speed_bps",
		"ports/0/tx_budget",
		"ports/0/mode/why",
		"trials/0/directions/0/to",
		"trials/0/directions/0/ledger/matched",
		"trials/0/directions/0/rates/rx_pps",
		"trials/0/directions/0/rates/line_percent",
		"trials/0/directions/0/latency_ns/source",
		"trials/0/directions/0/latency_ns/min",
		"trials/0/directions/0/latency_ns/mean",
		"trials/0/directions/0/lateness_ns/max",
		"trials/0/directions/0/flows/seen",
		"trials/0/directions/0/histogram",
	};
	struct sink s = sink_result("json", fixture_result_send());
	json_t *all = parse(&s);

	for (size_t i = 0; i < ARRAY_LEN(nulls); i++) {
		if (!json_is_null(at(all, nulls[i])))
			fail_msg("%s is not null", nulls[i]);
	}
	assert_null(strstr(s.text, "nan"));
	assert_null(strstr(s.text, "-9223372036854775808"));
	json_decref(all);
	free(s.text);
}

static void json_has_modes_as_words(void **state)
{
	struct sink s = sink_result("json", fixture_result());
	json_t *all = parse(&s);

	assert_string_equal(json_string_value(at(all, "ports/0/mode/asked")), "auto");
	assert_string_equal(json_string_value(at(all, "ports/0/mode/obtained")), "copy");
	assert_string_equal(json_string_value(at(all, "trials/0/queues/2/port")), "lab-b");
	json_decref(all);
	free(s.text);
}

static void json_histogram_holds_every_sample(void **state)
{
	struct sink s = sink_result("json", fixture_result());
	json_t *all = parse(&s), *h = at(all, "trials/0/directions/0/histogram"), *pair;
	json_int_t sum = 0, last = -1;
	size_t i;

	json_array_foreach (h, i, pair) {
		assert_int_equal(json_array_size(pair), 2);
		assert_true(json_integer_value(json_array_get(pair, 0)) > last);
		last = json_integer_value(json_array_get(pair, 0));
		assert_true(json_integer_value(json_array_get(pair, 1)) > 0);
		sum += json_integer_value(json_array_get(pair, 1));
	}
	assert_int_equal(sum, 1224458);
	assert_non_null(strstr(s.text, "\n            [4992, ")); /* a pair is one line */
	json_decref(all);
	free(s.text);
}

static void json_stays_valid_with_strings_that_are_not(void **state)
{
	struct result r = *fixture_result();
	struct sink s;
	json_t *all;

	memset(r.host.name, 0xe2, sizeof(r.host.name));
	strcpy(r.command_line, "a[1,\n  2]\x01\"\\[\xed\xa0\x80{\xc2\x9b");
	s = sink_result("json", &r);
	all = parse(&s);
	assert_string_equal(json_string_value(at(all, "command_line")), "a[1,?  2]?\"\\[???{??");
	assert_int_equal(strspn(json_string_value(at(all, "host/name")), "?"), 64);
	json_decref(all);
	free(s.text);
}

static void json_keeps_its_lines_whatever_strings_hold(void **state)
{
	struct result r = *fixture_result();
	struct sink s;

	strcpy(r.command_line, "[ \"[\\");
	strcpy(r.host.name, "]");
	s = sink_result("json", &r);
	assert_non_null(strstr(s.text, "\n  \"command_line\": \"[ \\\"[\\\\\",\n  \"started\": "));
	assert_non_null(strstr(s.text, "\n  \"host\": {\n    \"name\": \"]\",\n    \"kernel\""));
	free(s.text);
}

static void ndjson_is_one_line_each_and_ends_with_the_same_result(void **state)
{
	struct sink line = sink_result("ndjson", fixture_result());
	struct sink page = sink_result("json", fixture_result());
	json_t *a = parse(&line), *b = parse(&page);

	assert_ptr_equal(strchr(line.text, '\n'), line.text + line.size - 1);
	assert_int_equal(line.calls, 1);
	assert_string_equal(json_string_value(at(a, "type")), "result");
	json_object_del(a, "type");
	assert_true(json_equal(a, b));
	json_decref(a);
	json_decref(b);
	free(line.text);
	free(page.text);
}

static void ndjson_interval_has_rates_of_the_difference(void **state)
{
	struct facts facts;
	struct report_interval in = fixed_interval(&facts);
	struct sink s = sink_interval("ndjson", &in);
	json_t *o = parse(&s), *b = at(o, "ports/1");

	assert_int_equal(json_integer_value(at(o, "t_ns")), 1100000000);
	assert_int_equal(json_integer_value(at(o, "interval_ns")), 100000000);
	assert_true(fabs(json_number_value(at(o, "ports/0/tx_pps")) - 1222000) < 1e-6);
	assert_true(fabs(json_number_value(at(o, "ports/0/tx_l1_bps")) - 1222000 * 84 * 8.) < 1e-3);
	assert_int_equal(json_integer_value(at(b, "socket/ring_full")), 120);
	assert_int_equal(json_integer_value(at(b, "rx_dropped")), 120);
	assert_int_equal(json_integer_value(at(b, "latency_ns/samples")), 122080);
	assert_null(json_object_get(at(b, "worker"), "duplicate")); /* did not change */
	assert_int_equal(json_array_size(at(o, "queues")), 4);
	assert_int_equal(json_integer_value(at(o, "queues/3/queue")), 1);
	json_decref(o);
	free(s.text);
	free_interval(&in);
}

static void an_interval_of_no_time_has_no_rates(void **state)
{
	struct facts facts;
	struct report_interval in = fixed_interval(&facts);
	const struct snapshot *before = in.before;
	struct sink s;
	json_t *o;

	in.before = in.now;
	s = sink_interval("ndjson", &in);
	o = parse(&s);
	assert_true(json_is_null(at(o, "ports/0/tx_pps")));
	assert_true(json_is_null(at(o, "queues/0/cpu_percent")));
	json_decref(o);
	free(s.text);
	in.before = before;
	free_interval(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_is_what_was_approved),
		cmocka_unit_test(ndjson_is_what_was_approved),
		cmocka_unit_test(json_has_every_ledger_row_in_order),
		cmocka_unit_test(json_says_null_for_what_is_not_known),
		cmocka_unit_test(json_has_modes_as_words),
		cmocka_unit_test(json_histogram_holds_every_sample),
		cmocka_unit_test(json_stays_valid_with_strings_that_are_not),
		cmocka_unit_test(json_keeps_its_lines_whatever_strings_hold),
		cmocka_unit_test(ndjson_is_one_line_each_and_ends_with_the_same_result),
		cmocka_unit_test(ndjson_interval_has_rates_of_the_difference),
		cmocka_unit_test(an_interval_of_no_time_has_no_rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
