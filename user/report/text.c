/* SPDX-License-Identifier: MIT */
/*
 * What a person reads: one short line an interval, and after the run who measured what, the ledger
 * of every direction as a sum, and the verdict. Rates are rounded, counts exact.
 */
#include "report/text.h"
#include "core/units.h"
#include "report/json.h"
#include "report/page.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLS     32 /* of a port's name in the head */
#define THREADS_SHOWN 8

struct word text_rate(double value, const char *unit)
{
	struct word w = {"-"};
	char number[32];
	size_t n;

	if (!isfinite(value))
		return w;
	format_count(number, sizeof(number), value);
	n = strlen(number);
	if (n && isdigit((unsigned char)number[n - 1]))
		snprintf(w.text, sizeof(w.text), "%s" PAGE_GLUE "%s", number, unit);
	else
		snprintf(w.text, sizeof(w.text), "%s%s", number, unit);
	for (char *blank = strchr(w.text, ' '); blank; blank = strchr(blank, ' '))
		*blank = *PAGE_GLUE;
	return w;
}

struct word text_exact(int64_t value)
{
	struct word w = {"-"};

	if (value != UNKNOWN)
		format_exact(w.text, sizeof(w.text), value);
	return w;
}

struct word text_ns(double ns)
{
	struct word w = {"-"};

	if (!isfinite(ns))
		return w;
	format_ns(w.text, sizeof(w.text), ns);
	for (char *blank = strchr(w.text, ' '); blank; blank = strchr(blank, ' '))
		*blank = *PAGE_GLUE;
	return w;
}

struct word text_time(int64_t ns)
{
	return text_ns(ns == UNKNOWN ? NAN : (double)ns);
}

struct word text_fit(const char *text, size_t size, size_t cols)
{
	struct word w = report_word(text, size);
	size_t n = strlen(w.text), at;

	if (n <= cols)
		return w;
	for (at = n - (cols - 2); ((unsigned char)w.text[at] & 0xc0) == 0x80;)
		at++; /* not into the middle of a UTF-8 character */
	memmove(w.text + 2, w.text + at, n - at + 1);
	w.text[0] = w.text[1] = '.';
	return w;
}

/* "bench1, Linux 6.1.0, Some CPU, 4 CPUs" */
static void print_host(const struct result_host *h, int width, FILE *f)
{
	const char *system = isdigit((unsigned char)h->kernel[0]) ? "Linux " : "";

	fprintf(f, "  %-*s " PAGE_HANG "%s", width, "host", h->name[0] ? WORD(h->name) : "unknown");
	if (h->kernel[0])
		fprintf(f, ", %s%s", system, WORD(h->kernel));
	if (h->cpu[0])
		fprintf(f, ", %s", WORD(h->cpu));
	if (h->cpus)
		fprintf(f, ", %u" PAGE_GLUE "CPU%s to use", h->cpus, h->cpus == 1 ? "" : "s");
	fputc('\n', f);
}

/* Queue numbers as ranges: "0-3,6". */
static void print_queue_ids(const struct result_port *p, FILE *f)
{
	uint32_t n = p->queues < QUEUES_MAX ? p->queues : QUEUES_MAX;

	for (uint32_t i = 0, last; i < n; i = last + 1) {
		for (last = i; last + 1 < n && p->queue_id[last + 1] == p->queue_id[last] + 1;)
			last++;
		fprintf(f, "%s%u", i ? "," : "", p->queue_id[i]);
		if (last > i)
			fprintf(f, "-%u", p->queue_id[last]);
	}
}

static void print_port(const struct result_port *p, int width, FILE *f)
{
	fprintf(f, "  %-*s " PAGE_HANG "%s, engine %s, mode %s (asked %s), queue%s ", width,
		text_fit(p->name, sizeof(p->name), NAME_COLS).text,
		p->driver[0] ? WORD(p->driver) : "driver unknown", engine_name(p->engine),
		mode_name_in(p->engine, p->mode), mode_name(p->asked), p->queues == 1 ? "" : "s");
	print_queue_ids(p, f);
	fprintf(f, " of %u" PAGE_GLUE "RX and %u" PAGE_GLUE "TX, ", p->rx_queues, p->tx_queues);
	if (!p->speed_bps)
		fputs("speed unknown", f);
	else
		fprintf(f, "%s%s", text_rate((double)p->speed_bps, "bit/s").text,
			p->speed_nominal ? PAGE_GLUE "(nominal)" : "");
	if (p->why[0])
		fprintf(f, "; no better mode: %s", WORD(p->why));
	fputc('\n', f);
}

static void print_head(const struct result *r, FILE *f)
{
	uint32_t bytes = 0;
	int width = 8;

	for (uint32_t i = 0; i < r->nports && i < PORTS_MAX; i++) {
		int n = (int)strlen(text_fit(r->port[i].name, 64, NAME_COLS).text);

		width = n > width ? n : width;
	}
	fprintf(f, PAGE_HANG "%s\n", WORD(r->command_line));
	fprintf(f, "  %-*s " PAGE_HANG "version %s, started %s\n", width, "xdploop",
		WORD(r->version), r->started[0] ? WORD(r->started) : "at an unknown time");
	print_host(&r->host, width, f);
	for (uint32_t i = 0; i < r->nports && i < PORTS_MAX; i++)
		print_port(&r->port[i], width, f);
	for (uint32_t i = 0; i < r->ntrials && !bytes; i++)
		bytes = r->trial[i].frame_bytes;
	if (bytes)
		fprintf(f,
			"  %-*s " PAGE_HANG "%u-byte frames: %u-byte buffers, %u bytes on the "
			"wire (L1 counts %u, L2 counts %u)\n",
			width, "frames", bytes, bytes - FCS_LEN, bytes + WIRE_OVERHEAD,
			bytes + WIRE_OVERHEAD, bytes);
}

/* CPU time of a thread in percent of the trial. */
static double thread_percent(const struct result_trial *t, const struct result_thread *thread)
{
	uint64_t ns = t->duration_ns + t->drain_ns;

	return ns ? 100.0 * (double)thread->cpu_ns / (double)ns : NAN;
}

static struct word percent_word(double percent)
{
	struct word w = {"-"};

	if (isfinite(percent))
		snprintf(w.text, sizeof(w.text), "%.*f" PAGE_GLUE "%%", percent < 9.95, percent);
	return w;
}

/* Why the reflectors refused frames: the rows of the programs that say so. */
static void print_refusals(const struct result_trial *t, FILE *f)
{
	const struct report_group *group = &report_groups[GROUP_PROGRAM];
	bool any = false;

	for (int row = 0; row < group->nrows; row++) {
		uint64_t n = 0;

		if (strncmp(group->row[row], "refused_", 8))
			continue;
		for (uint32_t i = 0; i < t->nqueues; i++)
			n += ((const uint64_t *)&t->queue[i].count.program)[row];
		if (!n)
			continue;
		fprintf(f,
			any ? ", %s" PAGE_GLUE "%s" : "  refused   " PAGE_HANG "%s" PAGE_GLUE "%s",
			group->row[row] + 8, text_exact((int64_t)n).text);
		any = true;
	}
	if (any)
		fputc('\n', f);
}

static void print_threads(const struct result_trial *t, FILE *f)
{
	if (!t->nthreads)
		return;
	fputs("  CPU       " PAGE_HANG, f);
	for (uint32_t i = 0; i < t->nthreads && i < THREADS_SHOWN; i++) {
		const struct result_thread *thread = &t->thread[i];
		double percent = thread_percent(t, thread);

		fprintf(f, "%sthread" PAGE_GLUE "%u on CPU" PAGE_GLUE "%u:" PAGE_GLUE,
			i ? "; " : "", thread->thread, thread->cpu);
		fputs(percent_word(percent).text, f);
		if (thread->frames)
			fprintf(f, ", %s per frame",
				text_ns((double)thread->cpu_ns / (double)thread->frames).text);
	}
	if (t->nthreads > THREADS_SHOWN)
		fprintf(f, "; and %u more threads", t->nthreads - THREADS_SHOWN);
	fputc('\n', f);
}

static bool queue_idle(const struct result_queue *q)
{
	return !(q->count.worker.submitted | q->count.worker.received | q->count.worker.matched);
}

static const char *queue_port(const struct result *r, const struct result_queue *q)
{
	return q->port < r->nports && q->port < PORTS_MAX ? r->port[q->port].name : "?";
}

static void print_queue(const struct result *r, const struct result_trial *t,
			const struct result_queue *q, FILE *f)
{
	const struct worker_counters *w = &q->count.worker;
	double percent = NAN;

	for (uint32_t i = 0; i < t->nthreads; i++) {
		if (t->thread[i].thread == q->count.gauge.thread)
			percent = thread_percent(t, &t->thread[i]);
	}
	fprintf(f, "    %-16s %3u %14s %14s %14s", text_fit(queue_port(r, q), 64, 16).text,
		q->queue_id, text_exact((int64_t)w->submitted).text,
		text_exact((int64_t)w->received).text, text_exact((int64_t)w->matched).text);
	fprintf(f, " %7s\n", percent_word(percent).text);
}

/* A table, when there is more than one queue on some port; idle queues on one line. */
static void print_queues(const struct result *r, const struct result_trial *t, FILE *f)
{
	bool several = false;
	const char *gap = "    idle: " PAGE_HANG;

	for (uint32_t i = 0; i < r->nports && i < PORTS_MAX; i++)
		several |= r->port[i].queues > 1;
	if (!several || !t->nqueues)
		return;
	fprintf(f, "\n  %-18s %3s %14s %14s %14s %7s\n", "queues", "", "submitted", "received",
		"matched", "CPU");
	for (uint32_t i = 0; i < t->nqueues; i++) {
		if (!queue_idle(&t->queue[i]))
			print_queue(r, t, &t->queue[i], f);
	}
	for (uint32_t i = 0; i < t->nqueues; i++) {
		if (!queue_idle(&t->queue[i]))
			continue;
		fprintf(f, "%s%s" PAGE_GLUE "%u", gap,
			text_fit(queue_port(r, &t->queue[i]), 64, 16).text, t->queue[i].queue_id);
		gap = ", ";
	}
	if (*gap == ',')
		fputc('\n', f);
}

static void print_title(const struct result *r, const struct result_trial *t, FILE *f)
{
	uint32_t number = (uint32_t)(t - r->trial) + 1;

	fprintf(f, "\nTrial %u of %u: " PAGE_HANG "%s", number, r->ntrials, WORD(t->name));
	if (t->frame_bytes)
		fprintf(f, ", %u-byte frames", t->frame_bytes);
	if (t->flows)
		fprintf(f, ", %s flow%s", text_exact(t->flows).text, t->flows == 1 ? "" : "s");
	if (isfinite(t->wanted_pps))
		fprintf(f, ", %s wanted", text_rate(t->wanted_pps, "pps").text);
	else if (t->frame_bytes)
		fputs(", as fast as it goes", f);
	fprintf(f, ", ran %s", text_ns((double)t->duration_ns).text);
	fprintf(f, ", drained %s%s%s\n", text_ns((double)t->drain_ns).text,
		t->drain_timed_out ? " (gave up waiting)" : "",
		t->stopped_early ? ", stopped early" : "");
	if (t->frames_held != 0 && t->frames_held != UNKNOWN)
		fprintf(f, "  buffers   " PAGE_HANG "%s not accounted for when the rings closed\n",
			text_exact(t->frames_held).text);
}

int report_text_result(const struct result *r, const struct report_out *out)
{
	struct page page;
	int err = page_open(&page);

	if (err)
		return err;
	print_head(r, page.file);
	for (uint32_t i = 0; i < r->ntrials; i++) {
		const struct result_trial *t = &r->trial[i];

		print_title(r, t, page.file);
		for (uint32_t d = 0; d < t->ndirections && d < DIRECTIONS_MAX; d++)
			text_direction(r, &t->direction[d], page.file);
		print_queues(r, t, page.file);
		print_refusals(t, page.file);
		print_threads(t, page.file);
	}
	fprintf(page.file, "\nVerdict (exit status %d): " PAGE_HANG "%s\n", r->verdict.status,
		WORD(r->verdict.text));
	return page_send(&page, out);
}

/* "  3.0 s  lab-a  tx 612.3 kpps 411.5 Mbit/s L1  rx ...  drops 0" */
static void print_interval(double s, const char *name, const struct report_rates *tx,
			   const struct report_rates *rx, FILE *f)
{
	fprintf(f, "%5.1f" PAGE_GLUE "s  " PAGE_HANG "%s", s, name);
	fprintf(f, "  tx %10s", text_rate(tx->tx_pps, "pps").text);
	/* Both ends of a pair count the same frames: the bit rate of those that arrived is enough.
	 */
	if (tx == rx)
		fprintf(f, " %12s" PAGE_GLUE "L1", text_rate(tx->tx_l1_bps, "bit/s").text);
	fprintf(f, "  rx %10s %12s" PAGE_GLUE "L1", text_rate(rx->rx_pps, "pps").text,
		text_rate(rx->rx_l1_bps, "bit/s").text);
	fprintf(f, "  drops" PAGE_GLUE "%s\n",
		text_exact((int64_t)(tx->tx_dropped + rx->rx_dropped)).text);
}

/* Ports that face each other: what one sends the other should receive. */
static void print_pair(double s, const struct report_interval *in, const struct report_rates r[2],
		       FILE *f)
{
	bool busy[2];

	for (int from = 0; from < 2; from++)
		busy[from] = r[from].sum.worker.submitted || r[!from].sum.worker.matched;
	for (int from = 0; from < 2; from++) {
		const struct facts_port *a = &in->facts->port[from], *b = &in->facts->port[!from];
		char name[64];

		/* An idle direction is left out, but something is always said. */
		if (!busy[from] && (busy[!from] || from))
			continue;
		snprintf(name, sizeof(name), "%.20s -> %.20s", text_fit(a->name, 64, 14).text,
			 text_fit(b->name, 64, 14).text);
		print_interval(s, name, &r[from], &r[!from], f);
	}
}

int report_text_interval(const struct report_interval *in, const struct report_out *out)
{
	uint32_t nports = in->facts->nports < PORTS_MAX ? in->facts->nports : PORTS_MAX;
	uint64_t now = in->now->time_ns > in->since_ns ? in->now->time_ns - in->since_ns : 0;
	struct report_rates r[PORTS_MAX];
	double s = (double)now / 1e9;
	struct page page;
	int err = page_open(&page);

	if (err)
		return err;
	for (uint32_t i = 0; i < nports; i++)
		report_port_rates(in, i, &r[i]);
	if (nports == 2 && strcmp(in->facts->command, "reflect"))
		print_pair(s, in, r, page.file);
	else
		for (uint32_t i = 0; i < nports; i++)
			print_interval(s, text_fit(in->facts->port[i].name, 64, 20).text, &r[i],
				       &r[i], page.file);
	return page_send(&page, out);
}
