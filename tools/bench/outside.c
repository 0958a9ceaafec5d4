/* SPDX-License-Identifier: MIT */
#include "outside.h"
#include "io/clock.h"
#include "io/log.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX 48
#define STOP_NS	  6000000000ull
#define POLL_NS	  2000000ull

/* --- in the child -------------------------------------------------------------------------------
 */

static _Noreturn void give_up(const char *what)
{
	dprintf(2, "%s: %s\n", what, strerror(errno));
	_exit(127);
}

static void mount_or_give_up(const char *source, const char *root, const char *at, const char *type,
			     unsigned long flags)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root, at);
	if (mount(source, path, type, flags, NULL))
		give_up(path);
}

/* Mounts that nobody else sees; sysfs shows the network namespace it is mounted in. */
static void enter_root(const char *root)
{
	mount_or_give_up("proc", root, "/proc", "proc", 0);
	mount_or_give_up("sysfs", root, "/sys", "sysfs", 0);
	mount_or_give_up("bpf", root, "/sys/fs/bpf", "bpf", 0);
	mount_or_give_up("/dev", root, "/dev", NULL, MS_BIND | MS_REC);
	mount_or_give_up("tmpfs", root, "/run", "tmpfs", 0);
	if (chroot(root) || chdir("/"))
		give_up(root);
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", 1);
}

static _Noreturn void run(const struct outside_spec *spec)
{
	char *words = strdup(spec->command), *argv[WORDS_MAX + 1] = {}, *rest = NULL;
	int n = 0;

	signal(SIGINT, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (spec->root)
		enter_root(spec->root);
	for (char *word = strtok_r(words, " ", &rest); word && n < WORDS_MAX;
	     word = strtok_r(NULL, " ", &rest))
		argv[n++] = word;
	if (argv[0])
		execvp(argv[0], argv);
	give_up(spec->command);
}

/* The program is number 1 of its process namespace: with it goes all that it forked. */
static _Noreturn void keep(const struct outside_spec *spec, int input, int output)
{
	int status;
	pid_t pid;

	setpgid(0, 0);
	signal(SIGINT, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		give_up("input and output");
	(void)sched_setaffinity(0, sizeof(spec->cpus), &spec->cpus);
	if (setns(spec->netns, CLONE_NEWNET))
		give_up("the network namespace");
	if (unshare(CLONE_NEWNS | CLONE_NEWPID) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		give_up("a namespace of its own");
	pid = fork();
	if (!pid)
		run(spec);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		give_up("fork");
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

/* --- in the parent ------------------------------------------------------------------------------
 */

/* The other end of input stays open: to some an end of input is the word to stop. */
int outside_start(struct outside *o, const struct outside_spec *spec)
{
	int input[2];

	*o = (struct outside){.input = -1, .output = -1};
	if (pipe2(input, O_CLOEXEC))
		return -errno;
	o->input = input[1];
	o->output = memfd_create("output", MFD_CLOEXEC);
	o->pid = o->output < 0 ? -1 : fork();
	if (!o->pid)
		keep(spec, input[0], o->output);
	close(input[0]);
	if (o->pid < 0) {
		log_error("%s can't be started: %s", spec->command, strerror(errno));
		(void)outside_stop(o);
		return -EAGAIN;
	}
	(void)setpgid(o->pid, o->pid); /* here too: whoever comes first */
	return 0;
}

bool outside_ended(const struct outside *o)
{
	siginfo_t info = {};

	return waitid(P_PID, (id_t)o->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

static pid_t group_of(const char *pid)
{
	char path[64], text[512], *end;
	ssize_t n;
	int fd, group = 0;

	snprintf(path, sizeof(path), "/proc/%.16s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')'); /* the name may hold anything */
	return end && sscanf(end, ") %*c %*d %d", &group) == 1 ? group : 0;
}

void outside_find(struct outside *o)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	o->members = 0;
	while (proc && o->members < OUTSIDE_MEMBERS && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) && group_of(entry->d_name) == o->pid)
			o->member[o->members++] = atoi(entry->d_name);
	if (proc)
		closedir(proc);
}

uint64_t process_cpu(pid_t pid)
{
	struct timespec ts = {};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t outside_cpu(const struct outside *o)
{
	uint64_t ns = 0;

	for (int i = 0; i < o->members; i++)
		ns += process_cpu(o->member[i]);
	return ns;
}

void outside_words(const struct outside *o, char *text, size_t size)
{
	char tail[4096], *line;
	off_t end = lseek(o->output, 0, SEEK_END);
	off_t from = end > (off_t)sizeof(tail) - 1 ? end - (off_t)sizeof(tail) + 1 : 0;
	ssize_t n = end > 0 ? pread(o->output, tail, sizeof(tail) - 1, from) : 0;

	while (n > 0 && isspace((unsigned char)tail[n - 1]))
		n--;
	tail[n > 0 ? n : 0] = '\0';
	line = strrchr(tail, '\n');
	line = line ? line + 1 : tail;
	snprintf(text, size, "%s", line + strspn(line, " \t"));
}

int outside_stop(struct outside *o)
{
	uint64_t deadline = clock_now() + STOP_NS;
	int err = 0;

	if (o->pid > 0)
		kill(-o->pid, SIGINT);
	if (o->input >= 0)
		close(o->input); /* for one whose reading thread the signal did not reach */
	if (o->pid > 0) {
		while (!outside_ended(o)) {
			if (clock_now() > deadline) {
				kill(-o->pid, SIGKILL);
				err = -ETIMEDOUT;
			}
			clock_sleep(POLL_NS);
		}
		(void)waitpid(o->pid, NULL, 0);
	}
	if (o->output >= 0)
		close(o->output);
	*o = (struct outside){.input = -1, .output = -1};
	return err;
}
