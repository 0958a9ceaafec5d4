/* SPDX-License-Identifier: MIT */
/* Where results go: standard output and a JSON file. Says what went wrong. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/option.h"
#include "report/report.h"
#include <stdio.h>

/* For report functions: ctx is a FILE; what was written is flushed at once. */
int output_write(void *ctx, const char *bytes, size_t n);

struct json_file {
	FILE *file; /* NULL: no JSON file */
	char *tmp;  /* written to, then renamed to path; NULL: written in place */
	char *path;
};

/*
 * Made before the run, so that nobody measures for an hour and then can't write. A regular file
 * appears under its name only when it is complete; anything else (a pipe, a terminal, /dev/null)
 * is written to as it is. path: NULL: none; "-": standard output. 0 or -errno.
 */
int json_file_open(struct json_file *f, const char *path);

/* Write the result and close; NULL: nothing was run, nothing is left behind. 0 or -errno. */
int json_file_finish(struct json_file *f, const struct result *result);

int run_traffic(struct options *o); /* demo, send, reflect, count, bench */
int run_monitor(struct options *o);

#endif
