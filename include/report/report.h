/* SPDX-License-Identifier: MIT */
/*
 * From a result to words. All formats are made from the same struct result and agree with it.
 * Everything is written through a callback; a negative return of it ends the report with that.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "core/result.h"

struct report_out {
	int (*write)(void *ctx, const char *bytes, size_t n); /* 0 or -errno */
	void *ctx;
};

/* One reporting interval of a running trial. */
struct report_interval {
	const struct facts *facts;
	const char *trial; /* name */
	const struct snapshot *now, *before;
	uint64_t since_ns; /* start of the trial, CLOCK_MONOTONIC */
};

struct report_format {
	const char *name, *help;
	int (*interval)(const struct report_interval *, const struct report_out *); /* or NULL */
	int (*result)(const struct result *, const struct report_out *);
};

/* text, json, ndjson; NULL-named row at the end. */
extern const struct report_format report_formats[];
const struct report_format *report_find(const char *name);

/* Facts to the live socket's hello and back: JSON, schema "xdploop.live/1". */
char *report_hello(const struct facts *facts); /* malloc'ed; NULL: no memory */

/*
 * -EINVAL: not a hello; -EPROTO: another layout version (why says which and what to do). The
 * reader is a stranger's process: nothing in text is trusted.
 */
int report_hello_parse(const char *text, struct facts *out, char *why, size_t why_size);

#endif
