/* SPDX-License-Identifier: MIT */
/* The queues: a bold row for every port, and under it a row for each of its queues. */
#include "core/stats.h"
#include "tui/figures.h"
#include "tui/view.h"
#include <math.h>
#include <stdio.h>

enum {
	Q_NAME,
	Q_TX,
	Q_RX,
	Q_CPU,
	Q_TX_RING,
	Q_RX_RING,
	Q_FILL,
	Q_DROPS,
	Q_NO_SOCKET,
	Q_TOO_LONG,
	Q_FILL_EMPTY,
	Q_RING_FULL,
	Q_TX_INVALID,
	Q_COLUMNS
};

static const struct column columns[Q_COLUMNS] = {
	[Q_NAME] = COLUMN(NAME, "queue", 6, 20, 0),
	[Q_TX] = COLUMN(NUMBER, "tx pps", 8, 9, 1),
	[Q_RX] = COLUMN(NUMBER, "rx pps", 8, 9, 1),
	[Q_CPU] = COLUMN(NUMBER, "cpu", 4, 6, 2),
	[Q_TX_RING] = COLUMN_FULL(TEXT, "txr", "tx ring", 3, 8, 4),
	[Q_RX_RING] = COLUMN_FULL(TEXT, "rxr", "rx ring", 3, 8, 4),
	[Q_FILL] = COLUMN_FULL(TEXT, "fill", "fill ring", 4, 9, 4),
	[Q_DROPS] = COLUMN(NUMBER, "drops", 5, 9, 1),
	[Q_NO_SOCKET] = COLUMN_FULL(NUMBER, "nosock", "no socket", 6, 9, 3),
	[Q_TOO_LONG] = COLUMN_FULL(NUMBER, "long", "too long", 5, 9, 3),
	[Q_FILL_EMPTY] = COLUMN_FULL(NUMBER, "nobuf", "no buffer", 5, 9, 3),
	[Q_RING_FULL] = COLUMN_FULL(NUMBER, "full", "ring full", 5, 9, 3),
	[Q_TX_INVALID] = COLUMN(NUMBER, "tx bad", 6, 9, 5),
};

static void draw_numbers(const struct table *t, struct grid *g, int row,
			 const struct queue_counters *rate, const struct queue_counters *total,
			 double seconds, enum mode mode)
{
	/* In zero-copy mode these two count refills and retries, not frames. */
	enum grid_style soft = mode == MODE_ZERO_COPY ? STYLE_BOLD : STYLE_BAD;
	const struct {
		int column;
		uint64_t value;
		enum grid_style alarm;
	} drops[] = {
		{Q_DROPS, figures_queue_dropped(total, mode) + total->socket.tx_invalid, STYLE_BAD},
		{Q_NO_SOCKET, total->program.no_socket, STYLE_BAD},
		{Q_TOO_LONG, total->socket.too_long, STYLE_BAD},
		{Q_FILL_EMPTY, total->socket.fill_empty, soft},
		{Q_RING_FULL, total->socket.ring_full, soft},
		{Q_TX_INVALID, total->socket.tx_invalid, STYLE_BAD},
	};

	table_rate(t, g, row, Q_TX, STYLE_PLAIN, (double)rate->worker.submitted / seconds);
	table_rate(t, g, row, Q_RX, STYLE_PLAIN, (double)rate->worker.received / seconds);
	for (size_t i = 0; i < sizeof(drops) / sizeof(drops[0]); i++)
		table_count(t, g, row, drops[i].column,
			    drops[i].value ? drops[i].alarm : STYLE_PLAIN, drops[i].value);
}

/* Entries of a ring as a bar; a ring that the queue does not have is "-". */
static void draw_ring(const struct table *t, struct grid *g, int row, int column, uint32_t used,
		      uint32_t size, enum grid_style style)
{
	if (size)
		table_bar(t, g, row, column, style, (double)used / size);
	else
		table_text(t, g, row, column, STYLE_DIM, "-");
}

static bool is_idle(const struct queue_counters *total)
{
	return !total->worker.submitted && !total->worker.received && !total->program.seen;
}

static void draw_queue(const struct view_input *in, const struct table *t, struct pane *p,
		       uint32_t port, uint32_t queue, const struct queue_counters *total)
{
	const struct facts_port *facts = &in->facts->port[port];
	struct queue_counters rate;
	const struct queue_gauges *gauge = &rate.gauge;
	struct grid *g = p->grid;
	int row = pane_line(p);
	char name[24];

	figures_queue(in->facts, in->now, in->before, port, queue, &rate);
	snprintf(name, sizeof(name), "%4u", facts->queue_id[queue]);
	table_text(t, g, row, Q_NAME, STYLE_PLAIN, name);
	draw_numbers(t, g, row, &rate, total, figures_seconds(in->now, in->before), facts->mode);
	table_percent(t, g, row, Q_CPU, STYLE_PLAIN,
		      figures_queue_cpu(in->facts, in->now, in->before, port, queue));
	draw_ring(t, g, row, Q_TX_RING, gauge->tx_ring, gauge->tx_ring_size, STYLE_BAR);
	draw_ring(t, g, row, Q_RX_RING, gauge->rx_ring, gauge->rx_ring_size,
		  gauge->rx_ring > gauge->rx_ring_size / 4 * 3 ? STYLE_BAD : STYLE_BAR);
	draw_ring(t, g, row, Q_FILL, gauge->fill_ring, gauge->fill_ring_size,
		  gauge->fill_ring < gauge->fill_ring_size / 8 ? STYLE_BAD : STYLE_BAR);
}

static void draw_port(const struct view_input *in, const struct table *t, struct pane *p,
		      uint32_t port)
{
	const struct facts_port *facts = &in->facts->port[port];
	struct queue_counters rate, total;
	uint32_t folded = 0;
	int row = pane_line(p);

	figures_port(in->facts, in->now, in->before, port, &rate);
	figures_port(in->facts, in->now, in->baseline, port, &total);
	table_text(t, p->grid, row, Q_NAME, STYLE_BOLD, facts->name);
	draw_numbers(t, p->grid, row, &rate, &total, figures_seconds(in->now, in->before),
		     facts->mode);
	table_percent(t, p->grid, row, Q_CPU, STYLE_PLAIN,
		      figures_port_cpu(in->facts, in->now, in->before, port));
	for (uint32_t q = 0; q < figures_queues(in->facts, in->now, port); q++) {
		figures_queue(in->facts, in->now, in->baseline, port, q, &total);
		if (in->fold_idle && is_idle(&total))
			folded++;
		else
			draw_queue(in, t, p, port, q, &total);
	}
	if (folded)
		grid_print(p->grid, pane_line(p), 4, STYLE_DIM, "%u idle queue%s folded (f)",
			   folded, folded == 1 ? "" : "s");
}

void queues_draw(const struct view_input *in, struct pane *p)
{
	struct table t;

	table_fit(&t, columns, Q_COLUMNS, p->grid->cols, view_name_width(in->facts));
	table_head(&t, p->grid, pane_fixed(p));
	for (uint32_t port = 0; port < figures_ports(in->facts); port++)
		draw_port(in, &t, p, port);
}
