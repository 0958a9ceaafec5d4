/* SPDX-License-Identifier: MIT */
/* Reports for people, of fixed results: against golden files, and as sums. */
#include "fixture_result.h"
#include "fixture_snapshot.h"
#include "golden.h"
#include "sink.h"
#include <limits.h>
#include <stdio.h>

static void formats_are_found_by_name(void **state)
{
	assert_string_equal(report_find("text")->name, "text");
	assert_string_equal(report_find("json")->name, "json");
	assert_string_equal(report_find("ndjson")->name, "ndjson");
	assert_null(report_find("json "));
}

static void text_is_what_was_approved(void **state)
{
	struct sink s = sink_result("text", fixture_result());

	golden_check("report_text.txt", s.text, s.size);
	free(s.text);
}

static void text_of_send_is_what_was_approved(void **state)
{
	struct sink s = sink_result("text", fixture_result_send());

	golden_check("report_text_send.txt", s.text, s.size);
	free(s.text);
}

static void interval_text_is_what_was_approved(void **state)
{
	struct facts facts;
	struct report_interval in = fixed_interval(&facts);
	struct sink s = sink_interval("text", &in);
	struct report_out out = sink_out(&s);

	strcpy(facts.command, "reflect"); /* ports that do not face each other: one line each */
	assert_int_equal(report_find("text")->interval(&in, &out), 0);
	golden_check("report_text_interval.txt", s.text, s.size);
	free(s.text);
	free_interval(&in);
}

/* No line beyond 100 columns, no trailing blank, nothing but printable characters. */
static void check_page(const char *text)
{
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n"), cols = 0;

		for (size_t i = 0; i < n; i++) {
			cols += ((unsigned char)line[i] & 0xc0) != 0x80;
			if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
				fail_msg("control character 0x%02x", line[i]);
		}
		if (cols > 100 || (n && line[n - 1] == ' '))
			fail_msg("%zu columns: '%.*s'", cols, (int)n, line);
		assert_int_equal(line[n], '\n');
		line += n + 1;
	}
}

static void text_fits_the_page_whatever_the_names(void **state)
{
	struct result r = *fixture_result();
	struct sink s;

	memset(r.port[0].name, 'n', sizeof(r.port[0].name)); /* not even an end */
	memset(r.command_line, 'x', sizeof(r.command_line) - 1);
	memcpy(r.command_line + 40, "\n\t\v\x1b[31m\xff\xc3\xbc", 11);
	strcpy(r.port[0].why, "\xe2\x82\xac and a word and another word and one more, and so on");
	strcpy(r.verdict.text, "");
	s = sink_result("text", &r);
	check_page(s.text);
	assert_non_null(strstr(s.text, "????[31m?\xc3\xbcx"));
	free(s.text);
}

static void text_of_fixed_results_fits_the_page(void **state)
{
	const struct result *results[] = {fixture_result(), fixture_result_send()};

	for (size_t i = 0; i < ARRAY_LEN(results); i++) {
		struct sink s = sink_result("text", results[i]);

		check_page(s.text);
		free(s.text);
	}
}

static void text_explains_the_frame_size_once(void **state)
{
	const char *words = "64-byte frames: 60-byte buffers, 84 bytes on the wire";
	struct sink s = sink_result("text", fixture_result());
	const char *first = strstr(s.text, words);

	assert_non_null(first);
	assert_null(strstr(first + strlen(words), "bytes on the wire"));
	free(s.text);
}

/* "  - name   1,234  source  text": false when the line is not of this kind. */
static bool ledger_line(const char *line, char *sign, char name[32], long *frames)
{
	char number[32], plain[32];
	size_t n = 0;

	if (sscanf(line, "  %c %31s %31s", sign, name, number) != 3 || !strchr("-=", *sign))
		return false;
	for (const char *c = number; *c; c++) {
		if (*c != ',')
			plain[n++] = *c;
	}
	plain[n] = '\0';
	*frames = strtol(plain, NULL, 10);
	return true;
}

/* From the first row down: less the rows behind "-" there must be left what stands behind "=". */
static int check_sums(const char *ledger)
{
	long left = LONG_MIN, frames;
	char sign, name[32], first[32];
	int sums = 0;

	for (const char *line = strchr(ledger, '\n') + 1; strncmp(line, "    lost", 8);
	     line = strchr(line, '\n') + 1) {
		if (left == LONG_MIN) { /* the row that the others are taken from */
			assert_int_equal(sscanf(line, "    %31s %31s", name, first), 2);
			left = 0;
			for (const char *c = first; *c; c++)
				left = *c == ',' ? left : left * 10 + (*c - '0');
			continue;
		}
		if (!ledger_line(line, &sign, name, &frames))
			fail_msg("not a row: %.40s", line);
		if (sign == '-')
			left -= frames;
		else
			assert_int_equal(frames, left);
		sums += sign == '=';
	}
	assert_string_equal(name, "matched");
	return sums;
}

static void text_ledgers_read_as_sums(void **state)
{
	struct sink s = sink_result("text", fixture_result());
	const char *ledger = strstr(s.text, "    ledger ");
	int ledgers = 0, sums = 0;

	for (; ledger; ledger = strstr(ledger + 1, "    ledger ")) {
		sums += check_sums(ledger);
		ledgers++;
	}
	assert_int_equal(ledgers, 3);
	assert_int_equal(sums, 2 + 3 + 2);
	free(s.text);
}

static void text_names_rows_without_frames_on_one_line(void **state)
{
	struct sink s = sink_result("text", fixture_result());

	assert_non_null(strstr(s.text, "    no frames: tx_invalid, tx_uncompleted, dev_tx_dropped, "
				       "wire_lost,\n               nic_missed, no_socket, "));
	assert_non_null(strstr(s.text, "  - unexplained                  0  residue"));
	assert_null(strstr(s.text, "  - wire_lost                    0"));
	free(s.text);
}

static void text_says_when_loss_on_the_wire_cannot_be_told_apart(void **state)
{
	struct sink s = sink_result("text", fixture_result());
	const char *leg1 = strstr(s.text, "(leg 1)"), *leg2 = strstr(s.text, "(leg 2)");
	const char *words = strstr(s.text, "these ports do not count every frame");

	assert_non_null(words);
	assert_true(leg1 < words && words < leg2);
	assert_null(strstr(leg2, "these ports do not count every frame"));
	free(s.text);
}

static void an_idle_interval_says_something(void **state)
{
	struct facts facts;
	struct report_interval in = fixed_interval(&facts);
	const struct snapshot *before = in.before;
	struct sink s;

	in.before = in.now;
	s = sink_interval("text", &in);
	check_page(s.text);
	assert_non_null(strstr(s.text, "lab-a -> lab-b  tx          -"));
	assert_null(strstr(s.text, "lab-b -> lab-a"));
	free(s.text);
	in.before = before;
	free_interval(&in);
}

/* Whatever the reader of the report does: a closed pipe ends it with that. */
static void a_failing_write_ends_the_report(void **state)
{
	struct facts facts;
	struct report_interval in = fixed_interval(&facts);

	for (const struct report_format *f = report_formats; f->name; f++) {
		struct sink s = {.fail_at = 1};
		struct report_out out = sink_out(&s);

		assert_int_equal(f->result(fixture_result(), &out), -EPIPE);
		assert_int_equal(s.calls, 1);
		if (!f->interval)
			continue;
		s.calls = 0;
		assert_int_equal(f->interval(&in, &out), -EPIPE);
	}
	free_interval(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_found_by_name),
		cmocka_unit_test(text_is_what_was_approved),
		cmocka_unit_test(text_of_send_is_what_was_approved),
		cmocka_unit_test(interval_text_is_what_was_approved),
		cmocka_unit_test(text_fits_the_page_whatever_the_names),
		cmocka_unit_test(text_of_fixed_results_fits_the_page),
		cmocka_unit_test(text_explains_the_frame_size_once),
		cmocka_unit_test(text_ledgers_read_as_sums),
		cmocka_unit_test(text_names_rows_without_frames_on_one_line),
		cmocka_unit_test(text_says_when_loss_on_the_wire_cannot_be_told_apart),
		cmocka_unit_test(an_idle_interval_says_something),
		cmocka_unit_test(a_failing_write_ends_the_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
