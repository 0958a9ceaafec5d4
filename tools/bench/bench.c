/* SPDX-License-Identifier: MIT */
/*
 * bench -p PROGRAM [-r ROOT] [-j FILE] [WORD...]: what the paths cost, on the embedded lab: our own
 * lines beside a reference in this process, then xdploop and its peers (in ROOT) as programs, in
 * turn. WORDs take a part. Exit status 1 when something could not run; never because of a figure.
 */
#include "bench.h"
#include "io/log.h"
#include "json.h"
#include "machine.h"
#include "matrix.h"
#include "priority.h"
#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { SENDING, RECEIVE, ACROSS, PATH, IDLE, ROWS };

static struct row rows[ROWS] = {
	[SENDING] = {.name = "send",
		     .text = "send, 64 bytes, copy",
		     .unit = "ns/frame",
		     .reference_text = "a bare loop of constant frames with libxdp's defaults",
		     .judged = JUDGED_RATIO,
		     .target = 1 / 1.1},
	[RECEIVE] = {.name = "count_receiver",
		     .text = "count, receiving thread, one CPU",
		     .unit = "ns/frame",
		     .reference_text = "the same socket, frames only given back",
		     .judged = JUDGED_DIFFERENCE,
		     .target = 10},
	[ACROSS] = {.name = "count_receiver_across",
		    .text = "count, receiving thread, two CPUs",
		    .unit = "ns/frame",
		    .reference_text = "the same, frames only given back",
		    .judged = JUDGED_DIFFERENCE,
		    .target = 10},
	[PATH] = {.name = "count_path",
		  .text = "count, with feeder and copy",
		  .unit = "ns/frame",
		  .reference_text = "the same, frames only given back"},
	[IDLE] = {.name = "reflect_idle",
		  .text = "reflect, idle",
		  .unit = "% of CPU",
		  .judged = JUDGED_VALUE,
		  .target = 5},
};

/* Do the words take these rows? What is not asked is not printed. */
static bool asked(const char *work, char **words, int n, int first, int end)
{
	const char *const tags[] = {"own", work};
	bool yes = words_take(words, n, tags, 2);

	for (int i = first; i < end; i++)
		rows[i].asked = yes;
	return yes;
}

static int own_rows(const char *program, char **words, int n)
{
	int failed = 0;

	if (asked("send", words, n, SENDING, RECEIVE))
		failed |= bench_send(&rows[SENDING]);
	if (asked("count", words, n, RECEIVE, IDLE))
		failed |= bench_count(&rows[RECEIVE], &rows[ACROSS], &rows[PATH]);
	if (asked("reflect", words, n, IDLE, ROWS))
		failed |= bench_idle(&rows[IDLE], program);
	return failed;
}

static int save(const struct matrix *m, const char *path)
{
	struct utsname host = {};
	json_t *all;
	int err = 0;

	(void)uname(&host);
	all = json_pack("{s:s, s:s, s:s, s:i, s:o, s:i, s:o, s:o, s:o}", "schema",
			"xdploop.bench/1", "kernel", host.release, "machine", host.machine, "cpus",
			(int)sysconf(_SC_NPROCESSORS_ONLN), "host", machine_json(), "rounds",
			ROUNDS, "rows", table_json(rows, ROWS), "matrix", matrix_json(m), "pairs",
			matrix_pairs_json(m));
	if (!all || json_dump_file(all, path, JSON_INDENT(2) | JSON_REAL_PRECISION(6))) {
		log_error("can't write %s", path);
		err = -EIO;
	}
	json_decref(all);
	return err;
}

struct options {
	const char *program, *root, *json;
	char **words;
	int nwords;
};

static int options_parse(int argc, char **argv, struct options *o)
{
	const char *unknown;
	int option;

	while ((option = getopt(argc, argv, "p:r:j:")) != -1) {
		if (option == 'p')
			o->program = optarg;
		else if (option == 'r')
			o->root = optarg;
		else if (option == 'j')
			o->json = optarg;
		else
			return -EINVAL;
	}
	o->words = argv + optind;
	o->nwords = argc - optind;
	unknown = words_unknown(o->words, o->nwords);
	if (unknown)
		log_error("'%s': give send, reflect or count, own, 1q or 2q, 64 or 1518, ours, "
			  "peer or reference, or a subject's name",
			  unknown);
	if (!o->program)
		log_error("which program? give it with -p");
	return unknown || !o->program ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
	static struct matrix matrix;
	struct options o = {};
	int failed;

	log_set_level(LOG_WARN_LEVEL);
	log_route_libraries();
	if (options_parse(argc, argv, &o))
		return 2;
	matrix.course.program = o.program;
	matrix.course.root = o.root && !access(o.root, X_OK) ? o.root : NULL;
	priority_raise();
	failed = own_rows(o.program, o.words, o.nwords);
	failed |= matrix_run(&matrix, o.words, o.nwords);
	machine_print();
	table_print(rows, ROWS);
	matrix_print(&matrix);
	if (o.json)
		failed |= save(&matrix, o.json);
	return failed ? 1 : 0;
}
