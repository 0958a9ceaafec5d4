/* SPDX-License-Identifier: MIT */
/*
 * The life of a run: check, load, attach, wait for the link, open sockets, run trials, drain, tear
 * down in reverse, result. Every wait has a deadline or ends with a signal.
 */
#ifndef RUN_SESSION_H
#define RUN_SESSION_H

#include "core/result.h"
#include "run/config.h"

/* What a run tells while it lives. All called from the thread that called session_run. */
struct session_watch {
	void *ctx;
	void (*start)(void *ctx, const struct facts *facts);	/* ports are open */
	void (*sample)(void *ctx, const struct snapshot *snap); /* 10 times a second */
	void (*interval)(void *ctx, const char *trial, uint64_t since_ns,
			 const struct snapshot *now,
			 const struct snapshot *before); /* every config.interval_ns */
	bool (*keys)(void *ctx);			 /* fd is readable; true: stop the run */
	int fd;						 /* -1: none */
};

/*
 * Run to the end, or until SIGINT, SIGTERM or SIGHUP (blocked and read from a signalfd). Says what
 * went wrong. *out is filled as far as the run came, on failure too; free it with
 * session_result_free. Returns an exit status: 0, 1, 3 or 77.
 */
int session_run(const struct config *config, const struct session_watch *watch, struct result *out);
void session_result_free(struct result *result);

#endif
