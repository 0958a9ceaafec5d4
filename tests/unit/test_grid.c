/* SPDX-License-Identifier: MIT */
/* The grid of cells, and the tables drawn in it. */
#include "tui/table.h"
#include "unit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct grid grid;

static const char *row_of(int row)
{
	static char text[4 * GRID_COLS_MAX];

	grid_row_text(&grid, row, text, sizeof(text));
	return text;
}

static void text_is_clipped_on_every_side(void **state)
{
	grid_init(&grid, 2, 6, true);
	assert_int_equal(grid_text(&grid, 0, 3, STYLE_PLAIN, "abcdef"), 9);
	grid_text(&grid, 1, -2, STYLE_PLAIN, "xyz");
	grid_text(&grid, -1, 0, STYLE_PLAIN, "above");
	grid_text(&grid, 2, 0, STYLE_PLAIN, "below");
	assert_string_equal(row_of(0), "   abc");
	assert_string_equal(row_of(1), "z");
	assert_string_equal(row_of(2), "");
}

static void a_grid_is_no_larger_than_its_cells(void **state)
{
	grid_init(&grid, GRID_ROWS_MAX + 7, GRID_COLS_MAX + 7, true);
	assert_int_equal(grid.rows, GRID_ROWS_MAX);
	assert_int_equal(grid.cols, GRID_COLS_MAX);
	grid_init(&grid, -3, -3, true);
	assert_int_equal(grid.rows, 0);
	assert_int_equal(grid.cols, 0);
}

static void control_characters_do_not_get_in(void **state)
{
	grid_init(&grid, 1, 40, true);
	grid_text(&grid, 0, 0, STYLE_PLAIN,
		  "a\033[2Jb\nc\x7f\xc2\x9b"
		  "d");
	assert_string_equal(row_of(0), "a?[2Jb?c??d");
}

static void broken_utf8_becomes_question_marks(void **state)
{
	grid_init(&grid, 1, 40, true);
	grid_text(&grid, 0, 0, STYLE_PLAIN, "\xffz\xe2\x82z\xc3");
	assert_string_equal(row_of(0), "?z??z?");
	assert_int_equal(grid_width("\xffz\xe2\x82z\xc3"), 6);
}

static void wide_and_combining_characters_are_not_trusted(void **state)
{
	grid_init(&grid, 1, 40, true);
	grid_text(&grid, 0, 0, STYLE_PLAIN, "\xe6\xbc\xa2 e\xcc\x81 \xf0\x9f\x9a\x80 \xc3\xa9");
	assert_string_equal(row_of(0), "? e? ? \xc3\xa9");
}

static void without_utf8_all_is_ascii(void **state)
{
	grid_init(&grid, 2, 12, false);
	grid_text(&grid, 0, 0, STYLE_PLAIN, "5 \xc2\xb5s \xe2\x94\x80\xe2\x94\xb4 \xc3\xa9");
	grid_bar(&grid, 1, 0, 10, 0.44, STYLE_BAR);
	assert_string_equal(row_of(0), "5 us -+ ?");
	assert_string_equal(row_of(1), "####......");
}

static void a_number_that_does_not_fit_is_not_cut(void **state)
{
	grid_init(&grid, 2, 12, true);
	grid_right(&grid, 0, 1, 6, STYLE_PLAIN, "123456");
	grid_right(&grid, 1, 1, 5, STYLE_PLAIN, "123456");
	assert_string_equal(row_of(0), " 123456");
	assert_string_equal(row_of(1), " #####");
}

static void names_keep_their_end_and_texts_their_beginning(void **state)
{
	grid_init(&grid, 3, 20, false);
	grid_tail(&grid, 0, 0, 6, STYLE_PLAIN, "fast:enp1s0");
	grid_left(&grid, 1, 0, 6, STYLE_PLAIN, "fast:enp1s0");
	grid_tail(&grid, 2, 0, 6, STYLE_PLAIN, "enp1s0");
	assert_string_equal(row_of(0), "~np1s0");
	assert_string_equal(row_of(1), "fast:~");
	assert_string_equal(row_of(2), "enp1s0");
}

static void check_bar(double part, const char *expect)
{
	grid_init(&grid, 1, 4, true);
	grid_bar(&grid, 0, 0, 4, part, STYLE_BAR);
	assert_string_equal(row_of(0), expect);
}

static void a_bar_is_drawn_in_eighths(void **state)
{
	check_bar(0, "····");
	check_bar(0.5, "██··");
	check_bar(0.53125, "██▏·"); /* 17 of 32 */
	check_bar(1, "████");
}

static void a_little_is_not_nothing_and_nearly_full_is_not_full(void **state)
{
	check_bar(1e-9, "▏···");
	check_bar(0.9999, "███▉");
	check_bar(7, "████");
	check_bar(-1, "····");
	check_bar(NAN, "····");
}

static void an_upright_cell_fills_from_below(void **state)
{
	grid_init(&grid, 2, 10, true);
	for (int i = -1; i <= 8; i++)
		grid_upright(&grid, 0, i + 1, i, STYLE_BAR);
	assert_string_equal(row_of(0), "  ▁▂▃▄▅▆▇█");
	grid_init(&grid, 2, 10, false);
	for (int i = -1; i <= 8; i++)
		grid_upright(&grid, 0, i + 1, i, STYLE_BAR);
	assert_string_equal(row_of(0), "  ...::::#");
}

static void a_row_is_cut_between_characters(void **state)
{
	char text[6];

	grid_init(&grid, 1, 10, true);
	grid_text(&grid, 0, 0, STYLE_PLAIN, "██");
	assert_int_equal(grid_row_text(&grid, 0, text, sizeof(text)), 3);
	assert_string_equal(text, "█");
}

enum { C_NAME, C_MAIN, C_MORE, C_LEAST };

static const struct column columns[] = {
	[C_NAME] = COLUMN(NAME, "name", 4, 10, 0),
	[C_MAIN] = COLUMN(NUMBER, "main", 5, 9, 1),
	[C_MORE] = COLUMN_FULL(NUMBER, "more", "much more", 5, 9, 2),
	[C_LEAST] = COLUMN(NUMBER, "least", 5, 9, 3),
};

static void the_least_important_columns_are_dropped_first(void **state)
{
	static const struct {
		int width, shown;
	} cases[] = {{3, 1}, {10, 1}, {11, 2}, {16, 2}, {17, 3}, {22, 3}, {23, 4}, {80, 4}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct table t;
		int shown = 0;

		table_fit(&t, columns, 4, cases[i].width, 4);
		for (int c = 0; c < 4; c++)
			shown += t.at[c] >= 0;
		assert_int_equal(shown, cases[i].shown);
	}
}

static void columns_stay_inside_and_do_not_touch(void **state)
{
	for (int width = 11; width < 80; width++) {
		struct table t;
		int end = 0;

		table_fit(&t, columns, 4, width, 7);
		for (int c = 0; c < 4; c++) {
			if (t.at[c] < 0)
				continue;
			assert_true(t.at[c] > end - (end == 0));
			assert_in_range(t.width[c], columns[c].min, columns[c].max);
			end = t.at[c] + t.width[c];
		}
		assert_true(end <= width);
		assert_true(t.width[C_NAME] <= 7); /* no wider than the longest name */
	}
}

static void a_count_is_exact_where_it_fits(void **state)
{
	struct table t;

	grid_init(&grid, 3, 40, false);
	table_fit(&t, columns, 4, 17, 4);
	table_head(&t, &grid, 0);
	table_count(&t, &grid, 1, C_MAIN, STYLE_PLAIN, 9999);
	table_count(&t, &grid, 1, C_MORE, STYLE_PLAIN, 1234567);
	table_count(&t, &grid, 1, C_LEAST, STYLE_PLAIN, 5); /* dropped */
	assert_string_equal(row_of(0), " name  main  more");
	assert_string_equal(row_of(1), "      9,999 1.23M");
	grid_init(&grid, 3, 40, false);
	table_fit(&t, columns, 4, 40, 4);
	table_head(&t, &grid, 0);
	table_count(&t, &grid, 1, C_MORE, STYLE_PLAIN, 1234567);
	table_count(&t, &grid, 2, C_MORE, STYLE_PLAIN, 1234567890);
	assert_string_equal(row_of(0), " name      main much more     least");
	assert_string_equal(row_of(1), "                1,234,567");
	assert_string_equal(row_of(2), "                  1.235 G");
}

static void what_is_not_known_is_a_dash(void **state)
{
	struct table t;

	grid_init(&grid, 1, 40, false);
	table_fit(&t, columns, 4, 40, 4);
	table_rate(&t, &grid, 0, C_MAIN, STYLE_PLAIN, NAN);
	table_percent(&t, &grid, 0, C_MORE, STYLE_PLAIN, NAN);
	assert_string_equal(row_of(0), "              -         -");
}

static void check_percent(double percent, const char *expect)
{
	struct table t;

	grid_init(&grid, 1, 40, false);
	table_fit(&t, columns, 2, 11, 4); /* five columns for it */
	table_percent(&t, &grid, 0, C_MAIN, STYLE_PLAIN, percent);
	assert_string_equal(row_of(0) + strspn(row_of(0), " "), expect);
}

static void percentages_have_the_digits_that_fit(void **state)
{
	check_percent(0, "0%");
	check_percent(0.0123, "0.01%");
	check_percent(6.789, "6.8%");
	check_percent(99.94, "99.9%");
	check_percent(100, "100%");
	check_percent(240.4, "240%");
	check_percent(1e9, "#####");
}

static void a_tiny_percentage_is_not_called_zero(void **state)
{
	struct table t;

	grid_init(&grid, 2, 40, false);
	table_fit(&t, columns, 4, 40, 4);
	table_percent(&t, &grid, 0, C_MAIN, STYLE_PLAIN, 0.0001);
	table_percent(&t, &grid, 1, C_MAIN, STYLE_PLAIN, 0.0006);
	assert_string_equal(row_of(0), "         <.001%");
	assert_string_equal(row_of(1), "         0.001%");
}

static void compact_numbers_take_five_characters_at_most(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0"},	    {9999, "9999"},	{9999.5, "10.0k"}, {12345, "12.3k"},
		{99949, "99.9k"},   {99951, "100k"},	{999499, "999k"},  {999500, "1.00M"},
		{1234567, "1.23M"}, {9.995e6, "10.0M"}, {123e9, "123G"},   {1e15, "1.00P"},
	};
	char text[16];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(format_compact(text, sizeof(text), cases[i].value),
				    cases[i].text);
	for (double v = 1; v < 1e18; v *= 1.037)
		assert_true(strlen(format_compact(text, sizeof(text), v)) <= 5);
}

static void a_pane_shows_the_lines_that_are_scrolled_to(void **state)
{
	struct pane p = {.grid = &grid, .top = 2, .rows = 4, .scroll = 1};

	grid_init(&grid, 10, 10, false);
	assert_int_equal(pane_fixed(&p), 2); /* stays, whatever is scrolled */
	assert_int_equal(pane_line(&p), -1);
	for (int row = 3; row < 6; row++)
		assert_int_equal(pane_line(&p), row);
	assert_int_equal(pane_line(&p), -1);
	assert_int_equal(pane_scroll_max(&p), 2); /* five lines, three rows */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_clipped_on_every_side),
		cmocka_unit_test(a_grid_is_no_larger_than_its_cells),
		cmocka_unit_test(control_characters_do_not_get_in),
		cmocka_unit_test(broken_utf8_becomes_question_marks),
		cmocka_unit_test(wide_and_combining_characters_are_not_trusted),
		cmocka_unit_test(without_utf8_all_is_ascii),
		cmocka_unit_test(a_number_that_does_not_fit_is_not_cut),
		cmocka_unit_test(names_keep_their_end_and_texts_their_beginning),
		cmocka_unit_test(a_bar_is_drawn_in_eighths),
		cmocka_unit_test(a_little_is_not_nothing_and_nearly_full_is_not_full),
		cmocka_unit_test(an_upright_cell_fills_from_below),
		cmocka_unit_test(a_row_is_cut_between_characters),
		cmocka_unit_test(the_least_important_columns_are_dropped_first),
		cmocka_unit_test(columns_stay_inside_and_do_not_touch),
		cmocka_unit_test(a_count_is_exact_where_it_fits),
		cmocka_unit_test(what_is_not_known_is_a_dash),
		cmocka_unit_test(percentages_have_the_digits_that_fit),
		cmocka_unit_test(a_tiny_percentage_is_not_called_zero),
		cmocka_unit_test(compact_numbers_take_five_characters_at_most),
		cmocka_unit_test(a_pane_shows_the_lines_that_are_scrolled_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
