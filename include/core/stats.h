/* SPDX-License-Identifier: MIT */
/* Arithmetic on histograms and counters: sums, differences, percentiles. */
#ifndef CORE_STATS_H
#define CORE_STATS_H

#include "abi/hist.h"
#include "core/snapshot.h"

void hist_add(struct hist *to, const struct hist *from);

/*
 * now - before, for an interval of a growing histogram. min and max of an interval are not known
 * exactly: they become the bounds of the lowest and highest bucket that grew.
 */
void hist_sub(const struct hist *now, const struct hist *before, struct hist *out);

/*
 * Value at quantile num/den by nearest rank (rank ceil(q * count)), as the middle of its bucket,
 * never outside min..max. UNKNOWN when empty, and above the median when fewer than 10 samples lie
 * above it (p90 needs 100, p99.9 needs 10,000).
 */
int64_t hist_quantile(const struct hist *h, uint32_t num, uint32_t den);

void worker_counters_add(struct worker_counters *to, const struct worker_counters *from);
void program_counters_add(struct program_counters *to, const struct program_counters *from);
void socket_counters_add(struct socket_counters *to, const struct socket_counters *from);

/* out = now - before for every counter; gauges are those of now. */
void queue_counters_sub(const struct queue_counters *now, const struct queue_counters *before,
			struct queue_counters *out);
void netdev_counters_sub(const struct netdev_counters *now, const struct netdev_counters *before,
			 struct netdev_counters *out);

/* Sum of refused_* rows. */
uint64_t program_refused(const struct program_counters *c);

#endif
