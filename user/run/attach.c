/* SPDX-License-Identifier: MIT */
#include "run/attach.h"
#include "io/live.h"
#include "io/log.h"
#include "report/report.h"
#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELLO_SIZE 65536
#define RUNS_MAX   32
#define RUN_DIR	   "/run/xdploop" /* where a run lives unless it could not write there */

/* May not be connected to: say who may. */
static int say_denied(const char *path)
{
	const struct passwd *user;
	const struct group *group;
	struct stat st;

	if (stat(path, &st))
		return -EACCES;
	user = getpwuid(st.st_uid);
	group = getgrgid(st.st_gid);
	if (st.st_gid && group)
		log_error("can't watch %s: only user %s and members of group %s may (use sudo, or "
			  "ask to be put into that group)",
			  path, user ? user->pw_name : "of its owner", group->gr_name);
	else
		log_error("can't watch %s: only user %s may (use sudo; where there is a group "
			  "xdploop, its members may watch)",
			  path, user ? user->pw_name : "of its owner");
	return -EACCES;
}

/* Connect and understand the hello; the descriptor or -errno. */
static int run_connect(const char *path, struct facts *facts)
{
	char why[160] = "", *text;
	int fd = -ENOMEM, ret;

	if (access(path, W_OK) && errno == EACCES)
		return say_denied(path);
	text = malloc(HELLO_SIZE);
	if (text)
		fd = live_connect(path, text, HELLO_SIZE);
	else
		log_error("no memory to watch %s", path);
	if (fd < 0)
		goto out;
	ret = report_hello_parse(text, facts, why, sizeof(why));
	if (ret) {
		log_error("can't watch %s: %s", path, *why ? why : "it is no run of xdploop");
		close(fd);
		fd = ret;
	}
out:
	free(text);
	return fd;
}

/* No run may be watched: is there one that only others may? */
static int say_none(void)
{
	int ret = -ENOENT;
	glob_t found;

	if (!glob(RUN_DIR "/*.sock", 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc && ret == -ENOENT; i++)
			if (access(found.gl_pathv[i], W_OK) && errno == EACCES)
				ret = say_denied(found.gl_pathv[i]);
		globfree(&found);
	}
	if (ret == -ENOENT)
		log_error("no xdploop is running on this machine (start one, as: xdploop demo)");
	return ret;
}

static int say_several(const struct live_run *runs, int n)
{
	log_error("%d runs can be watched: say which, as xdploop monitor %d", n, runs[0].pid);
	for (int i = 0; i < n; i++) {
		struct facts facts;
		int fd = run_connect(runs[i].path, &facts);

		if (fd < 0)
			continue;
		close(fd);
		log_error("%7d  %s", runs[i].pid, facts.title);
	}
	return -EINVAL;
}

/* Find the socket of a run; path has room for one. */
static int find_run(const char *run, char *path, size_t size)
{
	struct live_run runs[RUNS_MAX];
	int n;

	if (run && strchr(run, '/')) {
		if (strlen(run) >= size) {
			log_error("can't watch %s: the name is too long for a socket", run);
			return -ENAMETOOLONG;
		}
		snprintf(path, size, "%s", run);
		return 0;
	}
	n = live_list(runs, RUNS_MAX);
	if (!run && !n)
		return say_none();
	if (!run && n > 1)
		return say_several(runs, n);
	for (int i = 0; i < n; i++) {
		if (run && strtol(run, NULL, 10) != runs[i].pid)
			continue;
		snprintf(path, size, "%s", runs[i].path);
		return 0;
	}
	snprintf(path, size, RUN_DIR "/%s.sock", run); /* whoever connects says why not */
	return 0;
}

int attach_open(struct attach *a, const char *run)
{
	struct attach new = {.fd = -1};
	char path[sizeof(((struct live_run *)0)->path)];
	int ret = find_run(run, path, sizeof(path));

	if (ret)
		return ret;
	new.fd = run_connect(path, &new.facts);
	if (new.fd < 0)
		return new.fd;
	new.size = snapshot_size(new.facts.nslots);
	new.snap = calloc(1, new.size);
	if (!new.snap) {
		log_error("no memory to watch %s", path);
		close(new.fd);
		return -ENOMEM;
	}
	*a = new;
	return 0;
}

int attach_next(struct attach *a, int timeout_ms)
{
	return live_receive(a->fd, a->snap, a->size, timeout_ms);
}

void attach_close(struct attach *a)
{
	close(a->fd);
	free(a->snap);
	*a = (struct attach){.fd = -1};
}
