/* SPDX-License-Identifier: MIT */
/* The figures as a table for people and as JSON for programs. */
#include "bench.h"
#include "io/log.h"
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static int by_value(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
}

struct middle middle_of(const double values[ROUNDS])
{
	double sorted[ROUNDS];

	memcpy(sorted, values, sizeof(sorted));
	qsort(sorted, ROUNDS, sizeof(sorted[0]), by_value);
	return (struct middle){sorted[ROUNDS / 2], sorted[1], sorted[ROUNDS - 2]};
}

static struct middle ratio_of(const struct row *row)
{
	double ratio[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		ratio[i] = row->ours[i] / row->reference[i];
	return middle_of(ratio);
}

static struct middle difference_of(const struct row *row)
{
	double difference[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		difference[i] = row->ours[i] - row->reference[i];
	return middle_of(difference);
}

static struct middle judged_of(const struct row *row)
{
	switch (row->judged) {
	case JUDGED_RATIO:
		return ratio_of(row);
	case JUDGED_DIFFERENCE:
		return difference_of(row);
	default:
		return middle_of(row->ours);
	}
}

static const char *verdict_of(const struct row *row)
{
	if (row->judged == JUDGED_NOT)
		return "";
	return judged_of(row).median <= row->target ? "reached" : "not reached";
}

static void print_target(const struct row *row)
{
	static const char *const forms[] = {
		[JUDGED_NOT] = "-",
		[JUDGED_RATIO] = "ratio <= %.2f",
		[JUDGED_DIFFERENCE] = "<= %+.0f ns",
		[JUDGED_VALUE] = "< %.0f",
	};
	char text[32];

	snprintf(text, sizeof(text), forms[row->judged], row->target);
	printf("  %-14s %s\n", text, verdict_of(row));
}

static void print_row(const struct row *row)
{
	struct middle m;

	printf("%-34s %-9s", row->text, row->unit);
	if (!row->done) {
		printf("  could not run\n");
		return;
	}
	printf(" %8.1f", middle_of(row->ours).median);
	if (!row->reference_text) {
		m = middle_of(row->ours);
		printf(" %9s  [%.1f, %.1f]%*s", "-", m.low, m.high, 26, "");
		print_target(row);
		return;
	}
	printf(" %9.1f", middle_of(row->reference).median);
	m = ratio_of(row);
	printf("  %5.3f [%5.3f, %5.3f]", m.median, m.low, m.high);
	m = difference_of(row);
	printf("  %+6.1f [%+.1f, %+.1f]", m.median, m.low, m.high);
	print_target(row);
}

static void print_notes(const struct row *row)
{
	if (!row->done || !row->reference_text)
		return;
	printf("%s: against %s", row->text, row->reference_text);
	if (row->ours_wall[0] > 0)
		printf("; by the clock %.2f and %.2f Mpps", 1e3 / middle_of(row->ours_wall).median,
		       1e3 / middle_of(row->reference_wall).median);
	printf("\n");
}

void table_print(const struct row *rows, int n)
{
	printf("%-34s %-9s %8s %9s  %-21s  %-22s  %s\n", "what", "", "ours", "reference",
	       "ratio [rank 2, 8]", "difference", "target");
	for (int i = 0; i < n; i++)
		print_row(&rows[i]);
	printf("\nCPU time of the threads that run the path, the kernel's part included; medians "
	       "of "
	       "%d rounds\nthat alternate with the reference's, ranks 2 and 8 are the 95 %% "
	       "interval.\n",
	       ROUNDS);
	for (int i = 0; i < n; i++)
		print_notes(&rows[i]);
}

static json_t *json_values(const double values[ROUNDS])
{
	json_t *array = json_array();

	for (int i = 0; i < ROUNDS; i++)
		json_array_append_new(array, json_real(values[i]));
	return array;
}

static json_t *json_middle(struct middle m)
{
	return json_pack("{s:f, s:f, s:f}", "median", m.median, "low", m.low, "high", m.high);
}

static json_t *json_row(const struct row *row)
{
	json_t *o = json_pack("{s:s, s:s, s:s, s:b}", "name", row->name, "text", row->text, "unit",
			      row->unit, "done", row->done);

	if (!row->done)
		return o;
	json_object_set_new(o, "ours", json_values(row->ours));
	if (row->reference_text) {
		json_object_set_new(o, "reference", json_values(row->reference));
		json_object_set_new(o, "ratio", json_middle(ratio_of(row)));
		json_object_set_new(o, "difference", json_middle(difference_of(row)));
	}
	if (row->ours_wall[0] > 0) {
		json_object_set_new(o, "ours_wall_ns", json_values(row->ours_wall));
		json_object_set_new(o, "reference_wall_ns", json_values(row->reference_wall));
	}
	if (row->judged != JUDGED_NOT) {
		json_object_set_new(o, "target", json_real(row->target));
		json_object_set_new(o, "reached",
				    json_boolean(judged_of(row).median <= row->target));
	}
	return o;
}

int table_save(const struct row *rows, int n, const char *path)
{
	struct utsname host;
	json_t *array = json_array(), *all;
	int err = 0;

	uname(&host);
	for (int i = 0; i < n; i++)
		json_array_append_new(array, json_row(&rows[i]));
	all = json_pack("{s:s, s:s, s:s, s:i, s:i, s:o}", "schema", "xdploop.bench/1", "kernel",
			host.release, "machine", host.machine, "cpus",
			(int)sysconf(_SC_NPROCESSORS_ONLN), "rounds", ROUNDS, "rows", array);
	if (!all || json_dump_file(all, path, JSON_INDENT(2) | JSON_REAL_PRECISION(6))) {
		log_error("can't write %s", path);
		err = -EIO;
	}
	json_decref(all);
	return err;
}
