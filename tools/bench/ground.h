/* SPDX-License-Identifier: MIT */
/*
 * Where one subject is measured: a lab of its own, what is at the other end of its cable, and the
 * feeders, one for each queue, each a thread on a CPU of its own (veth takes the queue from the
 * CPU). What arrived is read from the counters of netdev and driver, not from the subject.
 *
 *   send              subject -> g0 === d0 -> sink
 *   count             feeder -> g0 === d0 -> subject
 *   reflect           feeder -> g0 === d0 -> subject -> d0 === g0 -> sink
 *   a feeder alone    feeder -> g0 === d0 -> sink
 */
#ifndef BENCH_GROUND_H
#define BENCH_GROUND_H

#include "feed.h"
#include "io/lab.h"
#include "subjects.h"
#include <pthread.h>

#define GROUND_QUEUES 2

struct ground;

struct feeder {
	struct ground *ground;
	pthread_t thread;
	bool runs;
	struct feed feed;
	struct frame frame;
	int cpu, err;
};

enum { GROUND_G0, GROUND_D0, GROUND_D1, GROUND_G1, GROUND_PORTS };

struct ground {
	const struct subject *subject;
	uint32_t queues, size;
	struct lab lab;
	struct nic nic[GROUND_PORTS];
	struct sink sink;
	struct feeder feeder[GROUND_QUEUES];
	uint64_t fed; /* by all feeders */
	bool stop;
};

/* cpus: one for each queue. Says what is wrong. */
int ground_open(struct ground *g, const struct subject *s, uint32_t queues, uint32_t size,
		const int *cpus);
void ground_close(struct ground *g);

struct nic *ground_port(struct ground *g); /* the subject's */

int ground_feed(struct ground *g); /* start the feeders, if there are any; 0 or -errno */
void ground_feed_stop(struct ground *g);
int ground_feed_error(const struct ground *g);
uint64_t ground_feed_cpu(const struct ground *g); /* ns */

struct arrivals {
	uint64_t frames, bytes;
	uint64_t lost; /* on the way to the subject */
};

int ground_arrivals(struct ground *g, struct arrivals *out);

#endif
