/* SPDX-License-Identifier: MIT */
/*
 * Latency: the percentiles of every port, and a histogram over a logarithmic axis. A bucket of the
 * histogram is divided among the columns it covers, so a narrow range is drawn without a comb.
 */
#include "core/stats.h"
#include "core/units.h"
#include "tui/figures.h"
#include "tui/view.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHART_ROWS_MIN 6  /* title, three rows of bars, axis, labels */
#define CHART_ROWS_MAX 16 /* taller tells no more */
#define CHART_EXTRA    3  /* rows that are not bars */
#define CHART_LEFT     2

struct axis {
	double low, high; /* ns */
	int cols;
};

/* 1, 2 or 5 times a power of ten: the nearest at or below v, v >= 1. */
static double step_below(double v)
{
	double power = pow(10, floor(log10(v)));

	/* pow() may land a hair off; a sound integer power is what is wanted. */
	power = power < 1 ? 1 : nearbyint(power);
	return v >= 5 * power ? 5 * power : v >= 2 * power ? 2 * power : power;
}

static double step_next(double step)
{
	double power = nearbyint(pow(10, floor(log10(step) + 1e-9)));
	int digit = (int)nearbyint(step / power);

	return power * (digit == 1 ? 2 : digit == 2 ? 5 : 10);
}

/* From the step below the lowest bucket that holds something to the one above the highest. */
static bool axis_fit(struct axis *axis, const struct hist *h, int cols)
{
	uint32_t first = HIST_BUCKETS, last = 0;

	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		first = first == HIST_BUCKETS ? i : first;
		last = i;
	}
	if (first == HIST_BUCKETS || cols < 4)
		return false;
	axis->low = step_below(hist_low(first) ? (double)hist_low(first) : 1);
	axis->high = axis->low;
	while (axis->high < (double)hist_low(last + 1))
		axis->high = step_next(axis->high);
	axis->cols = cols;
	return true;
}

/* Column of a value, as a fraction. */
static double axis_at(const struct axis *axis, double ns)
{
	double at = log(ns / axis->low) / log(axis->high / axis->low) * axis->cols;

	return ns <= axis->low ? 0 : at > axis->cols ? axis->cols : at;
}

static double axis_value(const struct axis *axis, double col)
{
	return axis->low * pow(axis->high / axis->low, col / axis->cols);
}

static void fill_bins(const struct axis *axis, const struct hist *h, double *bin)
{
	memset(bin, 0, (size_t)axis->cols * sizeof(*bin));
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		double low = (double)hist_low(i), high = (double)hist_low(i + 1);

		if (!h->bucket[i])
			continue;
		for (int c = (int)axis_at(axis, low); c < axis->cols; c++) {
			double from = fmax(low, axis_value(axis, c));
			double to = fmin(high, axis_value(axis, c + 1));

			if (from >= high)
				break;
			if (to > from)
				bin[c] += (double)h->bucket[i] * (to - from) / (high - low);
		}
	}
}

/* "20 us": steps are whole numbers in their unit. */
static void format_step(char *text, size_t size, double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	int unit = 0;

	for (; unit < 3 && ns >= 999.5; unit++)
		ns /= 1000;
	snprintf(text, size, "%.0f %s", ns, units[unit]);
}

/* Is there room for n characters, with a blank on either side? */
static bool is_free(const struct grid *g, int row, int col, int n)
{
	for (int c = col > 0 ? col - 1 : 0; c <= col + n && c < g->cols; c++)
		if (g->cell[row][c].ch != ' ')
			return false;
	return true;
}

static void draw_label(const struct axis *axis, struct grid *g, int row, double ns)
{
	int col = CHART_LEFT + (int)(axis_at(axis, ns) + 0.5), width;
	char text[32];

	format_step(text, sizeof(text), ns);
	width = grid_width(text);
	if (col + width > g->cols)
		col = g->cols - width;
	if (row >= 0 && col >= 0 && is_free(g, row, col, width))
		grid_text(g, row, col, STYLE_DIM, text);
}

static void draw_axis(const struct axis *axis, struct grid *g, int axis_row, int label_row)
{
	grid_fill(g, axis_row, CHART_LEFT, axis->cols + 1, STYLE_DIM, 0x2500);
	for (double ns = axis->low; ns <= axis->high * 1.001; ns = step_next(ns))
		grid_fill(g, axis_row, CHART_LEFT + (int)(axis_at(axis, ns) + 0.5), 1, STYLE_DIM,
			  0x2534);
	/* Both ends first, then the decades, then what there is room for. */
	draw_label(axis, g, label_row, axis->low);
	draw_label(axis, g, label_row, axis->high);
	for (double ns = axis->low; ns < axis->high; ns = step_next(ns))
		if (step_next(ns) == 2 * ns && step_next(2 * ns) > 4 * ns) /* 1, 10, 100 */
			draw_label(axis, g, label_row, ns);
	for (double ns = axis->low; ns < axis->high; ns = step_next(ns))
		draw_label(axis, g, label_row, ns);
}

/* Where the percentiles lie, on the axis. */
static void draw_marks(const struct axis *axis, const struct hist *h, struct grid *g, int row)
{
	static const struct {
		uint32_t num, den;
		const char *mark;
	} marks[] = {{999, 1000, "!"}, {99, 100, "9"}, {1, 2, "M"}};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		int64_t ns = hist_quantile(h, marks[i].num, marks[i].den);

		if (ns != UNKNOWN)
			grid_text(g, row, CHART_LEFT + (int)axis_at(axis, (double)ns), STYLE_WARN,
				  marks[i].mark);
	}
}

static void draw_bars(const struct axis *axis, const double *bin, double peak, struct pane *p,
		      int rows)
{
	for (int r = rows - 1; r >= 0; r--) {
		int row = pane_line(p);

		for (int c = 0; c < axis->cols; c++) {
			double height = bin[c] / peak * rows * 8;
			int eighths = (int)(height + 0.5) - r * 8;

			/* One sample in a million is still drawn: tails matter most. */
			if (r == 0 && bin[c] > 0 && eighths < 1)
				eighths = 1;
			grid_upright(p->grid, row, CHART_LEFT + c, eighths > 8 ? 8 : eighths,
				     STYLE_BAR);
		}
	}
}

static void draw_chart(const struct facts_port *port, const struct hist *h, struct pane *p,
		       int rows)
{
	double bin[GRID_COLS_MAX], peak = 0;
	struct grid *g = p->grid;
	struct axis axis;
	char low[32], high[32], text[200];
	int best = 0, row = pane_line(p), col, n;

	col = grid_text(g, row, 1, STYLE_BOLD, port->name);
	if (!axis_fit(&axis, h, g->cols - 2 * CHART_LEFT)) {
		grid_text(g, row, col + 2, STYLE_DIM, "no samples");
		return;
	}
	fill_bins(&axis, h, bin);
	for (int c = 0; c < axis.cols; c++)
		best = bin[c] > bin[best] ? c : best;
	peak = bin[best];
	format_ns(low, sizeof(low), axis_value(&axis, best));
	format_ns(high, sizeof(high), axis_value(&axis, best + 1));
	n = snprintf(text, sizeof(text), "peak %.3g%% at %s to %s", 100 * peak / (double)h->count,
		     low, high);
	if (h->negative)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", %llu below zero", h->negative);
	if (h->over)
		snprintf(text + n, sizeof(text) - (size_t)n, ", %llu above 10 s", h->over);
	grid_left(g, row, col + 2, g->cols - col - 2,
		  h->negative || h->over ? STYLE_WARN : STYLE_PLAIN, text);
	if (g->cols - col - grid_width(text) > 32)
		grid_text(g, row, g->cols - 29, STYLE_DIM, "M median  9 p99  ! p99.9");
	draw_bars(&axis, bin, peak, p, rows - CHART_EXTRA);
	row = pane_line(p);
	draw_axis(&axis, g, row, pane_line(p));
	draw_marks(&axis, h, g, row);
}

void latency_draw(const struct view_input *in, struct pane *p)
{
	uint32_t ports = figures_ports(in->facts), charts = 0;
	struct hist h;
	int rows;

	latency_table(in, p);
	pane_gap(p);
	for (uint32_t i = 0; i < ports; i++) {
		latency_since(in, i, &h);
		charts += h.count > 0;
	}
	if (!charts) {
		grid_text(p->grid, pane_line(p), 1, STYLE_DIM,
			  "no frame with a send time of this host has arrived");
		return;
	}
	rows = (p->rows - p->used) / (int)charts;
	rows = rows < CHART_ROWS_MIN ? CHART_ROWS_MIN : rows;
	rows = rows > CHART_ROWS_MAX ? CHART_ROWS_MAX : rows;
	for (uint32_t i = 0; i < ports; i++) {
		latency_since(in, i, &h);
		if (h.count)
			draw_chart(&in->facts->port[i], &h, p, rows);
	}
}
