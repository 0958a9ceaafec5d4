/* SPDX-License-Identifier: MIT */
/* Network namespaces: open one by name, make one, do something inside one. */
#include "io/netns.h"
#include "io/log.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#define NETNS_DIR    "/run/netns"
#define NAMES_SHOWN  6
#define NAMES_LENGTH 512

/* The names there are, as the end of a sentence. */
static void names_list(char *text, size_t size)
{
	size_t used = 0;
	int n = 0;
	DIR *dir = opendir(NETNS_DIR);
	struct dirent *entry;

	text[0] = '\0';
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (n++ < NAMES_SHOWN)
			used += (size_t)snprintf(text + used, used < size ? size - used : 0,
						 "%s%.64s",
						 n > 1 ? ", " : "there are: ", entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (!n)
		snprintf(text, size, "there is none in %s", NETNS_DIR);
	else if (n > NAMES_SHOWN)
		snprintf(text + used, size - used, ", and %d more", n - NAMES_SHOWN);
}

static int not_opened(const char *word, int err)
{
	char names[NAMES_LENGTH];

	if (err == -ENOENT || err == -ENOTDIR) {
		names_list(names, sizeof(names));
		if (strchr(word, '/'))
			log_error("no network namespace \"%s\"", word);
		else
			log_error("no network namespace \"%s\"; %s", word, names);
		return -ENOENT;
	}
	if (err == -EINVAL)
		log_error("\"%s\" is not a network namespace: give a name in %s, or a path such "
			  "as /proc/PID/ns/net",
			  word, NETNS_DIR);
	else
		log_error("network namespace \"%s\": %s%s", word, strerror(-err),
			  err == -EACCES ? " (try sudo)" : "");
	return err;
}

int netns_open(const char *word, int *out_fd)
{
	char path[512];
	struct statfs fs;
	int fd;

	if (!*word || strlen(word) >= sizeof(path) - sizeof(NETNS_DIR))
		return not_opened(word, -EINVAL);
	snprintf(path, sizeof(path), "%s%s", strchr(word, '/') ? "" : NETNS_DIR "/", word);
	/* Looked at before it is opened: to open a device or a pipe could do or wait for things. */
	if (statfs(path, &fs))
		return not_opened(word, -errno);
	if (fs.f_type != NSFS_MAGIC)
		return not_opened(word, -EINVAL);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return not_opened(word, -errno);
	if (ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWNET) {
		close(fd);
		return not_opened(word, -EINVAL);
	}
	*out_fd = fd;
	return 0;
}

struct call {
	int netns; /* NETNS_OWN: do not move */
	int (*fn)(void *);
	void *arg;
	int result;
};

static void *call_thread(void *arg)
{
	struct call *call = arg;

	if (call->netns != NETNS_OWN && setns(call->netns, CLONE_NEWNET))
		call->result = -errno;
	else
		call->result = call->fn(call->arg);
	return NULL;
}

static int call_in_thread(struct call *call)
{
	pthread_t thread;
	int err = pthread_create(&thread, NULL, call_thread, call);

	if (err)
		return -err;
	pthread_join(thread, NULL);
	return call->result;
}

int netns_call(int fd, int (*fn)(void *), void *arg)
{
	struct call call = {.netns = fd, .fn = fn, .arg = arg};

	return fd == NETNS_OWN ? fn(arg) : call_in_thread(&call);
}

/* Runs in a thread of its own: what it leaves ends with it. Returns a descriptor. */
static int leave_and_open(void *arg)
{
	int fd;

	if (unshare(CLONE_NEWNET))
		return -errno;
	fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int netns_new(int *out_fd)
{
	struct call call = {.netns = NETNS_OWN, .fn = leave_and_open};
	int fd = call_in_thread(&call);

	if (fd < 0)
		return fd;
	*out_fd = fd;
	return 0;
}
