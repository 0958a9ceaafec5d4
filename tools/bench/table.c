/* SPDX-License-Identifier: MIT */
/* The in-process rows as a table for people and as JSON for programs. */
#include "bench.h"
#include "json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
}

struct middle middle_of(const double *values, int n)
{
	double sorted[ROUNDS] = {};
	int edge = n >= ROUNDS; /* of fewer there is no such interval: all of them */

	memcpy(sorted, values, sizeof(sorted[0]) * (size_t)n);
	qsort(sorted, (size_t)n, sizeof(sorted[0]), by_value);
	return (struct middle){sorted[n / 2], sorted[edge], sorted[n - 1 - edge]};
}

static struct middle ratio_of(const struct row *row)
{
	double ratio[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		ratio[i] = row->ours[i] / row->reference[i];
	return middle_of(ratio, ROUNDS);
}

static struct middle difference_of(const struct row *row)
{
	double difference[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		difference[i] = row->ours[i] - row->reference[i];
	return middle_of(difference, ROUNDS);
}

static struct middle judged_of(const struct row *row)
{
	switch (row->judged) {
	case JUDGED_RATIO:
		return ratio_of(row);
	case JUDGED_DIFFERENCE:
		return difference_of(row);
	default:
		return middle_of(row->ours, ROUNDS);
	}
}

static const char *verdict_of(const struct row *row)
{
	if (row->judged == JUDGED_NOT)
		return "";
	return judged_of(row).median <= row->target ? "reached" : "not reached";
}

static void print_row(const struct row *row)
{
	static const char *const targets[] = {
		[JUDGED_NOT] = "",
		[JUDGED_RATIO] = "<= %.2f",
		[JUDGED_DIFFERENCE] = "<= %+.0f ns",
		[JUDGED_VALUE] = "< %.0f",
	};
	bool alone = !row->reference_text, differs = row->judged == JUDGED_DIFFERENCE;
	struct middle m = alone	    ? middle_of(row->ours, ROUNDS)
			  : differs ? difference_of(row)
				    : ratio_of(row);
	char reference[16] = "-", text[40], target[16];

	printf("  %-33s", row->text);
	if (!row->done) {
		printf(" could not run\n");
		return;
	}
	if (!alone)
		snprintf(reference, sizeof(reference), "%.1f",
			 middle_of(row->reference, ROUNDS).median);
	snprintf(text, sizeof(text),
		 alone	   ? "[%.1f, %.1f]"
		 : differs ? "%+.1f [%+.1f, %+.1f]"
			   : "%.3f [%.3f, %.3f]",
		 alone ? m.low : m.median, alone ? m.high : m.low, m.high);
	snprintf(target, sizeof(target), targets[row->judged], row->target);
	printf(" %8.1f %9s  %-20s  %-9s %s\n", middle_of(row->ours, ROUNDS).median, reference, text,
	       target, verdict_of(row));
}

static void print_notes(const struct row *row)
{
	if (!row->done || !row->reference_text)
		return;
	printf("  %s: against %s\n", row->text, row->reference_text);
	if (row->ours_wall[0] > 0)
		printf("  %s: %.2f and %.2f Mpps by the clock\n", row->text,
		       1e3 / middle_of(row->ours_wall, ROUNDS).median,
		       1e3 / middle_of(row->reference_wall, ROUNDS).median);
}

static bool any_asked(const struct row *rows, int n)
{
	for (int i = 0; i < n; i++)
		if (rows[i].asked)
			return true;
	return false;
}

void table_print(const struct row *rows, int n)
{
	if (!any_asked(rows, n))
		return;
	printf("\nOur own lines in this process, beside a reference; ns of CPU per frame, idle: "
	       "%% of a CPU\n  %-33s %8s %9s  %-20s  %s\n",
	       "", "ours", "reference", "ratio or difference", "target");
	for (int i = 0; i < n; i++)
		if (rows[i].asked)
			print_row(&rows[i]);
	for (int i = 0; i < n; i++)
		print_notes(&rows[i]);
}

json_t *json_values(const double *values, int n)
{
	json_t *array = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(array, json_real(values[i]));
	return array;
}

json_t *json_middle(struct middle m)
{
	return json_pack("{s:f, s:f, s:f}", "median", m.median, "low", m.low, "high", m.high);
}

static json_t *json_row(const struct row *row)
{
	json_t *o = json_pack("{s:s, s:s, s:s, s:b}", "name", row->name, "text", row->text, "unit",
			      row->unit, "done", row->done);

	if (!row->done)
		return o;
	json_object_set_new(o, "ours", json_values(row->ours, ROUNDS));
	if (row->reference_text) {
		json_object_set_new(o, "reference", json_values(row->reference, ROUNDS));
		json_object_set_new(o, "ratio", json_middle(ratio_of(row)));
		json_object_set_new(o, "difference", json_middle(difference_of(row)));
	}
	if (row->ours_wall[0] > 0) {
		json_object_set_new(o, "ours_wall_ns", json_values(row->ours_wall, ROUNDS));
		json_object_set_new(o, "reference_wall_ns",
				    json_values(row->reference_wall, ROUNDS));
	}
	if (row->judged != JUDGED_NOT) {
		json_object_set_new(o, "target", json_real(row->target));
		json_object_set_new(o, "reached",
				    json_boolean(judged_of(row).median <= row->target));
	}
	return o;
}

json_t *table_json(const struct row *rows, int n)
{
	json_t *array = json_array();

	for (int i = 0; i < n; i++)
		if (rows[i].asked)
			json_array_append_new(array, json_row(&rows[i]));
	return array;
}
