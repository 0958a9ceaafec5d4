/* SPDX-License-Identifier: MIT */
/* Lines and columns: what a view is made of. */
#include "tui/table.h"
#include "core/units.h"
#include <math.h>
#include <stdio.h>

#define MARGIN	   1
#define ROWS_AMPLE 16 /* below, a pane has no room for blank lines */

int pane_line(struct pane *p)
{
	int row = p->used++ - p->scroll;

	return row >= 0 && row < p->rows ? p->top + row : -1;
}

int pane_fixed(struct pane *p)
{
	if (p->rows <= 0)
		return -1;
	p->rows--;
	return p->top++;
}

void pane_gap(struct pane *p)
{
	if (p->rows >= ROWS_AMPLE)
		p->used++;
}

int pane_scroll_max(const struct pane *p)
{
	return p->used > p->rows && p->rows > 0 ? p->used - p->rows : 0;
}

static int column_max(const struct column *c, int name_width)
{
	if (c->kind != COLUMN_NAME || name_width >= c->max)
		return c->max;
	return name_width > c->min ? name_width : c->min;
}

/* Hand the width out, the most important columns first; first their least, then what they like. */
static int hand_out(struct table *t, int keep, int left, int name_width, bool grow)
{
	for (int i = 0; i < t->n; i++) {
		const struct column *c = &t->column[i];
		int want = c->min + 1;

		if (c->keep != keep)
			continue;
		if (grow) {
			want = column_max(c, name_width) - t->width[i];
			want = !t->width[i] ? 0 : want > left ? left : want;
			t->width[i] += want;
			left -= want;
		} else if (want <= left || !keep) {
			t->width[i] = c->min;
			left -= want;
		}
	}
	return left > 0 ? left : 0;
}

void table_fit(struct table *t, const struct column *columns, int n, int width, int name_width)
{
	int left = width - MARGIN + 1; /* the last column needs no gap behind it */
	int at = MARGIN;

	*t = (struct table){.column = columns, .n = n};
	for (int keep = 0; keep <= TABLE_COLUMNS_MAX; keep++)
		left = hand_out(t, keep, left, name_width, false);
	for (int keep = 0; keep <= TABLE_COLUMNS_MAX; keep++)
		left = hand_out(t, keep, left, name_width, true);
	for (int i = 0; i < n; i++) {
		t->at[i] = t->width[i] ? at : -1;
		at += t->width[i] ? t->width[i] + 1 : 0;
	}
}

void table_text(const struct table *t, struct grid *g, int row, int i, enum grid_style style,
		const char *text)
{
	if (t->at[i] < 0)
		return;
	if (t->column[i].kind == COLUMN_NUMBER)
		grid_right(g, row, t->at[i], t->width[i], style, text);
	else if (t->column[i].kind == COLUMN_NAME)
		grid_tail(g, row, t->at[i], t->width[i], style, text);
	else
		grid_left(g, row, t->at[i], t->width[i], style, text);
}

void table_head(const struct table *t, struct grid *g, int row)
{
	for (int i = 0; i < t->n; i++) {
		const char *title = t->column[i].title;

		if (t->at[i] < 0)
			continue;
		if (grid_width(t->column[i].full) <= t->width[i])
			title = t->column[i].full;
		if (t->column[i].kind == COLUMN_NUMBER)
			grid_right(g, row, t->at[i], t->width[i], STYLE_HEAD, title);
		else
			grid_left(g, row, t->at[i], t->width[i], STYLE_HEAD, title);
	}
}

const char *format_compact(char *text, size_t size, double value)
{
	static const char units[] = " kMGTPE";
	int unit = 0;

	if (value < 9999.5) {
		snprintf(text, size, "%.0f", value);
		return text;
	}
	/* The bounds are where %.*f would round up to one digit more. */
	for (; value >= 999.5 && units[unit + 1]; unit++)
		value /= 1000;
	snprintf(text, size, "%.*f%c",
		 value < 9.995	 ? 2
		 : value < 99.95 ? 1
				 : 0,
		 value, units[unit]);
	return text;
}

/* "14.88 M" where it fits, else "14.9M". */
static void rounded(const struct table *t, struct grid *g, int row, int i, enum grid_style style,
		    double value)
{
	char text[32];

	format_count(text, sizeof(text), value);
	if (grid_width(text) > t->width[i])
		format_compact(text, sizeof(text), value);
	table_text(t, g, row, i, style, text);
}

void table_count(const struct table *t, struct grid *g, int row, int i, enum grid_style style,
		 uint64_t value)
{
	char text[32];

	if (t->at[i] < 0)
		return;
	format_exact(text, sizeof(text), (int64_t)value);
	if (grid_width(text) <= t->width[i])
		table_text(t, g, row, i, style, text);
	else
		rounded(t, g, row, i, style, (double)value);
}

void table_rate(const struct table *t, struct grid *g, int row, int i, enum grid_style style,
		double value)
{
	if (t->at[i] < 0)
		return;
	if (isnan(value))
		table_text(t, g, row, i, STYLE_DIM, "-");
	else
		rounded(t, g, row, i, style, value);
}

void table_percent(const struct table *t, struct grid *g, int row, int i, enum grid_style style,
		   double percent)
{
	char text[32];
	int digits = 3;

	if (t->at[i] < 0)
		return;
	if (isnan(percent)) {
		table_text(t, g, row, i, STYLE_DIM, "-");
		return;
	}
	if (percent > 0 && percent < 0.0005 && t->width[i] >= 6) {
		table_text(t, g, row, i, style, "<.001%"); /* a little is not nothing */
		return;
	}
	/* More digits only for the small: 0.004%, 6.8%, 99.9%, 100%. */
	digits = percent >= 99.95 || percent == 0 ? 0 : percent >= 0.95 ? 1 : 3;
	do {
		snprintf(text, sizeof(text), "%.*f%%", digits, percent);
	} while (grid_width(text) > t->width[i] && digits-- > 0);
	table_text(t, g, row, i, style, text);
}

void table_bar(const struct table *t, struct grid *g, int row, int i, enum grid_style style,
	       double part)
{
	if (t->at[i] >= 0)
		grid_bar(g, row, t->at[i], t->width[i], part, style);
}
