/* SPDX-License-Identifier: MIT */
/* What this process may do, and how much memory it may pin. */
#ifndef IO_PRIV_H
#define IO_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * CAP_NET_RAW, CAP_NET_ADMIN and CAP_BPF (or CAP_SYS_ADMIN) there? other_netns: CAP_SYS_ADMIN too.
 * If not: one line that names the missing ones and how to get them, -EPERM.
 */
int priv_check(bool other_netns);

/* May a BPF program of ours subtract pointers (CAP_PERFMON, or CAP_SYS_ADMIN)? */
bool priv_perfmon(void);

/*
 * Bytes this process may pin for UMEMs, all registrations together: UINT64_MAX with CAP_IPC_LOCK
 * or no limit. Raises RLIMIT_MEMLOCK as far as it is allowed. The limit is per user, and what this
 * user's other processes have pinned can't be seen: ENOBUFS may come earlier.
 */
uint64_t priv_memlock(void);

#endif
