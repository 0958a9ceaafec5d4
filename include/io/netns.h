/* SPDX-License-Identifier: MIT */
/*
 * Network namespaces as file descriptors. The process stays where it was: what must be created
 * inside one is created by a short-lived thread that moves there (setns(2), needs CAP_SYS_ADMIN)
 * and ends.
 */
#ifndef IO_NETNS_H
#define IO_NETNS_H

#define NETNS_OWN (-1) /* the namespace the process is in */

/*
 * word: a name under /run/netns, or a path (it holds a slash). Says what is wrong and returns
 * -ENOENT, -EACCES, -EINVAL (not a namespace).
 */
int netns_open(const char *word, int *out_fd);

/* A new one without a name: it lives as long as a descriptor, socket or task holds it. Silent. */
int netns_new(int *out_fd);

/* Call fn(arg) in the namespace (directly for NETNS_OWN) and return what it returns. */
int netns_call(int fd, int (*fn)(void *), void *arg);

#endif
