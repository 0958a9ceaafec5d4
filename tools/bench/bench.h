/* SPDX-License-Identifier: MIT */
/*
 * Speed, measured as CPU nanoseconds per frame of the threads that run the path (the kernel's work
 * inside their system calls included), and as the ratio to a reference that is measured in the same
 * process, in rounds that alternate with ours.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

#define ROUNDS	     9
#define ROUND_FRAMES 200000u /* about; whole bursts */

enum judged { JUDGED_NOT, JUDGED_RATIO, JUDGED_DIFFERENCE, JUDGED_VALUE };

/* One line of the table. ours, reference: per frame and round, in unit. */
struct row {
	const char *name, *text, *unit;
	const char *reference_text; /* NULL: there is none */
	enum judged judged;
	double target; /* at most this ratio, difference or value */
	double ours[ROUNDS], reference[ROUNDS];
	double ours_wall[ROUNDS], reference_wall[ROUNDS]; /* ns per frame; 0: says nothing */
	bool asked, done;
};

/* Each fills its rows; 0 or -errno, said. */
int bench_send(struct row *send);
int bench_count(struct row *together, struct row *apart, struct row *path);
int bench_idle(struct row *idle, const char *program);

/* Median, and ranks 2 and 8 of nine: its 95 % interval. Of fewer: the lowest and the highest. */
struct middle {
	double median, low, high;
};

struct middle middle_of(const double *values, int n);

void table_print(const struct row *rows, int n);

#endif
