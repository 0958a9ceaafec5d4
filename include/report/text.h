/* SPDX-License-Identifier: MIT */
/* Inside the report room: pieces of text reports. Unknown numbers become "-". */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report/json.h"
#include <stdio.h>

struct word text_rate(double value, const char *unit); /* "612.3 kpps" */
struct word text_exact(int64_t value);		       /* "12,345,678" */
struct word text_ns(double ns);			       /* "12.3 us" */
struct word text_time(int64_t ns);

/* The end of a name that is longer than cols columns, behind "..". */
struct word text_fit(const char *text, size_t size, size_t cols);

/* One direction of a trial: rates, ledger, latency, flows. */
void text_direction(const struct result *result, const struct result_direction *direction,
		    FILE *file);

#endif
