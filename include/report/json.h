/* SPDX-License-Identifier: MIT */
/* Inside the report room: what its files share. Nobody else includes this. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report/report.h"
#include <jansson.h>

/* A string of the result made fit to print: valid UTF-8, no control characters. */
struct word {
	char text[520];
};

/* At most size bytes of text, or up to its end; what is not fit becomes '?', byte by byte. */
struct word report_word(const char *text, size_t size);
#define WORD(array) report_word((array), sizeof(array)).text

/* The counters of one origin: names in order of declaration, each a uint64_t of a struct. */
struct report_group {
	const char *name;
	const char *const *row; /* nrows names */
	int nrows;
	size_t offset; /* of the struct in queue_counters; netdev: in port_counters */
};

enum { GROUP_WORKER, GROUP_PROGRAM, GROUP_SOCKET, GROUP_NETDEV, GROUPS };
#define QUEUE_GROUPS GROUP_NETDEV /* those before it belong to a queue */

extern const struct report_group report_groups[GROUPS];

/* What happened on one port within an interval. */
struct report_rates {
	double tx_pps, rx_pps; /* submitted and matched, as in a result; NAN: no time passed */
	double tx_l1_bps, rx_l1_bps;
	uint64_t tx_dropped, rx_dropped; /* frames that some counter names as lost here */
	struct queue_counters sum;
	struct netdev_counters netdev;
};

void report_port_rates(const struct report_interval *in, uint32_t port, struct report_rates *out);

/* Differences of a driven queue; false: the snapshots do not hold its slot. */
bool report_queue_sub(const struct report_interval *in, uint32_t slot, struct queue_counters *out);

/* JSON values. UNKNOWN, NAN and what does not fit a JSON integer become null. */
json_t *json_count(int64_t value);
json_t *json_count64(uint64_t value);
json_t *json_rate(double value);
json_t *json_text(const char *text, size_t size);	  /* always a string */
json_t *json_text_or_null(const char *text, size_t size); /* "" means unknown */

/* {row: value, ...}; changed_only leaves out zeroes. at points to the group's struct. */
json_t *json_counters(const struct report_group *group, const void *at, bool changed_only);

/* The whole result; NULL: no memory. */
json_t *json_result(const struct result *result);

/*
 * Send one line or one indented document, with a newline. Takes the reference, also when it fails;
 * NULL gives -ENOMEM.
 */
int json_send(json_t *value, bool one_line, const struct report_out *out);

/* The formats of report_formats. */
int report_text_interval(const struct report_interval *in, const struct report_out *out);
int report_text_result(const struct result *result, const struct report_out *out);
int report_json_result(const struct result *result, const struct report_out *out);
int report_ndjson_interval(const struct report_interval *in, const struct report_out *out);
int report_ndjson_result(const struct result *result, const struct report_out *out);

#endif
