/* SPDX-License-Identifier: MIT */
/*
 * The live socket of a run: SOCK_SEQPACKET at /run/xdploop/PID.sock, mode 0660, group "xdploop" if
 * there is one, else the caller's (under sudo: of who called it); $XDG_RUNTIME_DIR/xdploop/ when
 * /run is not ours. A client is sent the hello (JSON, schema "xdploop.live/1") and then snapshots;
 * nothing is read from it, a slow one skips, none can hold up the run.
 */
#ifndef IO_LIVE_H
#define IO_LIVE_H

#include "core/snapshot.h"
#include <stddef.h>
#include <sys/types.h>

#define LIVE_CLIENTS_MAX 16

struct live_server {
	int listen_fd; /* -1: no live view */
	int epoll_fd;  /* readable when a client has come or gone: poll it, call live_serve */
	int nclients;
	int client[LIVE_CLIENTS_MAX];
	const char *hello; /* the caller's: must stay until live_close */
	char path[108];
};

/*
 * Removes what killed runs left in the directory. Where nothing can be made, says so at info level
 * and leaves a server that serves nobody (all calls are fine with it, as with a zeroed one); 0.
 */
int live_open(struct live_server *s, const char *hello);
void live_serve(struct live_server *s); /* accept, send hello, drop those that left */
void live_send(struct live_server *s, const struct snapshot *snap);
void live_close(struct live_server *s); /* removes the socket */

struct live_run {
	pid_t pid;
	char path[108];
};

/* Runs alive on this host that may be looked at (dead sockets are skipped). Returns how many. */
int live_list(struct live_run *runs, int max);

/* Connect and read the hello into text (NUL-terminated). Says what is wrong; fd or -errno. */
int live_connect(const char *path, char *text, size_t size);
int live_peek(const char *path, char *text, size_t size); /* the same, silent */

/*
 * Next message, waiting at most timeout_ms: 1 and *snap filled, 0 on time-out, -ECONNRESET when
 * the run has ended, -EPROTO for a message of another size than the hello promised.
 */
int live_receive(int fd, struct snapshot *snap, size_t size, int timeout_ms);

#endif
