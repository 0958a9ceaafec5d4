/* SPDX-License-Identifier: MIT */
/* What machine this is: for the head of a result. */
#ifndef IO_HOST_H
#define IO_HOST_H

#include "core/result.h"
#include <sched.h>

void host_describe(struct result_host *out);

/* Local time with zone, ISO 8601. */
void host_time(char *text, size_t size);

/* 16 random bits (getrandom). */
uint16_t host_random16(void);

/* CPUs that threads may run on: those given, or (NULL) all that are allowed. */
uint32_t host_cpus_count(const cpu_set_t *given, cpu_set_t *out);

/* The same, but at least one: to divide by. */
static inline uint32_t host_cpus(const cpu_set_t *given, cpu_set_t *out)
{
	uint32_t n = host_cpus_count(given, out);

	return n ? n : 1;
}

#endif
