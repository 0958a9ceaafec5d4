/* SPDX-License-Identifier: MIT */
/* Compare with a golden file. */
#include "golden.h"
#include "unit.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef GOLDEN_DIR
#define GOLDEN_DIR "tests/golden"
#endif
#define ACTUAL_DIR "build/golden"

static const char *directory(const char *variable, const char *otherwise)
{
	const char *dir = getenv(variable);

	return dir && *dir ? dir : otherwise;
}

static bool same_as_file(const char *path, const char *actual, size_t size)
{
	FILE *f = fopen(path, "r");
	bool same = f != NULL;
	size_t at = 0;
	int c;

	while (same && (c = fgetc(f)) != EOF) {
		same = at < size && (unsigned char)actual[at] == c;
		at++;
	}
	if (f)
		fclose(f);
	return same && at == size;
}

/* mkdir -p of the folders above path. */
static void make_folders(const char *path)
{
	char part[512];

	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0777) && errno != EEXIST)
			fail_msg("cannot make %s: %s", part, strerror(errno));
		*slash = '/';
	}
}

static void show_diff(const char *golden, const char *actual)
{
	const char *from = access(golden, R_OK) ? "/dev/null" : golden;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execlp("diff", "diff", "-u", from, actual, (char *)NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void golden_check(const char *name, const char *actual, size_t size)
{
	char golden[512], got[512];
	FILE *f;

	snprintf(golden, sizeof(golden), "%s/%s", directory("GOLDEN_DIR", GOLDEN_DIR), name);
	if (same_as_file(golden, actual, size))
		return;
	snprintf(got, sizeof(got), "%s/%s", directory("GOLDEN_ACTUAL", ACTUAL_DIR), name);
	make_folders(got);
	f = fopen(got, "w");
	if (!f || fwrite(actual, 1, size, f) != size || fclose(f))
		fail_msg("cannot write %s: %s", got, strerror(errno));
	show_diff(golden, got);
	fail_msg("%s is not what it was; if it should be so: tools/bless.sh %s 'REASON'", golden,
		 name);
}
