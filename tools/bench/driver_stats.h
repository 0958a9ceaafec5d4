/* SPDX-License-Identifier: MIT */
#ifndef BENCH_DRIVER_STATS_H
#define BENCH_DRIVER_STATS_H

#include "io/nic.h"

/*
 * The sum over all queues of the driver's own counters (ethtool -S) whose names end in one of the
 * words, behind a '_'. -ENOENT: it has none of them.
 */
int driver_stats_sum(const struct nic *nic, const char *const *words, uint64_t *out_sum);

#endif
