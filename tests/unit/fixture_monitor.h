/* SPDX-License-Identifier: MIT */
/*
 * Two made-up runs for the monitor's tests, with figures that are easy to check by head:
 *
 * lab:  two veth ports with two queues, 12 s after the start. Every queue sends 500,000 frames of
 *       60 bytes a second; lab-b's queue 1 loses 1,000 a second to a full RX ring.
 * card: two ports of a real card with long names, zero-copy, eight queues of which three carry
 *       traffic; something of every kind of drop, and the second link is down.
 */
#ifndef FIXTURE_MONITOR_H
#define FIXTURE_MONITOR_H

#include "tui/view.h"

struct fixture_monitor {
	struct facts facts;
	struct snapshot *baseline, *before, *now; /* 0, 11 and 12 s after the start */
	struct view_input in;			  /* of these */
};

void fixture_monitor_lab(struct fixture_monitor *f);
void fixture_monitor_card(struct fixture_monitor *f);
void fixture_monitor_free(struct fixture_monitor *f);

#endif
