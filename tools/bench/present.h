/* SPDX-License-Identifier: MIT */
/* What of this machine a heat depends on. */
#ifndef BENCH_PRESENT_H
#define BENCH_PRESENT_H

#include "heat.h"

/* Can it be measured here? 0, or -ENOENT and why not. */
int present(const struct subject *s, const struct course *course, uint32_t queues, char *why,
	    size_t size);

uint64_t kernel_softirq_cpu(void); /* of all ksoftirqd, ns */

#endif
