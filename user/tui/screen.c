/* SPDX-License-Identifier: MIT */
/* The one file that knows the terminal: keeps snapshots, acts on keys, copies cells to curses. */
#define NCURSES_WIDECHAR 1
#include "tui/screen.h"
#include "tui/history.h"
#include "tui/view.h"
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define PLAIN_COLS 110
#define DRAW_NS	   180000000 /* figures over a second need no more pictures, and half the CPU */
#define ESCAPE_MS  25	     /* a lone escape is not the beginning of an arrow key */

/* Signals that curses handles while it runs, unless somebody else does already. */
static const int curses_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
#define CURSES_SIGNALS (sizeof(curses_signals) / sizeof(curses_signals[0]))

struct screen {
	struct facts facts;
	uint64_t interval_ns; /* plain */
	SCREEN *term;	      /* NULL: plain */
	attr_t attr[GRID_STYLES];
	struct sigaction old_action[CURSES_SIGNALS];
	bool keys;
	const struct view *view;
	bool help, paused, fold_idle;
	int scroll, scroll_max;
	struct history history;
	uint64_t drawn_ns; /* time of the last snapshot that was drawn */
	struct grid grid, shown;
};

static struct view_input input_of(const struct screen *s)
{
	const struct history *h = &s->history;

	return (struct view_input){
		.facts = &s->facts,
		.now = h->baseline ? history_at(h, 0) : NULL,
		.before = history_before(h),
		.baseline = h->baseline,
		.start_ns = h->start_ns,
		.reset_ns = h->reset_ns,
		.paused = s->paused,
		.fold_idle = s->fold_idle,
		.scroll = s->scroll,
	};
}

/* --- plain text ------------------------------------------------------------------------------ */

static void print_view(struct screen *s, const struct view *view, const struct view_input *in)
{
	char line[4 * GRID_COLS_MAX];
	int rows;

	grid_init(&s->grid, GRID_ROWS_MAX, PLAIN_COLS, false);
	rows = view_draw_plain(view, in, &s->grid);
	for (int row = 0; row < rows; row++) {
		grid_row_text(&s->grid, row, line, sizeof(line));
		puts(line);
	}
	puts("");
}

/* Only snapshots that are printed go into the history: rates are over an interval. */
static void show_plain(struct screen *s, const struct snapshot *snap)
{
	const struct snapshot *last = history_at(&s->history, 0);
	uint64_t tolerance = s->interval_ns / 20;
	struct view_input in;

	if (last && !snap->final && snap->time_ns >= last->time_ns &&
	    snap->time_ns - last->time_ns + tolerance < s->interval_ns)
		return;
	history_add(&s->history, snap, s->facts.start_ns);
	in = input_of(s);
	in.before = snap->final ? NULL : history_at(&s->history, 1); /* the end: totals alone */
	in.fold_idle = true;
	if (!in.now || (!in.before && !snap->final))
		return; /* the first one: there are no rates yet */
	print_view(s, &views[0], &in);
	if (snap->final)
		print_view(s, &views[2], &in);
	fflush(stdout);
}

/* --- curses ---------------------------------------------------------------------------------- */

static bool want_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return has_colors() && !(no && *no);
}

/* Bars need more than ASCII; the Linux console's fonts have no eighths of a block. */
static bool want_utf8(void)
{
	const char *term = getenv("TERM");

	return !strcmp(nl_langinfo(CODESET), "UTF-8") && !(term && !strcmp(term, "linux"));
}

static void set_styles(struct screen *s)
{
	static const struct {
		enum grid_style style;
		short colour;
		attr_t with, without; /* attributes with and without colour */
	} rows[] = {
		{STYLE_DIM, -1, A_DIM, A_NORMAL},
		{STYLE_BOLD, -1, A_BOLD, A_BOLD},
		{STYLE_GOOD, COLOR_GREEN, A_NORMAL, A_NORMAL},
		{STYLE_WARN, COLOR_YELLOW, A_NORMAL, A_BOLD},
		{STYLE_BAD, COLOR_RED, A_BOLD, A_BOLD},
		{STYLE_BAR, COLOR_CYAN, A_NORMAL, A_NORMAL},
		{STYLE_HEAD, COLOR_CYAN, A_BOLD, A_UNDERLINE},
		{STYLE_TITLE, -1, A_REVERSE, A_REVERSE},
	};
	bool colour = want_colour();

	if (colour) {
		start_color();
		use_default_colors();
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		short pair = (short)(i + 1);

		s->attr[rows[i].style] = colour ? rows[i].with : rows[i].without;
		if (colour && rows[i].colour >= 0) {
			init_pair(pair, rows[i].colour, -1);
			s->attr[rows[i].style] |= COLOR_PAIR(pair);
		}
	}
}

/* newterm() and not initscr(): that one would end the program where the terminal is unknown. */
static void open_curses(struct screen *s)
{
	setlocale(LC_CTYPE, "");
	for (size_t i = 0; i < CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], NULL, &s->old_action[i]);
	s->term = newterm(NULL, stdout, stdin);
	if (!s->term)
		return;
	s->keys = isatty(STDIN_FILENO);
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	set_styles(s);
	s->grid.utf8 = want_utf8();
}

static void close_curses(struct screen *s)
{
	if (!s->term)
		return;
	endwin();
	delscreen(s->term);
	s->term = NULL;
	for (size_t i = 0; i < CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], &s->old_action[i], NULL);
}

/* The window's size, asked for directly: whether SIGWINCH came through is not ours to know. */
static void follow_size(struct screen *s)
{
	struct winsize size;
	int rows, cols;

	getmaxyx(stdscr, rows, cols);
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
	    (size.ws_row != rows || size.ws_col != cols)) {
		resizeterm(size.ws_row, size.ws_col);
		getmaxyx(stdscr, rows, cols);
	}
	grid_init(&s->grid, rows, cols, s->grid.utf8);
	if (s->grid.rows == s->shown.rows && s->grid.cols == s->shown.cols)
		return;
	grid_init(&s->shown, rows, cols, s->grid.utf8); /* blank, as the window is after this */
	erase();
	clearok(curscr, TRUE);
}

/* Cells from..to of a row, which have one style. */
static void put_run(const struct screen *s, int row, int from, int to)
{
	wchar_t text[GRID_COLS_MAX];

	for (int col = from; col < to; col++)
		text[col - from] = (wchar_t)s->grid.cell[row][col].ch;
	attrset(s->attr[s->grid.cell[row][from].style]);
	mvaddnwstr(row, from, text, to - from);
}

/* Only what changed: curses would find out as well, at several times the price. */
static void put_row(struct screen *s, int row)
{
	const struct cell *cell = s->grid.cell[row], *old = s->shown.cell[row];
	size_t bytes = (size_t)s->grid.cols * sizeof(*cell);

	if (!memcmp(cell, old, bytes))
		return;
	for (int from = 0, to; from < s->grid.cols; from = to) {
		to = from + 1;
		if (cell[from].ch == old[from].ch && cell[from].style == old[from].style)
			continue;
		while (to < s->grid.cols && cell[to].style == cell[from].style &&
		       cell[to].ch != old[to].ch)
			to++;
		put_run(s, row, from, to);
	}
	memcpy(s->shown.cell[row], cell, bytes);
}

static void draw(struct screen *s)
{
	struct view_input in = input_of(s);

	follow_size(s);
	s->scroll_max = view_draw(s->help ? NULL : s->view, &in, &s->grid);
	if (s->scroll > s->scroll_max)
		s->scroll = s->scroll_max;
	for (int row = 0; row < s->grid.rows; row++)
		put_row(s, row);
	refresh();
}

/* --- keys ------------------------------------------------------------------------------------ */

static void go_to(struct screen *s, const struct view *view)
{
	s->view = view;
	s->scroll = 0;
}

static void go_on(struct screen *s)
{
	go_to(s, s->view[1].name ? s->view + 1 : views);
}

static void go_back(struct screen *s)
{
	const struct view *view = s->view;

	if (view > views)
		view--;
	else
		while (view[1].name)
			view++;
	go_to(s, view);
}

static void scroll_by(struct screen *s, int lines)
{
	s->scroll += lines;
	if (s->scroll > s->scroll_max)
		s->scroll = s->scroll_max;
	if (s->scroll < 0)
		s->scroll = 0;
}

static bool scroll_key(struct screen *s, int key)
{
	int page = s->grid.rows > 5 ? s->grid.rows - 4 : 1;

	switch (key) {
	case KEY_UP:
		scroll_by(s, -1);
		return true;
	case KEY_DOWN:
		scroll_by(s, 1);
		return true;
	case KEY_PPAGE:
		scroll_by(s, -page);
		return true;
	case KEY_NPAGE:
		scroll_by(s, page);
		return true;
	case KEY_HOME:
		scroll_by(s, -s->scroll);
		return true;
	case KEY_END:
		scroll_by(s, s->scroll_max - s->scroll);
		return true;
	default:
		return false;
	}
}

static void view_key(struct screen *s, int key)
{
	for (const struct view *v = views; v->name; v++)
		if (key == v->key)
			go_to(s, v);
	if (key == '\t' || key == KEY_RIGHT)
		go_on(s);
	else if (key == KEY_BTAB || key == KEY_LEFT)
		go_back(s);
	else if (key == ' ')
		s->paused = !s->paused && s->history.n && !history_at(&s->history, 0)->final;
	else if (key == 'r')
		history_reset(&s->history);
	else if (key == 'f')
		s->fold_idle = !s->fold_idle;
}

static void act(struct screen *s, int key)
{
	if (key == ERR || key == KEY_RESIZE || scroll_key(s, key))
		return;
	if (key == 'L' - '@') { /* ctrl-L: somebody wrote over the screen */
		clearok(curscr, TRUE);
		return;
	}
	if (key == 'h' || key == '?' || s->help) {
		s->help = !s->help;
		s->scroll = 0;
		if (!s->help && key != 'h' && key != '?' && key != ' ' && key != 27)
			view_key(s, key);
		return;
	}
	view_key(s, key);
}

/* Readable, and yet no key: the terminal was closed, and would be readable for ever. */
static bool terminal_gone(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&p, 1, 0) > 0;
}

bool screen_keys(struct screen *s)
{
	bool any = false;
	int key;

	if (!s->term || !s->keys)
		return false;
	while ((key = getch()) != ERR) {
		any = true;
		if (key == 'q' || key == 'Q')
			return true;
		act(s, key);
	}
	if (!any && terminal_gone())
		return true;
	draw(s);
	return false;
}

int screen_fd(const struct screen *s)
{
	return s->term && s->keys ? STDIN_FILENO : -1;
}

/* --- life ------------------------------------------------------------------------------------ */

struct screen *screen_open(const struct facts *facts, bool plain, uint64_t interval_ns)
{
	struct screen *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->facts = *facts;
	s->interval_ns = interval_ns ? interval_ns : 1000000000;
	s->view = views;
	if (!plain)
		open_curses(s);
	if (s->term)
		draw(s);
	return s;
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	close_curses(s);
	history_free(&s->history);
	free(s);
}

void screen_facts(struct screen *s, const struct facts *facts)
{
	s->facts = *facts;
	if (s->term)
		draw(s);
}

void screen_show(struct screen *s, const struct snapshot *snap)
{
	if (!s->term) {
		show_plain(s, snap);
		return;
	}
	if (snap->final)
		s->paused = false;
	if (!s->paused)
		history_add(&s->history, snap, s->facts.start_ns);
	if (!snap->final && snap->time_ns - s->drawn_ns < DRAW_NS)
		return;
	s->drawn_ns = snap->time_ns;
	draw(s);
}
