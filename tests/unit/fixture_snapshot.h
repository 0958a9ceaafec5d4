/* SPDX-License-Identifier: MIT */
/*
 * Fixed facts and two snapshots of a run, 100 ms apart: bench lab-a lab-b with two queues each,
 * both directions loaded, some loss, and latency histograms of a known shape. Everything a test
 * draws or prints from them is the same on every machine.
 */
#ifndef FIXTURE_SNAPSHOT_H
#define FIXTURE_SNAPSHOT_H

#include "core/snapshot.h"

#define FIXTURE_START_NS 9000000000ull /* of the trial */

void fixture_facts(struct facts *out);

/* which 0: one second into the trial, 1: 100 ms later. The caller frees it. */
struct snapshot *fixture_snapshot(int which);

/* So many values from 5 us to 248 us, bell-shaped over the logarithm around a median of 36 us. */
void fixture_hist(struct hist *h, uint64_t samples);

/* Counters of a queue that sent tx and received rx frames, with ring_full frames lost. */
void fixture_queue(struct queue_counters *q, uint32_t thread, uint64_t tx, uint64_t rx,
		   uint64_t ring_full);

#endif
