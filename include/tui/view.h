/* SPDX-License-Identifier: MIT */
/*
 * The monitor: views draw snapshots into a grid of cells; one file (screen.c) knows curses. The
 * same rows go out as plain text when there is no terminal.
 */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "core/snapshot.h"
#include "tui/table.h"

/* What a view draws. Rates are (now - before) over their time; totals are now - baseline. */
struct view_input {
	const struct facts *facts;
	const struct snapshot *now, *before, *baseline; /* now NULL: nothing has come yet */
	uint64_t start_ns;				/* of the run, or of watching it */
	uint64_t reset_ns;				/* of the baseline; 0: the start */
	bool paused, fold_idle;
	int scroll; /* first line of a list; clamped */
};

struct view {
	const char *name;
	char key;
	const char *help;
	void (*draw)(const struct view_input *, struct pane *);
};

/* overview, queues, drops, latency; NULL name at the end. */
extern const struct view views[];

void overview_draw(const struct view_input *in, struct pane *p);
void queues_draw(const struct view_input *in, struct pane *p);
void drops_draw(const struct view_input *in, struct pane *p);
void latency_draw(const struct view_input *in, struct pane *p);

/*
 * The frame around every view: title line, tabs, key line; then the view itself. view NULL: the
 * help. Returns the highest scroll that shows something new.
 */
int view_draw(const struct view *view, const struct view_input *in, struct grid *grid);

/* The same rows without frame, for plain text: a line that says when, and the view. Returns the
 * number of rows drawn. */
int view_draw_plain(const struct view *view, const struct view_input *in, struct grid *grid);

/* The latency table of overview and latency view. */
void latency_table(const struct view_input *in, struct pane *p);
/* Latency of the frames received on a port since the baseline. */
void latency_since(const struct view_input *in, uint32_t port, struct hist *out);

/* Longest port name. */
int view_name_width(const struct facts *facts);

#endif
