/* SPDX-License-Identifier: MIT */
/* An idle reflector: the program as a user starts it, on a port where nothing comes in. */
#include "bench.h"
#include "io/clock.h"
#include "io/lab.h"
#include "io/log.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WINDOW_NS 300000000ull
#define SETTLE_NS 500000000ull
#define START_NS  5000000000ull
#define POLL_NS	  10000000ull

static pid_t start(const char *program, const struct lab *lab)
{
	char port[64];
	pid_t pid;
	int null;

	snprintf(port, sizeof(port), "/proc/%d/fd/%d:%s", (int)getpid(),
		 lab->netns[lab->port[1].netns], lab->port[1].name);
	pid = fork();
	if (pid)
		return pid;
	null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	execl(program, program, "-q", "reflect", port, (char *)NULL);
	fprintf(stderr, "%s: %s\n", program, strerror(errno));
	_exit(127);
}

static bool ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) == pid;
}

/* Until its program is attached, and then a while. */
static int started(pid_t pid, struct nic *nic)
{
	uint64_t give_up = clock_now() + START_NS;

	while (!nic_xdp_program(nic, NULL, 0)) {
		if (ended(pid))
			return -ECHILD;
		if (clock_now() > give_up)
			return -ETIMEDOUT;
		clock_sleep(POLL_NS);
	}
	clock_sleep(SETTLE_NS);
	return ended(pid) ? -ECHILD : 0;
}

static uint64_t clock_of(clockid_t id)
{
	struct timespec ts = {};

	(void)clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void stop(pid_t pid)
{
	uint64_t give_up = clock_now() + START_NS;

	kill(pid, SIGINT);
	while (!ended(pid)) {
		if (clock_now() > give_up)
			kill(pid, SIGKILL);
		clock_sleep(POLL_NS);
	}
}

static int measure(pid_t pid, struct row *row)
{
	clockid_t cpu;
	int err = -clock_getcpuclockid(pid, &cpu);

	for (int i = 0; i < ROUNDS && !err; i++) {
		uint64_t cpu_before = clock_of(cpu), before = clock_now();

		clock_sleep(WINDOW_NS);
		row->ours[i] = 100.0 * (double)(clock_of(cpu) - cpu_before) /
			       (double)(clock_now() - before);
	}
	return err;
}

int bench_idle(struct row *row, const char *program)
{
	struct nic nic = {};
	struct lab lab;
	pid_t pid;
	int err = lab_up(&lab, LAB_PAIR, 2);

	if (err)
		return err;
	err = nic_open_at(&nic, lab.netns[lab.port[1].netns], lab.port[1].name, lab.port[1].name);
	if (err)
		goto out;
	pid = start(program, &lab);
	if (pid < 0) {
		err = -errno;
		goto out;
	}
	err = started(pid, &nic);
	if (!err)
		err = measure(pid, row);
	if (err != -ECHILD)
		stop(pid);
	if (err)
		log_error("reflect did not run: %s",
			  err == -ECHILD ? "it ended at once" : strerror(-err));
	row->done = !err;
out:
	nic_close(&nic);
	lab_down(&lab);
	return err;
}
