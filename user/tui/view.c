/* SPDX-License-Identifier: MIT */
/* The table of views and the frame around them: title, tabs, keys, help. */
#include "tui/view.h"
#include "tui/figures.h"
#include <stdio.h>
#include <string.h>

#define FRAME_ROWS 3  /* title, tabs, keys */
#define HELP_AT	   10 /* column of the texts */
#define COLS_TABS  40 /* below, only the tab that is shown is named */
#define COLS_TRIAL 50 /* from here on there is room for the number of the trial */
#define COLS_WIDE  60 /* from here on things may stand apart */

const struct view views[] = {
	{"overview", '1', "rates, loss and latency of every port", overview_draw},
	{"queues", '2', "rates, drops, rings and CPU of each", queues_draw},
	{"drops", '3', "where frames were dropped, and why", drops_draw},
	{"latency", '4', "percentiles and the histogram", latency_draw},
	{0},
};

int view_name_width(const struct facts *facts)
{
	int widest = 0;

	for (uint32_t p = 0; p < figures_ports(facts); p++) {
		int width = grid_width(facts->port[p].name);

		widest = width > widest ? width : widest;
	}
	return widest;
}

static const char *format_clock(char *text, size_t size, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t s = to_ns > from_ns ? (to_ns - from_ns) / 1000000000 : 0;

	snprintf(text, size, "%u:%02u:%02u", (unsigned)(s / 3600), (unsigned)(s / 60 % 60),
		 (unsigned)(s % 60));
	return text;
}

static const char *state_word(const struct view_input *in)
{
	if (in->now && in->now->final)
		return "ended";
	return in->paused ? "paused" : "";
}

static void draw_title(const struct view_input *in, struct grid *g)
{
	char clock[24] = "-", trial[24] = "", right[64];
	int at, width;

	if (in->now)
		format_clock(clock, sizeof(clock), in->start_ns, in->now->time_ns);
	if (in->now && g->cols >= COLS_TRIAL)
		snprintf(trial, sizeof(trial), "trial %u  ", in->now->trial + 1);
	snprintf(right, sizeof(right), "%s%s%s%s ", state_word(in), *state_word(in) ? "  " : "",
		 trial, clock);
	width = grid_width(right);
	grid_fill(g, 0, 0, g->cols, STYLE_TITLE, ' ');
	at = g->cols >= COLS_WIDE ? grid_text(g, 0, 1, STYLE_TITLE, "xdploop ") : 1;
	grid_left(g, 0, at, g->cols - width - 1 - at, STYLE_TITLE,
		  in->facts->title[0] ? in->facts->title : in->facts->command);
	grid_text(g, 0, g->cols - width, STYLE_TITLE, right);
}

static void draw_tabs(const struct view *shown, const struct view_input *in, struct grid *g)
{
	char clock[24], text[64] = "totals since the start ";
	int col = 0;

	for (const struct view *v = views; v->name; v++) {
		bool named = v == shown || g->cols >= COLS_TABS;
		enum grid_style style = v == shown ? STYLE_BOLD : STYLE_PLAIN;
		int from = v > views && g->cols >= COLS_WIDE ? ++col : col;

		col = grid_print(g, 1, col + 1, style, "%c%s%s", v->key, named ? " " : "",
				 named ? v->name : "");
		if (v == shown) { /* the brackets stand in the gaps between the tabs */
			grid_text(g, 1, from, style, "[");
			grid_text(g, 1, col, style, "]");
		}
	}
	if (in->reset_ns && in->now)
		snprintf(text, sizeof(text), "totals of the last %s ",
			 format_clock(clock, sizeof(clock), in->reset_ns, in->now->time_ns));
	if (g->cols - grid_width(text) > col + 1)
		grid_text(g, 1, g->cols - grid_width(text), STYLE_DIM, text);
}

/* The most important first: what does not fit is left out. */
static const struct key_hint {
	const char *key, *does;
} key_hints[] = {
	{"q", "quit"},	{"h", "help"},	    {"1-4", "view"},	  {"space", "pause"},
	{"r", "reset"}, {"f", "fold idle"}, {"arrows", "scroll"},
};

static void draw_keys(const struct view_input *in, struct grid *g, int more)
{
	int row = g->rows - 1, col = 1, limit = g->cols;
	char text[32] = "";

	if (more > 0)
		snprintf(text, sizeof(text), in->scroll < more ? "more below " : "end ");
	limit -= grid_width(text);
	grid_text(g, row, limit, STYLE_WARN, text);
	for (size_t i = 0; i < sizeof(key_hints) / sizeof(key_hints[0]); i++) {
		const struct key_hint *k = &key_hints[i];

		if (col + grid_width(k->key) + grid_width(k->does) + 2 > limit)
			continue;
		col = grid_text(g, row, col, STYLE_BOLD, k->key);
		col = grid_text(g, row, col + 1, STYLE_DIM, k->does) + 2;
	}
}

static const struct help_line {
	const char *word, *text;
} help_lines[] = {
	{"space", "pause the picture; the run goes on"},
	{"r", "reset: totals and latency count from here on"},
	{"f", "fold idle queues, and drop reasons that are zero"},
	{"arrows", "and page up, page down: scroll; left, right, tab: another view"},
	{"h ?", "this help; any other key leaves it; q quits"},
	{"", ""},
	{"line", "of the link's speed, as L1 (FCS, preamble, gap); nominal: made up"},
	{"lost", "dropped at a known place (see drops); frames in flight are not in it"},
	{"latency", "of frames received on a port in this trial, from send to receive stamp"},
	{"matched", "first copies of frames of this run; at a reflector: sent back"},
	{"too late", "below the sequence window: late or a copy, can't be told"},
	{"stale", "frames of another run or trial; foreign: not of this test"},
	{"txr rxr", "bars: frames waiting in the TX ring and in the RX ring of the socket"},
	{"fill", "bar: buffers waiting in the fill ring; empty means the worker is late"},
	{"nosock", "drops on a queue without a socket; long: longer than the buffer"},
	{"nobuf", "drops with the fill ring empty; full: with the RX ring full"},
	{"cpu", "of the thread that serves the queue; queues may share one"},
};

/* The part of text that fits in width, cut between words. */
static size_t words_that_fit(const char *text, size_t width)
{
	size_t n = strlen(text);

	if (n <= width)
		return n;
	for (n = width; n > 0 && text[n] != ' ';)
		n--;
	return n ? n : width;
}

static void help_row(struct pane *p, const char *word, const char *text)
{
	size_t width = p->grid->cols > HELP_AT + 10 ? (size_t)(p->grid->cols - HELP_AT) : 10;
	int row = pane_line(p);

	grid_text(p->grid, row, 1, STYLE_BOLD, word);
	while (*text) {
		size_t n = words_that_fit(text, width);

		grid_print(p->grid, row, HELP_AT, STYLE_PLAIN, "%.*s", (int)n, text);
		text += n + (text[n] == ' ');
		if (*text)
			row = pane_line(p);
	}
}

static void help_draw(struct pane *p)
{
	char key[2] = "", text[128];

	for (const struct view *v = views; v->name; v++) {
		key[0] = v->key;
		snprintf(text, sizeof(text), "%s: %s", v->name, v->help);
		help_row(p, key, text);
	}
	for (size_t i = 0; i < sizeof(help_lines) / sizeof(help_lines[0]); i++)
		help_row(p, help_lines[i].word, help_lines[i].text);
}

static void draw_body(const struct view *view, const struct view_input *in, struct pane *p)
{
	if (!view)
		help_draw(p);
	else if (!in->now)
		grid_text(p->grid, pane_line(p), 1, STYLE_DIM, "waiting for the first counters");
	else
		view->draw(in, p);
}

int view_draw(const struct view *view, const struct view_input *in, struct grid *grid)
{
	struct view_input now = *in;
	int more;

	for (;;) {
		struct pane p = {
			.grid = grid,
			.top = FRAME_ROWS - 1,
			.rows = grid->rows - FRAME_ROWS,
			.scroll = now.scroll,
		};

		grid_init(grid, grid->rows, grid->cols, grid->utf8);
		draw_body(view, &now, &p);
		more = pane_scroll_max(&p);
		if (now.scroll <= more)
			break;
		now.scroll = more;
	}
	draw_title(in, grid);
	draw_tabs(view, in, grid);
	draw_keys(&now, grid, more);
	return more;
}

int view_draw_plain(const struct view *view, const struct view_input *in, struct grid *grid)
{
	struct pane p = {.grid = grid, .top = 1, .rows = grid->rows - 1};
	char clock[24];

	grid_init(grid, grid->rows, grid->cols, false);
	if (in->now)
		grid_print(grid, 0, 0, STYLE_BOLD, "%s, trial %u, %s%s",
			   format_clock(clock, sizeof(clock), in->start_ns, in->now->time_ns),
			   in->now->trial + 1, in->facts->title,
			   in->now->final ? ": final totals" : "");
	draw_body(view, in, &p);
	return p.used < p.rows ? p.top + p.used : grid->rows;
}
