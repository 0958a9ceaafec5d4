/* SPDX-License-Identifier: MIT */
/* The monitor's views: what they say, and how they look at four sizes (tests/golden/view_*). */
#include "fixture_monitor.h"
#include "golden.h"
#include "tui/figures.h"
#include "tui/history.h"
#include "unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct grid grid;
static struct fixture_monitor lab, card;

static int setup(void **state)
{
	fixture_monitor_lab(&lab);
	fixture_monitor_card(&card);
	return 0;
}

static int teardown(void **state)
{
	fixture_monitor_free(&lab);
	fixture_monitor_free(&card);
	return 0;
}

/* The whole grid as lines of text. */
static const char *screen_text(int rows)
{
	static char text[GRID_ROWS_MAX * (4 * GRID_COLS_MAX + 1)];
	size_t used = 0;

	for (int row = 0; row < rows; row++) {
		used += (size_t)grid_row_text(&grid, row, text + used, sizeof(text) - used - 2);
		text[used++] = '\n';
	}
	text[used] = '\0';
	return text;
}

static const char *draw(const struct view *view, const struct view_input *in, int cols, int rows)
{
	grid_init(&grid, rows, cols, true);
	view_draw(view, in, &grid);
	return screen_text(rows);
}

/* The first line in which a word stands, with runs of blanks made one. */
static const char *line_with(const char *text, const char *word)
{
	static char line[4 * GRID_COLS_MAX];
	const char *at = strstr(text, word);
	size_t n = 0;

	if (!at)
		return "";
	while (at > text && at[-1] != '\n')
		at--;
	for (; *at && *at != '\n'; at++)
		if (*at != ' ' || (n && line[n - 1] != ' '))
			line[n++] = *at;
	line[n] = '\0';
	return line;
}

static void assert_says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' is not in:\n%s", words, text);
}

static void assert_says_not(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("'%s' is in:\n%s", words, text);
}

enum { OVERVIEW, QUEUES, DROPS, LATENCY };

/* --- golden screens --- */

static void check_golden(const char *name, const struct view *view, const struct view_input *in,
			 int cols, int rows, bool utf8)
{
	const char *text;

	grid_init(&grid, rows, cols, utf8);
	view_draw(view, in, &grid);
	text = screen_text(rows);
	golden_check(name, text, strlen(text));
}

static void check_golden_view(int i)
{
	static const struct {
		const char *name;
		int cols, rows;
		bool utf8;
	} sizes[] = {
		{"80x24", 80, 24, true},
		{"120x40", 120, 40, true},
		{"40x12", 40, 12, true},
		{"ascii", 80, 24, false},
	};
	char name[64];

	for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
		snprintf(name, sizeof(name), "view_%s_%s.txt", views[i].name, sizes[k].name);
		check_golden(name, &views[i], &lab.in, sizes[k].cols, sizes[k].rows, sizes[k].utf8);
	}
}

static void overview_looks_as_approved(void **state)
{
	check_golden_view(OVERVIEW);
}

static void queues_look_as_approved(void **state)
{
	check_golden_view(QUEUES);
}

static void drops_look_as_approved(void **state)
{
	check_golden_view(DROPS);
}

static void latency_looks_as_approved(void **state)
{
	check_golden_view(LATENCY);
}

static void a_loaded_card_looks_as_approved(void **state)
{
	card.in.fold_idle = true;
	check_golden("view_card_overview.txt", &views[OVERVIEW], &card.in, 80, 24, true);
	check_golden("view_card_queues.txt", &views[QUEUES], &card.in, 80, 24, true);
	check_golden("view_card_drops.txt", &views[DROPS], &card.in, 80, 24, true);
}

static void help_looks_as_approved(void **state)
{
	check_golden("view_help_80x24.txt", NULL, &lab.in, 80, 24, true);
	check_golden("view_help_40x12.txt", NULL, &lab.in, 40, 12, true);
}

static void plain_text_looks_as_approved(void **state)
{
	const char *text;
	int rows;

	grid_init(&grid, GRID_ROWS_MAX, 110, false);
	rows = view_draw_plain(&views[OVERVIEW], &lab.in, &grid);
	text = screen_text(rows);
	golden_check("view_plain.txt", text, strlen(text));
}

/* --- what the figures say --- */

static void rates_are_of_the_interval_and_totals_since_the_baseline(void **state)
{
	const char *text = draw(&views[OVERVIEW], &lab.in, 120, 40);

	/* 1,000,000 frames of 60 + 24 bytes a second = 672 Mbit/s of 10 Gbit/s. */
	assert_string_equal(line_with(text, " lab-a   tx"),
			    "lab-a tx 1.000 M 672.0 M 6.7% "
			    "██▏····························· 12,000,000 0 0%");
	assert_says(text, "999.0 k   671.3 M"); /* lab-b rx: 1,000 a second fewer */
	assert_says(line_with(text, "11,988,000"), "12,000");
}

static void a_reset_begins_the_totals_anew(void **state)
{
	lab.in.baseline = lab.before;
	lab.in.reset_ns = lab.before->time_ns;
	assert_says(draw(&views[OVERVIEW], &lab.in, 80, 24), "totals of the last 0:00:01");
	assert_says(line_with(screen_text(24), " lab-a   tx"), " 1,000,000 0 0%");
}

static void without_an_interval_rates_are_not_known(void **state)
{
	const struct snapshot *same[] = {NULL, lab.now};

	for (size_t i = 0; i < ARRAY_LEN(same); i++) {
		lab.in.before = same[i];
		assert_string_equal(line_with(draw(&views[OVERVIEW], &lab.in, 80, 24),
					      " lab-a   tx"),
				    "lab-a tx - - - 12,000,000 0 0%");
		assert_string_equal(line_with(draw(&views[QUEUES], &lab.in, 80, 24), " lab-a  "),
				    "lab-a - - - 0 0 0 0 0");
		for (int v = 0; views[v].name; v++) {
			assert_says_not(draw(&views[v], &lab.in, 120, 40), "nan");
			assert_says_not(screen_text(40), "inf");
		}
	}
}

static void before_the_first_snapshot_it_says_that_it_waits(void **state)
{
	lab.in.now = lab.in.before = lab.in.baseline = NULL;
	for (int v = 0; views[v].name; v++)
		assert_says(draw(&views[v], &lab.in, 80, 24), "waiting for the first counters");
}

static void percent_of_line_needs_a_speed(void **state)
{
	lab.facts.port[0].speed_bps = 0;
	assert_string_equal(line_with(draw(&views[OVERVIEW], &lab.in, 80, 24), " lab-a   tx"),
			    "lab-a tx 1.000 M 672.0 M - 12,000,000 0 0%");
	assert_string_equal(line_with(screen_text(24), " lab-a   up"),
			    "lab-a up - copy veth 2 75.0%");
	assert_says(line_with(screen_text(24), " lab-b   up"), "10 Gbit/s nominal");
}

static void queues_of_one_thread_count_its_cpu_once(void **state)
{
	assert_float_equal(figures_queue_cpu(&lab.facts, lab.now, lab.before, 0, 1), 75, 1e-9);
	assert_float_equal(figures_port_cpu(&lab.facts, lab.now, lab.before, 0), 75, 1e-9);
	lab.now->queue[1].gauge.thread = 9;
	assert_float_equal(figures_port_cpu(&lab.facts, lab.now, lab.before, 0), 150, 1e-9);
}

static void retries_of_a_zero_copy_driver_are_not_lost_frames(void **state)
{
	struct queue_counters c;
	struct netdev_counters n;

	figures_port(&card.facts, card.now, card.baseline, 1, &c);
	figures_netdev(card.now, card.baseline, 1, &n);
	assert_int_equal(c.socket.ring_full, 77 * 12);
	/* no_socket, too_long, rx_missed; the card's count began before the run. */
	assert_int_equal(figures_rx_dropped(&c, &n, MODE_ZERO_COPY), (123456 + 1 + 1000) * 12);
	assert_int_equal(figures_rx_dropped(&c, &n, MODE_COPY), (123456 + 1 + 1000 + 77) * 12);
	assert_says(draw(&views[DROPS], &card.in, 160, 40),
		    "in zero-copy mode retries of the driver, not frames");
}

static void a_counter_that_could_not_be_read_shows_no_huge_number(void **state)
{
	memset(&lab.now->queue[3].socket, 0, sizeof(lab.now->queue[3].socket));
	memset(&lab.now->port, 0, sizeof(lab.now->port));
	lab.before->port[0].netdev.rx_missed = lab.baseline->port[0].netdev.rx_missed = 500;
	for (int v = 0; views[v].name; v++) {
		assert_says_not(draw(&views[v], &lab.in, 120, 40), ",744,073,");
		assert_says_not(screen_text(40), "18.4E");
	}
}

static void every_reason_names_its_frames(void **state)
{
	static const struct {
		const char *words, *line;
	} cases[] = {
		{"worker came too late", "given up: the worker came too late 18,000 1500 0 0"},
		{"TX ring", "given up: no room in the TX ring 240 20 0 0"},
		{"refused by", "refused by the kernel on transmit 36 3 0 0"},
		{"port on transmit", "dropped by the port on transmit 144 12 0 0"},
		{"no descriptor", "no descriptor in the receiving card 0 0 12,000 1000"},
		{"without a socket", "on a queue without a socket 0 0 1,481,472 123k"},
		{"receive buffer", "longer than the receive buffer 0 0 12 1"},
		{"RX ring", "no room in the RX ring 0 0 924 77"},
		{"too late to tell", "arrived too late to tell 0 0 24 2"},
		{"multicast", "not reflected: multicast, broadcast 0 0 60 5"},
	};
	const char *text;

	card.in.fold_idle = true;
	text = draw(&views[DROPS], &card.in, 100, 40);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_string_equal(line_with(text, cases[i].words), cases[i].line);
	}
	assert_says_not(text, "corrupt"); /* folded: there are none */
	assert_says_not(text, "ARP");
}

static void reasons_that_occurred_stand_out(void **state)
{
	int row = 0;

	draw(&views[DROPS], &lab.in, 80, 24);
	for (; row < 24; row++)
		if (grid.cell[row][1].ch == 'n' && grid.cell[row][4].ch == 'r' &&
		    grid.cell[row][16].ch == 'R')
			break; /* "no room in the RX ring" */
	assert_int_not_equal(row, 24);
	assert_int_equal(grid.cell[row][1].style, STYLE_BOLD);
	assert_int_equal(grid.cell[row - 1][1].style, STYLE_DIM); /* no buffer: none */
}

static void in_a_low_window_reasons_that_occurred_come_into_sight(void **state)
{
	const char *text = draw(&views[DROPS], &lab.in, 40, 12);

	assert_string_equal(line_with(text, "ring full "), "ring full 0 12,000");
	assert_string_equal(line_with(text, "corrupt "), "corrupt 0 2");
	assert_says(text, "no other reason so far");
	assert_says_not(text, "more below");
}

static void without_drops_it_says_so(void **state)
{
	lab.in.baseline = lab.in.before = lab.now;
	lab.in.fold_idle = true;
	assert_says(draw(&views[DROPS], &lab.in, 80, 24), "no frame was dropped");
}

static void idle_queues_fold(void **state)
{
	const char *text = draw(&views[QUEUES], &card.in, 120, 40);

	assert_string_equal(line_with(text, "    7 "), "7 0 0 - ███▌··· ▏·· ███▉ 0 0 0 0 0 0");
	card.in.fold_idle = true;
	text = draw(&views[QUEUES], &card.in, 120, 40);
	assert_string_equal(line_with(text, "    7 "), "");
	assert_says(text, "5 idle queues folded (f)");
}

static void frames_behind_the_rate_and_a_dead_link_are_told(void **state)
{
	const char *text = draw(&views[OVERVIEW], &card.in, 120, 40);

	assert_says(text, "fast:enp129s0f0np0: 18,240 frames behind the wanted rate");
	assert_says(text, "fast:enp129s0f1np1: the link is down");
	assert_says_not(text, "fast:enp129s0f0np0: the link is down");
}

static void latency_names_the_peak_and_the_percentiles(void **state)
{
	const char *text = draw(&views[LATENCY], &lab.in, 80, 24);

	/* 416 values around 30 us and one 25 times as high, 1200 times; see hist_fill(). */
	assert_says(line_with(text, " lab-a  "),
		    " 12.0 us 29.8 us 37.5 us 43.1 us 750 us 750 us 500,400");
	assert_says(text, " peak ");
	assert_says(text, "M median  9 p99  ! p99.9");
	assert_says(text, "10 us");
	assert_says(text, "1 ms");
}

static void a_single_sample_still_makes_a_chart(void **state)
{
	memset(lab.now->latency, 0, sizeof(lab.now->latency));
	hist_note(&lab.now->latency[1], 3);
	assert_says(draw(&views[LATENCY], &lab.in, 80, 24), "lab-b  peak ");
	assert_says_not(screen_text(24), "lab-a  peak");
	assert_string_equal(line_with(screen_text(24), " lab-b   "),
			    "lab-b 3 ns 3 ns - - - 3 ns 1");
	memset(lab.now->latency, 0, sizeof(lab.now->latency));
	hist_note(&lab.now->latency[0], 0);
	hist_note(&lab.now->latency[0], (int64_t)HIST_MAX_NS);
	hist_note(&lab.now->latency[0], (int64_t)HIST_MAX_NS * 2);
	hist_note(&lab.now->latency[0], -5);
	assert_says(draw(&views[LATENCY], &lab.in, 120, 24), ", 1 below zero, 1 above 10 s");
	assert_says(screen_text(24), "10 s");
}

static void all_samples_of_a_histogram_are_drawn(void **state)
{
	int foot = 2 + 4 + 13,
	    columns = 0; /* below frame, table, gap, title: the last of 13 rows */

	/* One value in each of eight decades; each is in one column, or shared by two. */
	memset(lab.now->latency, 0, sizeof(lab.now->latency));
	for (int64_t ns = 10; ns < 1000000000; ns *= 10)
		hist_note(&lab.now->latency[0], ns * 3);
	draw(&views[LATENCY], &lab.in, 120, 24);
	for (int col = 0; col < 120; col++)
		columns += grid.cell[foot][col].style == STYLE_BAR;
	assert_in_range(columns, 8, 16);
	assert_int_equal(grid.cell[foot + 1][2].ch, 0x2534); /* and below it the axis */
}

static void no_latency_is_said_and_not_drawn(void **state)
{
	memset(lab.now->latency, 0, sizeof(lab.now->latency));
	assert_says(draw(&views[LATENCY], &lab.in, 80, 24),
		    "no frame with a send time of this host has arrived");
	assert_string_equal(line_with(screen_text(24), " lab-a   "), "lab-a - - - - - - 0");
}

static void pause_and_end_are_marked(void **state)
{
	assert_says_not(draw(&views[OVERVIEW], &lab.in, 80, 24), "paused");
	lab.in.paused = true;
	assert_says(draw(&views[OVERVIEW], &lab.in, 80, 24), "paused  trial 1  0:00:12");
	lab.now->final = 1;
	lab.now->trial = 3;
	assert_says(draw(&views[OVERVIEW], &lab.in, 80, 24), "ended  trial 4  0:00:12");
	view_draw_plain(&views[OVERVIEW], &lab.in, &grid);
	assert_says(screen_text(1), "final totals");
}

static void scrolling_ends_at_the_last_line(void **state)
{
	int more;

	grid_init(&grid, 12, 80, true);
	more = view_draw(&views[QUEUES], &card.in, &grid);
	assert_int_equal(more, 18 - 8); /* 2 ports + 16 queues; 12 rows - frame - titles */
	assert_says(screen_text(12), "more below");
	card.in.scroll = 1000;
	assert_int_equal(view_draw(&views[QUEUES], &card.in, &grid), more);
	assert_says(screen_text(12), "\n    7 ");
	assert_says(screen_text(12), " queue "); /* the titles stay */
	assert_says_not(screen_text(12), "more below");
}

static void help_names_every_view_and_key(void **state)
{
	const char *text = draw(NULL, &lab.in, 80, 24);

	for (const struct view *v = views; v->name; v++) {
		assert_says(text, v->name);
		assert_says(text, v->help);
	}
	assert_says(text, "space");
	assert_says(text, "reset");
	assert_says(text, "quit");
}

/* --- robustness --- */

static void no_size_garbles_a_number(void **state)
{
	const struct view_input *inputs[] = {&lab.in, &card.in};

	for (int i = 0; i < 2 * 5; i++) {
		const struct view *view = i / 2 < 4 ? &views[i / 2] : NULL;

		for (int cols = 1; cols < 140; cols++) {
			draw(view, inputs[i % 2], cols, 3 + cols % 40);
			assert_says_not(screen_text(grid.rows), "##");
		}
	}
	draw(&views[OVERVIEW], &lab.in, 0, 0);
	draw(&views[LATENCY], &lab.in, GRID_COLS_MAX, GRID_ROWS_MAX);
}

static void facts_of_a_stranger_are_not_believed(void **state)
{
	card.facts.nports = 4000000000u;
	card.facts.port[0].queues = 4000000000u;
	card.facts.port[1].first_slot = 4000000000u;
	card.facts.port[2].first_slot = 15;
	card.facts.port[2].queues = QUEUES_MAX + 1;
	card.facts.port[3].mode = (enum mode)77;
	strcpy(card.facts.port[3].name, "\033]0;owned\a");
	for (int v = 0; views[v].name; v++)
		assert_null(strpbrk(draw(&views[v], &card.in, 120, 60), "\033\a"));
	assert_int_equal(figures_ports(&card.facts), PORTS_MAX);
	assert_int_equal(figures_queues(&card.facts, card.now, 0), 16);
	assert_int_equal(figures_queues(&card.facts, card.now, 1), 0);
	assert_int_equal(figures_queues(&card.facts, card.now, 2), 1);
}

/* --- history --- */

static void feed(struct history *h, uint64_t ns, uint64_t frames)
{
	lab.now->time_ns = ns;
	lab.now->queue[0].worker.submitted = frames;
	history_add(h, lab.now, 0);
}

static void rates_span_about_a_second(void **state)
{
	struct history h = {0};

	assert_null(history_at(&h, 0));
	assert_null(history_before(&h));
	for (uint64_t i = 0; i < 40; i++) {
		feed(&h, 100000000 * i + 7, i);
		assert_int_equal(history_at(&h, 0)->time_ns, 100000000 * i + 7);
		if (i >= 10)
			assert_int_equal(history_before(&h)->time_ns, 100000000 * (i - 10) + 7);
		else if (i)
			assert_int_equal(history_before(&h)->time_ns, 7);
	}
	feed(&h, 9000000000, 41); /* after a pause: the one before, however old */
	assert_int_equal(history_before(&h)->time_ns, 3900000007);
	history_free(&h);
	history_free(&h);
}

static void totals_count_from_the_start_for_late_comers(void **state)
{
	struct history h = {0};

	lab.now->port[0].netdev.tx_dropped = 5000;
	feed(&h, 1000, 777);
	assert_int_equal(h.baseline->queue[0].worker.submitted, 0);
	assert_int_equal(h.baseline->latency[0].count, 0);
	assert_int_equal(h.baseline->port[0].netdev.tx_dropped, 5000);
	assert_int_equal(h.start_ns, 1000);
	assert_int_equal(h.reset_ns, 0);
	history_reset(&h);
	assert_int_equal(h.baseline->queue[0].worker.submitted, 777);
	assert_int_equal(h.reset_ns, 1000);
	history_free(&h);
	history_add(&h, lab.now, 400);
	assert_int_equal(h.start_ns, 400);
	history_free(&h);
}

static void counters_that_go_back_begin_a_new_baseline(void **state)
{
	struct history h = {0};

	feed(&h, 1000, 777);
	feed(&h, 2000, 778);
	feed(&h, 3000, 5);
	assert_int_equal(h.baseline->queue[0].worker.submitted, 5);
	assert_int_equal(h.reset_ns, 3000);
	assert_null(history_before(&h));
	feed(&h, 2500, 6); /* or the time */
	assert_int_equal(h.reset_ns, 2500);
	history_free(&h);
}

static void a_socket_that_could_not_be_read_begins_no_baseline(void **state)
{
	struct history h = {0};

	feed(&h, 1000, 1);
	memset(&lab.now->queue[3].socket, 0, sizeof(lab.now->queue[3].socket));
	memset(lab.now->port, 0, sizeof(lab.now->port));
	feed(&h, 2000, 1);
	assert_int_equal(h.reset_ns, 0);
	assert_non_null(history_before(&h));
	history_free(&h);
}

static void a_new_trial_forgets_the_latency_that_was_reset(void **state)
{
	struct history h = {0};
	struct hist got;

	feed(&h, 1000, 1);
	history_reset(&h);
	assert_int_equal(h.baseline->latency[0].count, 417 * 1200);
	memset(lab.now->latency, 0, sizeof(lab.now->latency));
	hist_note(&lab.now->latency[0], 44);
	lab.now->trial++;
	feed(&h, 2000, 2);
	lab.in.now = history_at(&h, 0);
	lab.in.baseline = h.baseline;
	latency_since(&lab.in, 0, &got);
	assert_int_equal(got.count, 1);
	assert_int_equal(got.max, 44);
	history_free(&h);
}

static void queues_that_appear_later_count_from_zero(void **state)
{
	struct history h = {0};
	struct queue_counters c;

	card.now->nslots = 4;
	history_add(&h, card.now, 0);
	card.now->nslots = 16;
	card.now->time_ns++;
	history_add(&h, card.now, 0);
	assert_int_equal(h.reset_ns, 0);
	figures_queue(&card.facts, history_at(&h, 0), h.baseline, 1, 0, &c);
	assert_int_equal(c.worker.submitted, 12400000ull * 12);
	history_free(&h);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(overview_looks_as_approved),
		TEST(queues_look_as_approved),
		TEST(drops_look_as_approved),
		TEST(latency_looks_as_approved),
		TEST(a_loaded_card_looks_as_approved),
		TEST(help_looks_as_approved),
		TEST(plain_text_looks_as_approved),
		TEST(rates_are_of_the_interval_and_totals_since_the_baseline),
		TEST(a_reset_begins_the_totals_anew),
		TEST(without_an_interval_rates_are_not_known),
		TEST(before_the_first_snapshot_it_says_that_it_waits),
		TEST(percent_of_line_needs_a_speed),
		TEST(queues_of_one_thread_count_its_cpu_once),
		TEST(retries_of_a_zero_copy_driver_are_not_lost_frames),
		TEST(a_counter_that_could_not_be_read_shows_no_huge_number),
		TEST(every_reason_names_its_frames),
		TEST(reasons_that_occurred_stand_out),
		TEST(in_a_low_window_reasons_that_occurred_come_into_sight),
		TEST(without_drops_it_says_so),
		TEST(idle_queues_fold),
		TEST(frames_behind_the_rate_and_a_dead_link_are_told),
		TEST(latency_names_the_peak_and_the_percentiles),
		TEST(a_single_sample_still_makes_a_chart),
		TEST(all_samples_of_a_histogram_are_drawn),
		TEST(no_latency_is_said_and_not_drawn),
		TEST(pause_and_end_are_marked),
		TEST(scrolling_ends_at_the_last_line),
		TEST(help_names_every_view_and_key),
		TEST(no_size_garbles_a_number),
		TEST(facts_of_a_stranger_are_not_believed),
		TEST(rates_span_about_a_second),
		TEST(totals_count_from_the_start_for_late_comers),
		TEST(counters_that_go_back_begin_a_new_baseline),
		TEST(a_socket_that_could_not_be_read_begins_no_baseline),
		TEST(a_new_trial_forgets_the_latency_that_was_reset),
		TEST(queues_that_appear_later_count_from_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
