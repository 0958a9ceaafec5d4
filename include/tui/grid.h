/* SPDX-License-Identifier: MIT */
/*
 * A rectangle of character cells. Pure. Everything is clipped to its size, a row of -1 is nowhere,
 * and no control character ever gets in: texts may come from another process.
 */
#ifndef TUI_GRID_H
#define TUI_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRID_ROWS_MAX 200
#define GRID_COLS_MAX 300

enum grid_style {
	STYLE_PLAIN,
	STYLE_DIM,
	STYLE_BOLD,
	STYLE_GOOD,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_BAR,
	STYLE_HEAD,  /* column titles */
	STYLE_TITLE, /* the top line */
	GRID_STYLES
};

struct cell {
	uint32_t ch; /* Unicode, one column wide; ASCII only when the grid is not utf8 */
	uint32_t style;
};

struct grid {
	int rows, cols;
	bool utf8; /* false: bars and lines in ASCII */
	struct cell cell[GRID_ROWS_MAX][GRID_COLS_MAX];
};

/* Blank, of at most GRID_ROWS_MAX x GRID_COLS_MAX. */
void grid_init(struct grid *g, int rows, int cols, bool utf8);

/* Text at (row, col), UTF-8 in; returns the column behind it. */
int grid_text(struct grid *g, int row, int col, enum grid_style style, const char *text);
__attribute__((format(printf, 5, 6))) int
grid_print(struct grid *g, int row, int col, enum grid_style style, const char *format, ...);

/*
 * Text in a field of width columns. Left: cut at the end. Right: a text that does not fit becomes
 * '#', since a number cut at either end would be a wrong number. Tail: cut at the front, for names
 * that differ in their ends.
 */
void grid_left(struct grid *g, int row, int col, int width, enum grid_style style,
	       const char *text);
void grid_right(struct grid *g, int row, int col, int width, enum grid_style style,
		const char *text);
void grid_tail(struct grid *g, int row, int col, int width, enum grid_style style,
	       const char *text);

/* Columns that a text takes. */
int grid_width(const char *text);

/* The same character n times. */
void grid_fill(struct grid *g, int row, int col, int n, enum grid_style style, uint32_t ch);

/* A horizontal bar of width columns, part 0..1 filled (eighths with UTF-8, '#' and '.' without). */
void grid_bar(struct grid *g, int row, int col, int width, double part, enum grid_style style);

/* One cell of an upright bar: eighths 0..8 of it filled from below (" .:#" without UTF-8). */
void grid_upright(struct grid *g, int row, int col, int eighths, enum grid_style style);

/* One row as text without trailing blanks (UTF-8, or ASCII when !utf8). Returns its length. */
int grid_row_text(const struct grid *g, int row, char *out, size_t size);

#endif
