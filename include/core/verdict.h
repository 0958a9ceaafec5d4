/* SPDX-License-Identifier: MIT */
/* Limits on a finished run: what the user set, and what the ledger must say anyway. */
#ifndef CORE_VERDICT_H
#define CORE_VERDICT_H

#include "core/result.h"

#define LIMITS_MAX 8

enum limit_what { LIMIT_LOSS, LIMIT_LOSS_PERCENT, LIMIT_RX_PPS, LIMIT_LATENCY_P99, LIMIT_KINDS };

struct limit {
	enum limit_what what;
	bool above; /* true: fails when above value; false: when below */
	double value;
	char text[48]; /* as the user wrote it */
};

/*
 * "loss>0" (frames), "loss%>0.1", "rx_pps<1M", "p99>50us" (with its unit): the run fails when this
 * is true of any direction, or when no direction has the figure. -EINVAL for anything else.
 */
int limit_parse(const char *word, struct limit *out);

/*
 * Fill result->verdict. Status 3 when a limit is met, when unexplained is not 0 although wire_lost
 * is known, when receive_unexplained is not 0, or when frames were sent and none arrived; the
 * sentence names the first cause and where.
 */
void verdict_judge(struct result *result, const struct limit *limits, int nlimits);

#endif
