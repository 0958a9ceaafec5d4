/* SPDX-License-Identifier: MIT */
/* The drops: a row for every reason, in the order of a frame's way, with its words and remedy. */
#include "core/units.h"
#include "tui/figures.h"
#include "tui/view.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* All counters of a port that a reason may be taken from. */
struct drop_counters {
	struct queue_counters queue;
	struct netdev_counters netdev;
};

enum reason_flag {
	REASON_KERNEL = 1, /* not dropped: the kernel got it; shown only when there are some */
	REASON_SOFT = 2,   /* not frames in zero-copy mode */
};

static const struct reason {
	const char *label; /* where there is no room for words */
	const char *words, *hint;
	size_t at;
	int flags;
} reasons[] = {
#define WORKER(name)  .at = offsetof(struct drop_counters, queue.worker.name)
#define PROGRAM(name) .at = offsetof(struct drop_counters, queue.program.name)
#define SOCKET(name)  .at = offsetof(struct drop_counters, queue.socket.name)
#define NETDEV(name)  .at = offsetof(struct drop_counters, netdev.name)
	{"tx too late", "given up: the worker came too late",
	 "lower --rate, use more queues, or free the CPU", WORKER(given_up_late)},
	{"tx no room", "given up: no room in the TX ring",
	 "the port takes no more: its limit, or pause frames", WORKER(given_up_no_room)},
	{"tx invalid", "refused by the kernel on transmit",
	 "a bad descriptor, or longer than the port allows", SOCKET(tx_invalid)},
	{"port tx drop", "dropped by the port on transmit",
	 "its peer or its ring took no more, or the link is down", NETDEV(tx_dropped)},
	{"port tx error", "transmit errors of the port", "see ethtool -S", NETDEV(tx_errors)},
	{"port missed", "no descriptor in the receiving card",
	 "larger NIC ring (ethtool -G), more queues, a faster CPU", NETDEV(rx_missed)},
	{"port rx drop", "dropped by the port on receive", "may hold the rows below once more",
	 NETDEV(rx_dropped)},
	{"port rx error", "receive errors of the port", "cable, optics, or a size beyond the MTU",
	 NETDEV(rx_errors)},
	{"no socket", "on a queue without a socket",
	 "drive all queues, or aim the flows (--queues)", PROGRAM(no_socket)},
	{"too long", "longer than the receive buffer", "a smaller --size, or a smaller MTU",
	 SOCKET(too_long)},
	{"no buffer", "no buffer in the fill ring", "the worker is too slow to give buffers back",
	 SOCKET(fill_empty), .flags = REASON_SOFT},
	{"ring full", "no room in the RX ring", "the worker is too slow to empty it",
	 SOCKET(ring_full), .flags = REASON_SOFT},
	{"by xdploop", "dropped by xdploop itself", "should be 0: please report it",
	 WORKER(dropped_by_us)},
	{"corrupt", "arrived damaged", "cable, card, or something on the way writes frames",
	 WORKER(corrupt)},
	{"too late", "arrived too late to tell", "late or a copy: below the sequence window",
	 WORKER(too_late)},
	{"short", "not reflected: too short", "left to the kernel", PROGRAM(refused_short),
	 .flags = REASON_KERNEL},
	{"multicast", "not reflected: multicast, broadcast", "left to the kernel",
	 PROGRAM(refused_multicast), .flags = REASON_KERNEL},
	{"link-local", "not reflected: link-local control", "left to the kernel",
	 PROGRAM(refused_link_local), .flags = REASON_KERNEL},
	{"neighbour", "not reflected: ARP, neighbour search", "left to the kernel",
	 PROGRAM(refused_neighbour), .flags = REASON_KERNEL},
	{"bad source", "not reflected: from this port itself", "or from no unicast address",
	 PROGRAM(refused_source), .flags = REASON_KERNEL},
	{"reply", "not reflected: already a reply", "left to the kernel", PROGRAM(refused_reply),
	 .flags = REASON_KERNEL},
#undef WORKER
#undef PROGRAM
#undef SOCKET
#undef NETDEV
};

#define REASONS ((int)(sizeof(reasons) / sizeof(reasons[0])))

/* Totals and rates of all ports, and how they fit on the screen. */
struct drops_page {
	struct drop_counters total[PORTS_MAX], rate[PORTS_MAX];
	double seconds;
	uint32_t ports;
	int words_width;
	int total_width, rate_width; /* of a port; rate 0: no room for it */
	int hint_at;		     /* 0: no room */
};

static uint64_t value_of(const struct drop_counters *c, int reason)
{
	return *(const uint64_t *)((const char *)c + reasons[reason].at);
}

static void count_drops(const struct view_input *in, struct drops_page *page)
{
	page->ports = figures_ports(in->facts);
	page->seconds = figures_seconds(in->now, in->before);
	for (uint32_t p = 0; p < page->ports; p++) {
		figures_port(in->facts, in->now, in->baseline, p, &page->total[p].queue);
		figures_netdev(in->now, in->baseline, p, &page->total[p].netdev);
		figures_port(in->facts, in->now, in->before, p, &page->rate[p].queue);
		figures_netdev(in->now, in->before, p, &page->rate[p].netdev);
	}
}

#define WORDS_WIDTH 35 /* of the longest words */
#define LABEL_WIDTH 13
#define HINT_WIDTH  54

static void fit(struct drops_page *page, int cols)
{
	static const struct {
		int words, total, rate;
	} choices[] = {
		{WORDS_WIDTH, 15, 9}, {WORDS_WIDTH, 12, 8}, {WORDS_WIDTH, 8, 6},
		{WORDS_WIDTH, 8, 0},  {WORDS_WIDTH, 5, 0},  {LABEL_WIDTH, 8, 0},
		{LABEL_WIDTH, 5, 0},
	};
	int n = (int)(sizeof(choices) / sizeof(choices[0])), ports = (int)page->ports;

	for (int i = 0; i < n; i++) {
		int port = choices[i].total + 1 + (choices[i].rate ? choices[i].rate + 1 : 0);
		int used = 1 + choices[i].words + ports * port;

		if (used > cols && i < n - 1)
			continue;
		page->words_width = choices[i].words;
		page->total_width = choices[i].total;
		page->rate_width = choices[i].rate;
		page->hint_at = used + 2 + HINT_WIDTH <= cols ? used + 2 : 0;
		return;
	}
}

static void draw_head(const struct view_input *in, const struct drops_page *page, struct grid *g,
		      int row)
{
	int col = 1 + page->words_width + 1;

	grid_text(g, row, 1, STYLE_HEAD, "reason");
	for (uint32_t p = 0; p < page->ports; p++) {
		const char *name = in->facts->port[p].name;
		int width = grid_width(name);

		if (width <= page->total_width)
			grid_right(g, row, col, page->total_width, STYLE_HEAD, name);
		else
			grid_tail(g, row, col, page->total_width, STYLE_HEAD, name);
		col += page->total_width + 1;
		if (page->rate_width) {
			grid_right(g, row, col, page->rate_width, STYLE_HEAD, "per s");
			col += page->rate_width + 1;
		}
	}
	if (page->hint_at)
		grid_text(g, row, page->hint_at, STYLE_HEAD, "what to do");
}

static void draw_total(struct grid *g, int row, int col, int width, enum grid_style style,
		       uint64_t value)
{
	char text[32];

	format_exact(text, sizeof(text), (int64_t)value);
	if (grid_width(text) > width)
		format_compact(text, sizeof(text), (double)value);
	grid_right(g, row, col, width, style, text);
}

/* Rings that run dry or over lose no frames in zero-copy mode: the driver tries again. */
static const char *hint_of(const struct view_input *in, const struct drops_page *page, int i)
{
	if (reasons[i].flags & REASON_SOFT)
		for (uint32_t p = 0; p < page->ports; p++)
			if (value_of(&page->total[p], i) &&
			    in->facts->port[p].mode == MODE_ZERO_COPY)
				return "in zero-copy mode retries of the driver, not frames";
	return reasons[i].hint;
}

static void draw_reason(const struct view_input *in, const struct drops_page *page, struct grid *g,
			int row, int i)
{
	int col = 1 + page->words_width + 1;
	bool any = false;
	char text[32];

	for (uint32_t p = 0; p < page->ports; p++) {
		uint64_t total = value_of(&page->total[p], i);
		double rate = (double)value_of(&page->rate[p], i) / page->seconds;
		bool soft =
			reasons[i].flags & REASON_SOFT && in->facts->port[p].mode == MODE_ZERO_COPY;
		enum grid_style style = !total ? STYLE_DIM : soft ? STYLE_BOLD : STYLE_BAD;

		any |= total > 0;
		style = reasons[i].flags & REASON_KERNEL ? STYLE_BOLD : style;
		draw_total(g, row, col, page->total_width, style, total);
		col += page->total_width + 1;
		if (!page->rate_width)
			continue;
		format_compact(text, sizeof(text), rate);
		grid_right(g, row, col, page->rate_width, style, isnan(rate) ? "-" : text);
		col += page->rate_width + 1;
	}
	grid_left(g, row, 1, page->words_width, any ? STYLE_BOLD : STYLE_DIM,
		  page->words_width < WORDS_WIDTH ? reasons[i].label : reasons[i].words);
	if (page->hint_at && any)
		grid_left(g, row, page->hint_at, HINT_WIDTH, STYLE_PLAIN, hint_of(in, page, i));
}

static bool anywhere(const struct drops_page *page, int i)
{
	for (uint32_t p = 0; p < page->ports; p++)
		if (value_of(&page->total[p], i))
			return true;
	return false;
}

/* What to do, below the table where it has no room for it. */
static void draw_hints(const struct view_input *in, const struct drops_page *page, struct pane *p)
{
	bool first = true;

	for (int i = 0; i < REASONS; i++) {
		int col = 1, row;

		if (!anywhere(page, i) || reasons[i].flags & REASON_KERNEL)
			continue;
		if (first)
			p->used++;
		first = false;
		row = pane_line(p);
		col = grid_print(p->grid, row, col, STYLE_BOLD, "%s: ", reasons[i].label);
		grid_left(p->grid, row, col, p->grid->cols - col, STYLE_PLAIN,
			  hint_of(in, page, i));
	}
}

void drops_draw(const struct view_input *in, struct pane *p)
{
	struct drops_page page = {0};
	int shown = 0, always = 0;
	bool fold = in->fold_idle;

	count_drops(in, &page);
	fit(&page, p->grid->cols);
	draw_head(in, &page, p->grid, pane_fixed(p));
	for (int i = 0; i < REASONS; i++)
		always += !(reasons[i].flags & REASON_KERNEL);
	fold |= p->rows < always; /* what did occur must not hide below the window */
	for (int i = 0; i < REASONS; i++) {
		bool optional = fold || reasons[i].flags & REASON_KERNEL;

		if (optional && !anywhere(&page, i))
			continue;
		draw_reason(in, &page, p->grid, pane_line(p), i);
		shown++;
	}
	if (!shown)
		grid_text(p->grid, pane_line(p), 1, STYLE_GOOD, "no frame was dropped");
	else if (fold)
		grid_text(p->grid, pane_line(p), 1, STYLE_DIM, "no other reason so far");
	if (!page.hint_at)
		draw_hints(in, &page, p);
}
