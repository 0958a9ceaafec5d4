/* SPDX-License-Identifier: MIT */
/* "Did you mean ...?": the name that the fewest slips of the finger turn into the word. */
#include "cli/option.h"

#include <limits.h>
#include <string.h>

#define NAME_MAX_LEN 32

static int min_of(int a, int b)
{
	return a < b ? a : b;
}

/*
 * Letters to insert, drop, change or swap with their neighbour, to come from a to b. The classic
 * table of prefixes; a swap looks two rows back.
 */
static int slips(const char *a, const char *b)
{
	int row[3][NAME_MAX_LEN + 1];
	int la = (int)strlen(a), lb = (int)strlen(b);

	if (la > NAME_MAX_LEN || lb > NAME_MAX_LEN)
		return INT_MAX;
	for (int j = 0; j <= lb; j++)
		row[0][j] = j;
	for (int i = 1; i <= la; i++) {
		int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = i;
		for (int j = 1; j <= lb; j++) {
			now[j] = min_of(min_of(last[j], now[j - 1]) + 1,
					last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = min_of(now[j], before[j - 2] + 1);
		}
	}
	return row[la % 3][lb];
}

const char *nearest_name(const char *word, const char *(*name)(int i))
{
	/* A third of the letters may be wrong, else it is another word. */
	int best = (int)(strlen(word) + 1) / 3 + 1;
	const char *nearest = NULL, *candidate;

	for (int i = 0; (candidate = name(i)); i++) {
		int n = slips(word, candidate);

		if (n < best) {
			best = n;
			nearest = candidate;
		}
	}
	return nearest;
}
