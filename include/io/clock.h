/* SPDX-License-Identifier: MIT */
/* The only clock: CLOCK_MONOTONIC, which bpf_ktime_get_ns() reads too. */
#ifndef IO_CLOCK_H
#define IO_CLOCK_H

#include <pthread.h>
#include <stdint.h>

uint64_t clock_now(void); /* ns */

/* CPU time the thread has used, ns; 0: it has ended. Not for one that was joined. */
uint64_t clock_thread_cpu(pthread_t thread);

void clock_sleep(uint64_t ns); /* all of it, whatever signals come */

#endif
