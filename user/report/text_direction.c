/* SPDX-License-Identifier: MIT */
/*
 * One direction of a trial for people. The ledger is shown as a sum from top to bottom: the first
 * row, less what was lost on each step, gives the rows marked "=". Rows without frames are named on
 * one line, and so are those that nobody could count.
 */
#include "report/page.h"
#include "report/text.h"
#include <math.h>
#include <string.h>

enum row {
#define ROW_NUMBER(name, source, text) ROW_##name,
	LEDGER_ROWS(ROW_NUMBER)
#undef ROW_NUMBER
};

#define FLOWS_SHOWN 8

static bool is_sum(int row)
{
	return row == ROW_submitted || row == ROW_completed || row == ROW_matched;
}

/* Shown whatever they hold. */
static bool is_essential(int row)
{
	return is_sum(row) || row == ROW_lost || row == ROW_unexplained;
}

/* Rows of the receive check have a line of their own. */
static bool is_receive_check(int row)
{
	return row == ROW_xdp_seen || row == ROW_passed || row == ROW_received ||
	       row == ROW_in_ring || row == ROW_receive_unexplained;
}

/* With one end not ours its rows are not known, which goes without saying. */
static bool one_ended(const struct ledger *l)
{
	return l->submitted == UNKNOWN || l->matched == UNKNOWN;
}

/* Without a schedule nothing was wanted or given up. */
static bool is_left_out(int row, const struct ledger *l)
{
	return is_receive_check(row) || (row < ROW_submitted && l->given_up_late == UNKNOWN) ||
	       (one_ended(l) && ledger_value(l, row) == UNKNOWN);
}

static void print_row(char sign, int row, int64_t value, FILE *f)
{
	const struct ledger_row *r = &ledger_rows[row];

	fprintf(f, "  %c %-16s%14s  %-7s  " PAGE_HANG "%s\n", sign, r->name, text_exact(value).text,
		r->source, r->text);
}

/* "    no frames: dev_tx_dropped, nic_missed": the rows whose value is this. */
static void print_names(const char *what, int64_t value, const struct ledger *l, FILE *f)
{
	bool any = false;

	for (int i = 0; ledger_rows[i].name; i++) {
		if (ledger_value(l, i) != value || is_essential(i) || is_left_out(i, l))
			continue;
		/* "no duplicates" goes without saying; "not known" does not. */
		if (ledger_rows[i].group == 2 && !value)
			continue;
		fprintf(f, any ? ", %s%s" : "    %s: " PAGE_HANG "%s", any ? "" : what,
			ledger_rows[i].name);
		any = true;
	}
	if (any)
		fputc('\n', f);
}

/* xdp_seen = received + passed + ..., with the terms that are not 0. */
static void print_receive_check(const struct ledger *l, FILE *f)
{
	static const int terms[] = {
		ROW_passed,    ROW_no_socket, ROW_too_long,	      ROW_fill_empty,
		ROW_ring_full, ROW_in_ring,   ROW_receive_unexplained};

	if (l->xdp_seen == UNKNOWN)
		return;
	fprintf(f,
		"    receive check: " PAGE_HANG "xdp_seen" PAGE_GLUE "%s = received" PAGE_GLUE "%s",
		text_exact(l->xdp_seen).text, text_exact(l->received).text);
	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++) {
		int64_t value = ledger_value(l, terms[i]);

		if (value && value != UNKNOWN)
			fprintf(f, " + %s" PAGE_GLUE "%s", ledger_rows[terms[i]].name,
				text_exact(value).text);
	}
	fputc('\n', f);
}

/* Is a row shown among those of its part of the table? */
static bool row_shown(int row, const struct ledger *l)
{
	int64_t value = ledger_value(l, row);

	return !is_left_out(row, l) && (is_essential(row) || (value && value != UNKNOWN));
}

static void print_ledger(const struct ledger *l, FILE *f)
{
	char sign = ' ';

	fprintf(f, "\n    %-16s%14s  %-7s\n", "ledger", "frames", "source");
	for (int i = 0; i <= ROW_unexplained; i++) {
		/* Arrived is what is left, so it stands below what was lost on the way. */
		if (i == ROW_matched || !row_shown(i, l))
			continue;
		print_row(sign == ' ' ? ' ' : is_sum(i) ? '=' : '-', i, ledger_value(l, i), f);
		sign = '-';
	}
	if (l->matched != UNKNOWN)
		print_row(sign == ' ' ? ' ' : '=', ROW_matched, l->matched, f);
	for (int i = ROW_unexplained + 1; ledger_rows[i].name; i++) {
		if (row_shown(i, l))
			print_row(' ', i, ledger_value(l, i), f);
	}
	print_names("no frames", 0, l, f);
	print_names("not known", UNKNOWN, l, f);
	if (l->wire_lost == UNKNOWN && l->unexplained != UNKNOWN)
		fputs("    wire: " PAGE_HANG
		      "these ports do not count every frame, so what was lost "
		      "between them stands in unexplained\n",
		      f);
	print_receive_check(l, f);
}

/* Is the speed of either end of the link a number without meaning? */
static bool speed_nominal(const struct result *r, const struct result_direction *d)
{
	for (uint32_t i = 0; i < r->nports && i < PORTS_MAX; i++) {
		if (r->port[i].speed_nominal && (!strncmp(r->port[i].name, d->from, 64) ||
						 !strncmp(r->port[i].name, d->to, 64)))
			return true;
	}
	return false;
}

static void print_rate(const char *what, double pps, double l1, double l2, FILE *f)
{
	if (isfinite(pps))
		fprintf(f, "  %-9s " PAGE_HANG "%12s %14s" PAGE_GLUE "L1 %13s" PAGE_GLUE "L2", what,
			text_rate(pps, "pps").text, text_rate(l1, "bit/s").text,
			text_rate(l2, "bit/s").text);
}

static void print_rates(const struct result *r, const struct result_direction *d, FILE *f)
{
	const struct result_rates *rate = &d->rates;
	const struct ledger *l = &d->ledger;

	if (l->submitted != UNKNOWN)
		print_rate("sent", rate->tx_pps, rate->tx_l1_bps, rate->tx_l2_bps, f);
	if (!one_ended(l))
		fputc('\n', f);
	if (l->matched != UNKNOWN)
		print_rate("arrived", rate->rx_pps, rate->rx_l1_bps, rate->rx_l2_bps, f);
	if (isfinite(rate->line_percent))
		fprintf(f, "  %.1f" PAGE_GLUE "%% %s", rate->line_percent,
			speed_nominal(r, d) ? "(nominal)" : "of line");
	fputc('\n', f);
	if (l->lost == UNKNOWN)
		return;
	fprintf(f, "  %-9s %12s", "lost", text_exact(l->lost).text);
	if (l->submitted > 0) {
		fprintf(f, " of %s frames", text_exact(l->submitted).text);
		if (l->lost)
			fprintf(f, " (%.3g" PAGE_GLUE "%%)",
				100.0 * (double)l->lost / (double)l->submitted);
	}
	fputc('\n', f);
}

static void print_times(const char *what, const struct result_latency *l, FILE *f)
{
	fprintf(f,
		"  %-9s " PAGE_HANG "min" PAGE_GLUE "%s  median" PAGE_GLUE "%s  p90" PAGE_GLUE "%s",
		what, text_time(l->min).text, text_time(l->median).text, text_time(l->p90).text);
	fprintf(f, "  p99" PAGE_GLUE "%s  p99.9" PAGE_GLUE "%s  max" PAGE_GLUE "%s\n",
		text_time(l->p99).text, text_time(l->p999).text, text_time(l->max).text);
	fprintf(f, "            " PAGE_HANG "mean %s of %s samples", text_ns(l->mean).text,
		text_exact(l->samples).text);
}

static void print_outliers(const struct result_latency *l, FILE *f)
{
	if (l->negative > 0)
		fprintf(f, "; %s below zero", text_exact(l->negative).text);
	if (l->over > 0)
		fprintf(f, "; %s above 10" PAGE_GLUE "s", text_exact(l->over).text);
	fputc('\n', f);
}

static void print_latency(const struct result_direction *d, FILE *f)
{
	static const char *const until[] = {
		[LATENCY_NONE] = "",
		[LATENCY_XDP] = "the XDP program",
		[LATENCY_USER] = "the worker",
		[LATENCY_MIXED] = "the XDP program or, without metadata, the worker",
	};
	const struct result_latency *l = &d->latency;

	if (l->samples > 0) {
		print_times("latency", l, f);
		fprintf(f, ", from the send stamp to %s", until[l->source]);
		if (l->resolution_ns != UNKNOWN)
			fprintf(f, "; resolution %s", text_time(l->resolution_ns).text);
		print_outliers(l, f);
	} else if (l->why[0]) {
		fprintf(f, "  latency   " PAGE_HANG "none: %s\n", WORD(l->why));
	}
	if (d->lateness.samples > 0) {
		print_times("lateness", &d->lateness, f);
		fputs(", frames sent behind their schedule", f);
		print_outliers(&d->lateness, f);
	}
}

static bool flow_clean(const struct result_flow *flow)
{
	return !flow->moved &&
	       !(flow->lost | flow->duplicate | flow->reordered | flow->too_late | flow->corrupt);
}

static void print_flow(const struct result_flow *flow, FILE *f)
{
	const struct {
		const char *what;
		int64_t n;
	} parts[] = {
		{"lost", flow->lost},		{"duplicate", flow->duplicate},
		{"reordered", flow->reordered}, {"too late", flow->too_late},
		{"corrupt", flow->corrupt},
	};

	fprintf(f, "    flow %u: " PAGE_HANG "matched %s", flow->flow,
		text_exact(flow->matched).text);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (parts[i].n)
			fprintf(f, ", %s %s", parts[i].what, text_exact(parts[i].n).text);
	}
	fputs(flow->moved ? ", seen on more than one queue\n" : "\n", f);
}

static void print_flows(const struct result_direction *d, FILE *f)
{
	uint32_t rows = d->nflow_rows < FLOW_ROWS_MAX ? d->nflow_rows : FLOW_ROWS_MAX;
	uint32_t shown = 0, hidden = 0;

	if (d->flows_seen == UNKNOWN)
		return;
	fprintf(f, "  flows     %s", text_exact(d->flows_seen).text);
	if (d->flows != UNKNOWN)
		fprintf(f, " of %s", text_exact(d->flows).text);
	fprintf(f, " seen, %s with loss%s\n", text_exact(d->flows_with_loss).text,
		strcmp(d->leg, "leg 2") ? "" : " (on the way there and back)");
	for (uint32_t i = 0; i < rows; i++) {
		if (flow_clean(&d->flow[i]))
			continue;
		if (shown < FLOWS_SHOWN) {
			print_flow(&d->flow[i], f);
			shown++;
		} else {
			hidden++;
		}
	}
	if (hidden)
		fprintf(f, "    and %u more (JSON has up to %d flows)\n", hidden, FLOW_ROWS_MAX);
}

/* Into a port: nothing but what was the kernel's? */
static bool nothing_came(const struct ledger *l)
{
	return l->submitted == UNKNOWN && l->xdp_seen == l->passed && !l->received;
}

void text_direction(const struct result *r, const struct result_direction *d, FILE *f)
{
	fputs("\n  " PAGE_HANG, f);
	if (d->from[0] && d->to[0])
		fprintf(f, "%s -> %s", WORD(d->from), WORD(d->to));
	else if (d->from[0])
		fprintf(f, "out of %s", WORD(d->from));
	else
		fprintf(f, "into %s", WORD(d->to));
	if (d->leg[0])
		fprintf(f, " (%s)", WORD(d->leg));
	fputc('\n', f);
	if (nothing_came(&d->ledger)) {
		fputs("  no frame of ours came in\n", f);
		print_receive_check(&d->ledger, f);
		return;
	}
	print_rates(r, d, f);
	print_latency(d, f);
	print_flows(d, f);
	print_ledger(&d->ledger, f);
}
