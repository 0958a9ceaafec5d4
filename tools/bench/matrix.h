/* SPDX-License-Identifier: MIT */
/* All heats, and the pairs that are judged. */
#ifndef BENCH_MATRIX_H
#define BENCH_MATRIX_H

#include "heat.h"
#include <jansson.h>

#define MATRIX_HEATS (WORKS * 2 * 2)

struct matrix {
	struct course course;
	struct heat heat[MATRIX_HEATS];
	int nheats;
};

/*
 * A word takes the cells that have it: send, reflect, count; 1q, 2q; 64, 1518; ours, peer,
 * reference; a subject's name. "a,b" is a or b; all words have to fit. NULL or the word none knows.
 */
const char *words_unknown(char **words, int n);

/* Does each word name one of these? For what is measured outside the matrix. */
bool words_take(char **words, int n, const char *const *tags, size_t ntags);

/*
 * Measures the cells that the words take, all of them without words. -EIO: what is here did not
 * run; what is not here is no failure.
 */
int matrix_run(struct matrix *m, char **words, int n);

void matrix_print(const struct matrix *m);
json_t *matrix_json(const struct matrix *m);
json_t *matrix_pairs_json(const struct matrix *m);

#endif
