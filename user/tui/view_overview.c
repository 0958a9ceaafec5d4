/* SPDX-License-Identifier: MIT */
/* The overview: what every port does now, and what became of its frames so far. */
#include "tui/view.h"
#include "core/stats.h"
#include "core/units.h"
#include "tui/figures.h"
#include <math.h>
#include <stdio.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* What the two rows of a port are made of. */
struct flow_figures {
	uint64_t frames, bytes; /* since before */
	uint64_t total, lost;	/* since the baseline */
};

enum { T_PORT, T_DIR, T_PPS, T_L1, T_LINE, T_BAR, T_FRAMES, T_LOST, T_LOSS };

static const struct column traffic_columns[] = {
	[T_PORT] = COLUMN(NAME, "traffic", 7, 20, 0),
	[T_DIR] = COLUMN(TEXT, "", 2, 2, 0),
	[T_PPS] = COLUMN(NUMBER, "pps", 8, 9, 1),
	[T_L1] = COLUMN(NUMBER, "L1 bit/s", 8, 9, 1),
	[T_LINE] = COLUMN(NUMBER, "line", 4, 6, 3),
	[T_BAR] = COLUMN(TEXT, "", 6, 32, 5),
	[T_FRAMES] = COLUMN(NUMBER, "frames", 8, 17, 4),
	[T_LOST] = COLUMN(NUMBER, "lost", 5, 13, 2),
	[T_LOSS] = COLUMN(NUMBER, "loss", 6, 7, 6),
};

static void traffic_row(const struct view_input *in, const struct table *t, struct pane *p,
			const struct facts_port *port, const char *dir,
			const struct flow_figures *f)
{
	double seconds = figures_seconds(in->now, in->before);
	double bps = figures_l1_bits(f->frames, f->bytes) / seconds;
	double part = port->speed_bps ? bps / (double)port->speed_bps : NAN;
	double all = (double)(f->total + f->lost);
	struct grid *g = p->grid;
	int row = pane_line(p);

	if (*dir == 't')
		table_text(t, g, row, T_PORT, STYLE_BOLD, port->name);
	table_text(t, g, row, T_DIR, STYLE_PLAIN, dir);
	table_rate(t, g, row, T_PPS, STYLE_BOLD, (double)f->frames / seconds);
	table_rate(t, g, row, T_L1, STYLE_PLAIN, bps);
	table_percent(t, g, row, T_LINE, port->speed_nominal ? STYLE_DIM : STYLE_PLAIN, 100 * part);
	if (!isnan(part))
		table_bar(t, g, row, T_BAR, STYLE_BAR, part);
	table_count(t, g, row, T_FRAMES, STYLE_PLAIN, f->total);
	table_count(t, g, row, T_LOST, f->lost ? STYLE_BAD : STYLE_PLAIN, f->lost);
	table_percent(t, g, row, T_LOSS, f->lost ? STYLE_BAD : STYLE_PLAIN,
		      all > 0 ? 100 * (double)f->lost / all : NAN);
}

static void draw_traffic(const struct view_input *in, struct pane *p)
{
	struct table t;

	table_fit(&t, traffic_columns, COUNT(traffic_columns), p->grid->cols,
		  view_name_width(in->facts));
	table_head(&t, p->grid, pane_line(p));
	for (uint32_t i = 0; i < figures_ports(in->facts); i++) {
		const struct facts_port *port = &in->facts->port[i];
		struct queue_counters rate, total;
		struct netdev_counters netdev;
		struct flow_figures tx, rx;

		figures_port(in->facts, in->now, in->before, i, &rate);
		figures_port(in->facts, in->now, in->baseline, i, &total);
		figures_netdev(in->now, in->baseline, i, &netdev);
		tx = (struct flow_figures){rate.worker.submitted, rate.worker.submitted_bytes,
					   total.worker.submitted,
					   figures_tx_dropped(&total, &netdev)};
		rx = (struct flow_figures){rate.worker.received, rate.worker.received_bytes,
					   total.worker.received,
					   figures_rx_dropped(&total, &netdev, port->mode)};
		traffic_row(in, &t, p, port, "tx", &tx);
		traffic_row(in, &t, p, port, "rx", &rx);
	}
}

/* What the figures alone would not tell. */
static void draw_notes(const struct view_input *in, struct pane *p)
{
	for (uint32_t i = 0; i < figures_ports(in->facts); i++) {
		const char *name = in->facts->port[i].name;
		struct queue_counters total;
		char late[32];
		uint64_t given_up;

		figures_port(in->facts, in->now, in->baseline, i, &total);
		given_up = total.worker.given_up_late + total.worker.given_up_no_room;
		if (!in->now->port[i].carrier && !in->now->final)
			grid_print(p->grid, pane_line(p), 1, STYLE_BAD, "%s: the link is down",
				   name);
		if (given_up)
			grid_print(p->grid, pane_line(p), 1, STYLE_WARN,
				   "%s: %s frames behind the wanted rate (see drops)", name,
				   format_exact(late, sizeof(late), (int64_t)given_up));
	}
}

enum { L_PORT, L_MIN, L_MEDIAN, L_P90, L_P99, L_P999, L_MAX, L_SAMPLES };

static const struct column latency_columns[] = {
	[L_PORT] = COLUMN(NAME, "latency", 7, 20, 0),
	[L_MIN] = COLUMN(NUMBER, "min", 8, 9, 3),
	[L_MEDIAN] = COLUMN(NUMBER, "median", 8, 9, 1),
	[L_P90] = COLUMN(NUMBER, "p90", 8, 9, 4),
	[L_P99] = COLUMN(NUMBER, "p99", 8, 9, 1),
	[L_P999] = COLUMN(NUMBER, "p99.9", 8, 9, 3),
	[L_MAX] = COLUMN(NUMBER, "max", 8, 9, 2),
	[L_SAMPLES] = COLUMN(NUMBER, "samples", 8, 17, 5),
};

static void latency_cell(const struct table *t, struct grid *g, int row, int i, int64_t ns)
{
	char text[32] = "-";

	if (ns != UNKNOWN)
		format_ns(text, sizeof(text), (double)ns);
	table_text(t, g, row, i, ns == UNKNOWN ? STYLE_DIM : STYLE_PLAIN, text);
}

void latency_since(const struct view_input *in, uint32_t port, struct hist *out)
{
	const struct hist *before = &in->baseline->latency[port];

	if (before->count || before->negative)
		hist_sub(&in->now->latency[port], before, out);
	else /* min and max are then known exactly */
		*out = in->now->latency[port];
}

void latency_table(const struct view_input *in, struct pane *p)
{
	struct grid *g = p->grid;
	struct table t;

	table_fit(&t, latency_columns, COUNT(latency_columns), g->cols, view_name_width(in->facts));
	table_head(&t, g, pane_line(p));
	for (uint32_t i = 0; i < figures_ports(in->facts); i++) {
		int row = pane_line(p);
		struct hist h;

		if (row < 0)
			continue;
		latency_since(in, i, &h);
		table_text(&t, g, row, L_PORT, STYLE_BOLD, in->facts->port[i].name);
		latency_cell(&t, g, row, L_MIN, h.count ? (int64_t)h.min : UNKNOWN);
		latency_cell(&t, g, row, L_MEDIAN, hist_quantile(&h, 1, 2));
		latency_cell(&t, g, row, L_P90, hist_quantile(&h, 9, 10));
		latency_cell(&t, g, row, L_P99, hist_quantile(&h, 99, 100));
		latency_cell(&t, g, row, L_P999, hist_quantile(&h, 999, 1000));
		latency_cell(&t, g, row, L_MAX, h.count ? (int64_t)h.max : UNKNOWN);
		table_count(&t, g, row, L_SAMPLES, STYLE_PLAIN, h.count);
	}
}

enum {
	K_PORT,
	K_MATCHED,
	K_REORDERED,
	K_DUPLICATE,
	K_CORRUPT,
	K_LATE,
	K_STALE,
	K_FOREIGN,
	K_PASSED
};

static const struct column kind_columns[] = {
	[K_PORT] = COLUMN(NAME, "received", 8, 20, 0),
	[K_MATCHED] = COLUMN(NUMBER, "matched", 8, 17, 1),
	[K_REORDERED] = COLUMN(NUMBER, "reordered", 9, 11, 2),
	[K_DUPLICATE] = COLUMN(NUMBER, "duplicate", 9, 11, 2),
	[K_CORRUPT] = COLUMN(NUMBER, "corrupt", 7, 11, 2),
	[K_LATE] = COLUMN(NUMBER, "too late", 8, 11, 3),
	[K_STALE] = COLUMN(NUMBER, "stale", 7, 11, 3),
	[K_FOREIGN] = COLUMN(NUMBER, "foreign", 7, 11, 3),
	[K_PASSED] = COLUMN(NUMBER, "to kernel", 9, 13, 4),
};

static void kinds_row(const struct table *t, struct grid *g, int row,
		      const struct queue_counters *c)
{
	const struct {
		int column;
		uint64_t value;
		enum grid_style alarm;
	} cells[] = {
		{K_MATCHED, c->worker.matched, STYLE_PLAIN},
		{K_REORDERED, c->worker.reordered, STYLE_WARN},
		{K_DUPLICATE, c->worker.duplicate, STYLE_WARN},
		{K_CORRUPT, c->worker.corrupt, STYLE_BAD},
		{K_LATE, c->worker.too_late, STYLE_WARN},
		{K_STALE, c->worker.stale, STYLE_WARN},
		{K_FOREIGN, c->worker.foreign, STYLE_WARN},
		{K_PASSED, c->program.passed, STYLE_PLAIN},
	};

	for (int i = 0; i < COUNT(cells); i++)
		table_count(t, g, row, cells[i].column,
			    cells[i].value ? cells[i].alarm : STYLE_PLAIN, cells[i].value);
}

static void draw_kinds(const struct view_input *in, struct pane *p)
{
	struct table t;

	table_fit(&t, kind_columns, COUNT(kind_columns), p->grid->cols, view_name_width(in->facts));
	table_head(&t, p->grid, pane_line(p));
	for (uint32_t i = 0; i < figures_ports(in->facts); i++) {
		int row = pane_line(p);
		struct queue_counters c;

		figures_port(in->facts, in->now, in->baseline, i, &c);
		table_text(&t, p->grid, row, K_PORT, STYLE_BOLD, in->facts->port[i].name);
		kinds_row(&t, p->grid, row, &c);
	}
}

enum { P_PORT, P_LINK, P_SPEED, P_MODE, P_DRIVER, P_QUEUES, P_CPU };

static const struct column port_columns[] = {
	[P_PORT] = COLUMN(NAME, "port", 7, 20, 0),
	[P_LINK] = COLUMN(TEXT, "link", 4, 4, 1),
	[P_SPEED] = COLUMN(TEXT, "speed", 19, 19, 4),
	[P_MODE] = COLUMN(TEXT, "mode", 9, 9, 2),
	[P_DRIVER] = COLUMN(TEXT, "driver", 8, 16, 5),
	[P_QUEUES] = COLUMN(NUMBER, "queues", 6, 6, 3),
	[P_CPU] = COLUMN(NUMBER, "cpu", 5, 6, 3),
};

static const char *format_speed(char *text, size_t size, const struct facts_port *port)
{
	char number[32];

	if (!port->speed_bps)
		return "-";
	/* Round speeds as people write them: 10 Gbit/s, 2.5 Gbit/s, 100 Mbit/s. */
	if (port->speed_bps >= 1000000000)
		snprintf(number, sizeof(number), "%g G", (double)port->speed_bps / 1e9);
	else
		snprintf(number, sizeof(number), "%g M", (double)port->speed_bps / 1e6);
	snprintf(text, size, "%sbit/s%s", number, port->speed_nominal ? " nominal" : "");
	return text;
}

static void draw_ports(const struct view_input *in, struct pane *p)
{
	struct grid *g = p->grid;
	struct table t;

	table_fit(&t, port_columns, COUNT(port_columns), g->cols, view_name_width(in->facts));
	table_head(&t, g, pane_line(p));
	for (uint32_t i = 0; i < figures_ports(in->facts); i++) {
		const struct facts_port *port = &in->facts->port[i];
		bool up = in->now->port[i].carrier;
		int row = pane_line(p);
		char text[64];

		table_text(&t, g, row, P_PORT, STYLE_BOLD, port->name);
		table_text(&t, g, row, P_LINK, up ? STYLE_GOOD : STYLE_BAD, up ? "up" : "down");
		table_text(&t, g, row, P_SPEED, STYLE_PLAIN,
			   format_speed(text, sizeof(text), port));
		table_text(&t, g, row, P_MODE, STYLE_PLAIN, mode_name_in(port->engine, port->mode));
		table_text(&t, g, row, P_DRIVER, STYLE_PLAIN, port->driver[0] ? port->driver : "-");
		table_count(&t, g, row, P_QUEUES, STYLE_PLAIN, port->queues);
		table_percent(&t, g, row, P_CPU, STYLE_PLAIN,
			      figures_port_cpu(in->facts, in->now, in->before, i));
	}
}

void overview_draw(const struct view_input *in, struct pane *p)
{
	draw_traffic(in, p);
	draw_notes(in, p);
	pane_gap(p);
	latency_table(in, p);
	pane_gap(p);
	draw_kinds(in, p);
	pane_gap(p);
	draw_ports(in, p);
}
