/* SPDX-License-Identifier: MIT */
/* The place that tests make for themselves, and what they need to look around in it. */
#include "sandbox.h"
#include "io/clock.h"
#include "io/netns.h"
#include <bpf/bpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *sandbox_enter(void)
{
	if (geteuid())
		return "needs root";
	if (unshare(CLONE_NEWNET | CLONE_NEWNS))
		return "no right to make a network and a mount namespace";
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/run", "tmpfs", 0, "mode=0755"))
		return "no right to mount a file system";
	if (mkdir("/run/netns", 0755))
		return "can't write to /run";
	/* What the caller's session brings along decides about sockets and groups: not here. */
	unsetenv("SUDO_GID");
	unsetenv("XDG_RUNTIME_DIR");
	if (shell("ip link set lo up"))
		return "needs ip(8)";
	return NULL;
}

static int shell_run(void *arg)
{
	int status = system(arg);

	return WIFEXITED(status) ? WEXITSTATUS(status) : 254;
}

static int shell_va(int netns, const char *format, va_list ap)
{
	char command[1024];
	size_t used = (size_t)snprintf(command, sizeof(command),
				       "exec 2>/dev/null; PATH=$PATH:/sbin:/usr/sbin; ");

	vsnprintf(command + used, sizeof(command) - used, format, ap);
	return netns_call(netns, shell_run, command);
}

int shell(const char *format, ...)
{
	va_list ap;
	int status;

	va_start(ap, format);
	status = shell_va(NETNS_OWN, format, ap);
	va_end(ap);
	return status;
}

int shell_in(int netns, const char *format, ...)
{
	va_list ap;
	int status;

	va_start(ap, format);
	status = shell_va(netns, format, ap);
	va_end(ap);
	return status;
}

static struct {
	int file, real_stderr;
	char text[65536];
} capture;

void said_start(void)
{
	fflush(stderr);
	capture.file = memfd_create("said", MFD_CLOEXEC);
	capture.real_stderr = fcntl(2, F_DUPFD_CLOEXEC, 3);
	dup2(capture.file, 2);
}

const char *said(void)
{
	ssize_t n;

	fflush(stderr);
	dup2(capture.real_stderr, 2);
	close(capture.real_stderr);
	n = pread(capture.file, capture.text, sizeof(capture.text) - 1, 0);
	capture.text[n > 0 ? n : 0] = '\0';
	close(capture.file);
	return capture.text;
}

int in_child(int (*fn)(void *), void *arg)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(fn(arg));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 254;
	return WEXITSTATUS(status);
}

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static int descriptors_before;

int port_setup(void **state)
{
	descriptors_before = descriptors();
	return shell("ip link add t0 type veth peer name t1 && ip link set t0 up && "
		     "ip link set t1 up");
}

int port_teardown(void **state)
{
	shell("ip link del t0 || ip link del t1"); /* either takes the other along */
	if (descriptors() == descriptors_before)
		return 0;
	print_error("%d descriptors are open, %d before\n", descriptors(), descriptors_before);
	return -1;
}

uint64_t deadline(void)
{
	return clock_now() + 10000000000ull;
}

int program_load(const char *name)
{
	struct bpf_insn pass[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, name, "MIT", pass, 2, NULL);

	assert_true(fd >= 0);
	return fd;
}
