/* SPDX-License-Identifier: MIT */
/* Watching a run of another process: its live socket, with the hello understood. */
#ifndef RUN_ATTACH_H
#define RUN_ATTACH_H

#include "core/snapshot.h"
#include <stddef.h>
#include <sys/types.h>

struct attach {
	int fd;
	struct facts facts;
	struct snapshot *snap; /* the last one received */
	size_t size;
};

/* run: a PID, a path, or NULL: the only run there is (else they are listed, -EINVAL). Says why. */
int attach_open(struct attach *a, const char *run);

/* Like live_receive: 1 a new snapshot in a->snap, 0 time-out, -ECONNRESET the run has ended. */
int attach_next(struct attach *a, int timeout_ms);
void attach_close(struct attach *a);

#endif
