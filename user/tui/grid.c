/* SPDX-License-Identifier: MIT */
/* The rectangle of cells that the monitor is drawn in. Everything is clipped here, once. */
#include "tui/grid.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CH_BLOCK   0x2588u /* full block; 1/8 is 0x258f, 7/8 is 0x2589 */
#define CH_UPRIGHT 0x2580u /* + eighths: lower blocks */
#define CH_TRACK   0x00b7u /* middle dot: the empty part of a bar */

void grid_init(struct grid *g, int rows, int cols, bool utf8)
{
	g->rows = rows < 0 ? 0 : rows > GRID_ROWS_MAX ? GRID_ROWS_MAX : rows;
	g->cols = cols < 0 ? 0 : cols > GRID_COLS_MAX ? GRID_COLS_MAX : cols;
	g->utf8 = utf8;
	for (int row = 0; row < g->rows; row++)
		grid_fill(g, row, 0, g->cols, STYLE_PLAIN, ' ');
}

/*
 * Only characters known to be one column wide and to stand alone: Latin, Greek and Cyrillic
 * letters, and punctuation, arrows, lines and blocks. All others, control characters among them,
 * become '?'.
 */
static uint32_t printable(uint32_t ch)
{
	bool ascii = ch >= 0x20 && ch < 0x7f;
	bool letter = (ch >= 0xa1 && ch < 0x300 && ch != 0xad) || (ch >= 0x370 && ch < 0x483);
	bool sign = (ch >= 0x2010 && ch < 0x2028) || (ch >= 0x2190 && ch < 0x2200) ||
		    (ch >= 0x2500 && ch < 0x25a0);

	return ascii || letter || sign ? ch : '?';
}

static uint32_t to_ascii(uint32_t ch)
{
	static const struct {
		uint32_t ch;
		char ascii;
	} alike[] = {
		{CH_TRACK, '.'}, {0x00b5, 'u'}, {0x2013, '-'}, {0x2026, '~'},
		{0x2500, '-'},	 {0x2502, '|'}, {0x2534, '+'},
	};

	if (ch < 0x80)
		return ch;
	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
		if (alike[i].ch == ch)
			return (uint32_t)alike[i].ascii;
	return ch >= 0x2580 && ch <= 0x2590 ? '#' : '?';
}

static void put(struct grid *g, int row, int col, enum grid_style style, uint32_t ch)
{
	if (row < 0 || row >= g->rows || col < 0 || col >= g->cols)
		return;
	ch = printable(ch);
	g->cell[row][col] = (struct cell){
		.ch = g->utf8 ? ch : to_ascii(ch),
		.style = style,
	};
}

/* One character of UTF-8; broken bytes are '?', one at a time. */
static const char *decode(const char *text, uint32_t *ch)
{
	const unsigned char *p = (const unsigned char *)text;
	int more = *p < 0xc2 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : *p < 0xf5 ? 3 : 0;
	uint32_t value = more ? *p & (0x3fu >> more) : *p < 0x80 ? *p : '?';

	for (int i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			*ch = '?';
			return text + 1;
		}
		value = value << 6 | (p[i] & 0x3f);
	}
	*ch = value;
	return text + 1 + more;
}

int grid_width(const char *text)
{
	uint32_t ch;
	int width = 0;

	for (; *text; width++)
		text = decode(text, &ch);
	return width;
}

/* At most n characters of text. */
static int put_text(struct grid *g, int row, int col, int n, enum grid_style style,
		    const char *text)
{
	uint32_t ch;

	for (; *text && n > 0; n--) {
		text = decode(text, &ch);
		put(g, row, col++, style, ch);
	}
	return col;
}

int grid_text(struct grid *g, int row, int col, enum grid_style style, const char *text)
{
	return put_text(g, row, col, GRID_COLS_MAX, style, text);
}

int grid_print(struct grid *g, int row, int col, enum grid_style style, const char *format, ...)
{
	char text[4 * GRID_COLS_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return grid_text(g, row, col, style, text);
}

void grid_left(struct grid *g, int row, int col, int width, enum grid_style style, const char *text)
{
	put_text(g, row, col, width, style, text);
	if (grid_width(text) > width)
		grid_fill(g, row, col + width - 1, 1, style, 0x2026);
}

void grid_right(struct grid *g, int row, int col, int width, enum grid_style style,
		const char *text)
{
	int n = grid_width(text);

	if (n > width)
		grid_fill(g, row, col, width, style, '#');
	else
		grid_text(g, row, col + width - n, style, text);
}

void grid_tail(struct grid *g, int row, int col, int width, enum grid_style style, const char *text)
{
	int n = grid_width(text);
	uint32_t ch;

	if (n <= width) {
		grid_text(g, row, col, style, text);
		return;
	}
	for (; n > width - 1; n--)
		text = decode(text, &ch);
	grid_fill(g, row, col, 1, style, 0x2026);
	put_text(g, row, col + 1, width - 1, style, text);
}

void grid_fill(struct grid *g, int row, int col, int n, enum grid_style style, uint32_t ch)
{
	for (; n > 0; n--)
		put(g, row, col++, style, ch);
}

void grid_bar(struct grid *g, int row, int col, int width, double part, enum grid_style style)
{
	int steps = g->utf8 ? 8 : 1;
	double exact = (part > 0 ? part < 1 ? part : 1 : 0) * width * steps;
	int filled = (int)(exact + 0.5);

	if (part > 0 && !filled)
		filled = 1; /* a little is not nothing */
	if (part < 1 && filled == width * steps)
		filled--; /* nearly full is not full */
	grid_fill(g, row, col, filled / steps, style, CH_BLOCK);
	col += filled / steps;
	width -= filled / steps;
	if (filled % steps) {
		put(g, row, col++, style, CH_BLOCK + 8 - (uint32_t)(filled % steps));
		width--;
	}
	grid_fill(g, row, col, width, STYLE_DIM, CH_TRACK);
}

void grid_upright(struct grid *g, int row, int col, int eighths, enum grid_style style)
{
	static const char ascii[] = "  ...::::"; /* by eighths; 8 is '#' */

	if (eighths <= 0)
		return;
	if (g->utf8)
		put(g, row, col, style, CH_UPRIGHT + (uint32_t)eighths);
	else
		put(g, row, col, style, eighths < 8 ? (uint32_t)ascii[eighths + 1] : '#');
}

static int encode(uint32_t ch, char out[4])
{
	if (ch < 0x80) {
		out[0] = (char)ch;
		return 1;
	}
	if (ch < 0x800) {
		out[0] = (char)(0xc0 | ch >> 6);
		out[1] = (char)(0x80 | (ch & 0x3f));
		return 2;
	}
	out[0] = (char)(0xe0 | ch >> 12); /* printable() lets nothing beyond 0xffff in */
	out[1] = (char)(0x80 | (ch >> 6 & 0x3f));
	out[2] = (char)(0x80 | (ch & 0x3f));
	return 3;
}

int grid_row_text(const struct grid *g, int row, char *out, size_t size)
{
	size_t used = 0;
	int end = 0;

	if (!size)
		return 0;
	for (int col = 0; row >= 0 && row < g->rows && col < g->cols; col++)
		if (g->cell[row][col].ch != ' ')
			end = col + 1;
	for (int col = 0; col < end; col++) {
		char bytes[4];
		int n = encode(g->cell[row][col].ch, bytes);

		if (used + (size_t)n >= size)
			break;
		memcpy(out + used, bytes, (size_t)n);
		used += (size_t)n;
	}
	out[used] = 0;
	return (int)used;
}
