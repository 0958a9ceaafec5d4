/* SPDX-License-Identifier: MIT */
/*
 * Lines and columns of a view. A pane is the part of the grid a view draws its lines in, scrolled;
 * a table fits columns to a width: what matters least is dropped, nothing is ever wrapped.
 */
#ifndef TUI_TABLE_H
#define TUI_TABLE_H

#include "tui/grid.h"

struct pane {
	struct grid *grid;
	int top, rows; /* where in the grid */
	int scroll;    /* lines above the first one that is seen */
	int used;      /* lines so far, seen or not */
};

/* Grid row of the next line; -1: scrolled out of sight. */
int pane_line(struct pane *p);
/* The same, for a line at the top that does not scroll. */
int pane_fixed(struct pane *p);
/* A blank line between two parts, where the pane is tall enough for such luxury. */
void pane_gap(struct pane *p);
/* Highest scroll that still shows something new. */
int pane_scroll_max(const struct pane *p);

#define TABLE_COLUMNS_MAX 16

enum column_kind { COLUMN_NUMBER, COLUMN_NAME, COLUMN_TEXT };

struct column {
	const char *title, *full; /* full: the title where there is room for it */
	uint8_t min, max; /* columns of the screen; grows from min to max where there is room */
	uint8_t keep;	  /* 0: always; the higher, the sooner it is dropped, the later it grows */
	uint8_t kind;	  /* enum column_kind; names and texts stand left */
};

#define COLUMN(kind, title, min, max, keep) COLUMN_FULL(kind, title, title, min, max, keep)
#define COLUMN_FULL(kind, title, full, min, max, keep)     \
	{                                                  \
		title, full, min, max, keep, COLUMN_##kind \
	}

struct table {
	const struct column *column;
	int n;
	int at[TABLE_COLUMNS_MAX]; /* -1: dropped */
	int width[TABLE_COLUMNS_MAX];
};

/* name_width: longest text of the COLUMN_NAME column, which then grows no wider. */
void table_fit(struct table *t, const struct column *columns, int n, int width, int name_width);
void table_head(const struct table *t, struct grid *g, int row);

/* Cells; nothing is drawn in a dropped column. */
void table_text(const struct table *t, struct grid *g, int row, int i, enum grid_style style,
		const char *text);
/* A count: every digit where they fit, else rounded. */
void table_count(const struct table *t, struct grid *g, int row, int i, enum grid_style style,
		 uint64_t value);
/* A rounded number, "-" when it is NAN. */
void table_rate(const struct table *t, struct grid *g, int row, int i, enum grid_style style,
		double value);
/* "6.8%", as exact as fits; "-" when it is NAN. */
void table_percent(const struct table *t, struct grid *g, int row, int i, enum grid_style style,
		   double percent);
void table_bar(const struct table *t, struct grid *g, int row, int i, enum grid_style style,
	       double part);

/* At most five characters: "9999", "12.3k", "123k", "1.23M". */
const char *format_compact(char *text, size_t size, double value);

#endif
