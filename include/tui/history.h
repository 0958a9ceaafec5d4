/* SPDX-License-Identifier: MIT */
/*
 * The last snapshots, and the one that totals count from. Rates are taken over about a second, so
 * that figures can be read though the picture changes ten times as often.
 */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

#include "core/snapshot.h"

#define HISTORY_KEPT 12

struct history {
	struct snapshot *kept[HISTORY_KEPT];
	struct snapshot *baseline;
	int newest, n;
	uint64_t start_ns; /* of the run where that is known, else of the first snapshot */
	uint64_t reset_ns; /* of the baseline; 0: totals count from the start */
};

/*
 * Copy a snapshot in. start_ns: of the run; 0: not known. Totals count from the start of the run
 * also for who comes later: the first baseline is zero, but for the netdev's counters, which are
 * as old as the port. Counters that go backwards begin a new history and a new baseline.
 */
void history_add(struct history *h, const struct snapshot *snap, uint64_t start_ns);
void history_reset(struct history *h); /* totals count from now on */
void history_free(struct history *h);

/* age 0: the newest; NULL: not that many. */
const struct snapshot *history_at(const struct history *h, int age);

/* What rates are differences to: a second ago, or as near to that as there is; NULL: nothing. */
const struct snapshot *history_before(const struct history *h);

#endif
