/* SPDX-License-Identifier: MIT */
/* Fixed results for tests of reports. The ledgers close, so their sums can be checked. */
#ifndef FIXTURE_RESULT_H
#define FIXTURE_RESULT_H

#include "core/result.h"

/*
 * bench over the lab: "a-to-b" as fast as it goes, with some loss and a histogram, then
 * "reflected" at a rate, stopped early, with rows that nobody could count and a flow that moved.
 */
const struct result *fixture_result(void);

/* send on a real port of unknown speed, one queue; nothing is known of what came out elsewhere. */
const struct result *fixture_result_send(void);

#endif
