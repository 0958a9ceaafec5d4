/* SPDX-License-Identifier: MIT */
/* What tests of reports share: a place in memory where they go, and an interval to report. */
#ifndef SINK_H
#define SINK_H

#include "fixture_snapshot.h"
#include "report/report.h"
#include "unit.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sink {
	char *text; /* NUL-terminated */
	size_t size;
	int calls;
	int fail_at; /* the call that fails with -EPIPE; 0: none */
};

static inline int sink_write(void *ctx, const char *bytes, size_t n)
{
	struct sink *s = ctx;

	if (++s->calls == s->fail_at)
		return -EPIPE;
	s->text = realloc(s->text, s->size + n + 1);
	assert_non_null(s->text);
	memcpy(s->text + s->size, bytes, n);
	s->size += n;
	s->text[s->size] = '\0';
	return 0;
}

static inline struct report_out sink_out(struct sink *s)
{
	return (struct report_out){.write = sink_write, .ctx = s};
}

static inline struct sink sink_result(const char *format, const struct result *result)
{
	struct sink s = {0};
	struct report_out out = sink_out(&s);

	assert_int_equal(report_find(format)->result(result, &out), 0);
	return s;
}

static inline struct sink sink_interval(const char *format, const struct report_interval *interval)
{
	struct sink s = {0};
	struct report_out out = sink_out(&s);

	assert_int_equal(report_find(format)->interval(interval, &out), 0);
	return s;
}

/* The interval between the two fixed snapshots; the facts are filled in. */
static inline struct report_interval fixed_interval(struct facts *facts)
{
	fixture_facts(facts);
	return (struct report_interval){
		.facts = facts,
		.trial = "both",
		.now = fixture_snapshot(1),
		.before = fixture_snapshot(0),
		.since_ns = FIXTURE_START_NS,
	};
}

static inline void free_interval(struct report_interval *in)
{
	free((void *)in->now);
	free((void *)in->before);
}

#endif
