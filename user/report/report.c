/* SPDX-License-Identifier: MIT */
/* The table of formats, and what all formats share: counter rows, interval rates, fit strings. */
#include "core/stats.h"
#include "core/units.h"
#include "report/json.h"
#include <math.h>
#include <string.h>

const struct report_format report_formats[] = {
	{"text", "for people: a short line an interval, tables at the end", report_text_interval,
	 report_text_result},
	{"json", "one JSON object at the end", NULL, report_json_result},
	{"ndjson", "one JSON object a line: each interval, then the result", report_ndjson_interval,
	 report_ndjson_result},
	{NULL, NULL, NULL, NULL},
};

const struct report_format *report_find(const char *name)
{
	for (const struct report_format *f = report_formats; f->name; f++) {
		if (!strcmp(f->name, name))
			return f;
	}
	return NULL;
}

#define ROW_NAME(name, text) #name,
static const char *const worker_rows[] = {WORKER_COUNTERS(ROW_NAME)};
static const char *const program_rows[] = {PROGRAM_COUNTERS(ROW_NAME)};
static const char *const socket_rows[] = {SOCKET_COUNTERS(ROW_NAME)};
static const char *const netdev_rows[] = {NETDEV_COUNTERS(ROW_NAME)};
#undef ROW_NAME

#define ROWS(rows) (rows), sizeof(rows) / sizeof(*(rows))
const struct report_group report_groups[GROUPS] = {
	[GROUP_WORKER] = {"worker", ROWS(worker_rows), offsetof(struct queue_counters, worker)},
	[GROUP_PROGRAM] = {"program", ROWS(program_rows), offsetof(struct queue_counters, program)},
	[GROUP_SOCKET] = {"socket", ROWS(socket_rows), offsetof(struct queue_counters, socket)},
	[GROUP_NETDEV] = {"netdev", ROWS(netdev_rows), offsetof(struct port_counters, netdev)},
};
#undef ROWS

/* Bytes of the printable character at s, of which n bytes may be read; 0: not fit to print. */
static size_t fit_length(const unsigned char *s, size_t n)
{
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	uint32_t ch;

	if (!len || len > n || s[0] >= 0xf8)
		return 0;
	if (len == 1)
		return s[0] >= 0x20 && s[0] != 0x7f;
	ch = s[0] & (0x7f >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		ch = ch << 6 | (s[i] & 0x3f);
	}
	/* Not the shortest form, a control character, half a surrogate pair, beyond Unicode. */
	if (ch < lowest[len] || ch < 0xa0 || (ch >= 0xd800 && ch < 0xe000) || ch > 0x10ffff)
		return 0;
	return len;
}

struct word report_word(const char *text, size_t size)
{
	struct word word;
	size_t n = strnlen(text, size), at = 0;

	if (n > sizeof(word.text) - 1)
		n = sizeof(word.text) - 1;
	while (at < n) {
		size_t len = fit_length((const unsigned char *)text + at, n - at);

		if (!len) {
			word.text[at++] = '?';
			continue;
		}
		memcpy(word.text + at, text + at, len);
		at += len;
	}
	word.text[n] = '\0';
	return word;
}

bool report_queue_sub(const struct report_interval *in, uint32_t slot, struct queue_counters *out)
{
	if (slot >= in->now->nslots || slot >= in->before->nslots)
		return false;
	queue_counters_sub(&in->now->queue[slot], &in->before->queue[slot], out);
	return true;
}

/*
 * What counters name as lost on the way in. The netdev's rx_dropped is not among them: drivers
 * count failed redirects there, which the socket's rows already hold.
 */
static uint64_t port_rx_dropped(const struct report_rates *r, enum mode mode)
{
	const struct socket_counters *s = &r->sum.socket;
	uint64_t n = r->sum.program.no_socket + r->sum.worker.dropped_by_us + s->too_long +
		     r->netdev.rx_missed;

	return mode == MODE_ZERO_COPY ? n : n + s->fill_empty + s->ring_full;
}

/* Size of the run's frames, or the mean of those that went by. */
static double mean_frame_bytes(const struct facts *facts, uint64_t bytes, uint64_t frames)
{
	if (facts->frame_bytes)
		return facts->frame_bytes;
	return frames ? (double)bytes / (double)frames + FCS_LEN : 0;
}

void report_port_rates(const struct report_interval *in, uint32_t port, struct report_rates *out)
{
	const struct facts_port *p = &in->facts->port[port];
	const struct worker_counters *w = &out->sum.worker;
	double s = in->now->time_ns > in->before->time_ns
			   ? (double)(in->now->time_ns - in->before->time_ns) / 1e9
			   : NAN;

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < p->queues; i++) {
		struct queue_counters q;

		if (!report_queue_sub(in, p->first_slot + i, &q))
			continue;
		worker_counters_add(&out->sum.worker, &q.worker);
		program_counters_add(&out->sum.program, &q.program);
		socket_counters_add(&out->sum.socket, &q.socket);
	}
	netdev_counters_sub(&in->now->port[port].netdev, &in->before->port[port].netdev,
			    &out->netdev);
	out->tx_pps = (double)w->submitted / s;
	out->rx_pps = (double)w->matched / s;
	out->tx_l1_bps =
		l1_bps(out->tx_pps, mean_frame_bytes(in->facts, w->submitted_bytes, w->submitted));
	out->rx_l1_bps =
		l1_bps(out->rx_pps, mean_frame_bytes(in->facts, w->received_bytes, w->received));
	out->tx_dropped = out->netdev.tx_dropped;
	out->rx_dropped = port_rx_dropped(out, p->mode);
}
