/* SPDX-License-Identifier: MIT */
#include "present.h"
#include "io/log.h"
#include "outside.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Does the help of the command name the option? */
static bool knows(const char *program, enum work work, const char *option)
{
	char command[PATH_MAX + 64], line[256];
	size_t len = strlen(option);
	bool found = false;
	FILE *help;

	snprintf(command, sizeof(command), "'%s' %s --help 2>/dev/null", program, work_name(work));
	help = popen(command, "re");
	while (help && fgets(line, sizeof(line), help)) {
		const char *at = strstr(line, option);

		if (at && !isalpha((unsigned char)at[len]) && at[len] != '-')
			found = true;
	}
	if (help)
		pclose(help);
	return found;
}

static bool installed(const char *root, const char *command)
{
	static const char *const folders[] = {"usr/local/bin", "usr/sbin", "usr/bin"};
	size_t len = strcspn(command, " ");
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s/%.*s", root, folders[i], (int)len, command);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

int present(const struct subject *s, const struct course *course, uint32_t queues, char *why,
	    size_t size)
{
	why[0] = '\0';
	if (s->kind == PEER && !course->root)
		snprintf(why, size, "the peers are not here: make bench-peers");
	else if (s->kind == PEER && !installed(course->root, s->command))
		snprintf(why, size, "not installed in %s", course->root);
	else if (s->needs && !knows(course->program, s->work, s->needs))
		snprintf(why, size, "this xdploop knows no %s", s->needs);
	else if (s->one_queue && queues > 1)
		snprintf(why, size, "drives one queue only");
	return why[0] ? -ENOENT : 0;
}

uint64_t kernel_softirq_cpu(void)
{
	static pid_t threads[256];
	static int n = -1;
	uint64_t ns = 0;

	if (n < 0) {
		DIR *proc = opendir("/proc");
		struct dirent *entry;

		for (n = 0; proc && n < 256 && (entry = readdir(proc));) {
			char path[64], name[32] = "";
			FILE *f;

			snprintf(path, sizeof(path), "/proc/%.16s/comm", entry->d_name);
			f = isdigit((unsigned char)entry->d_name[0]) ? fopen(path, "re") : NULL;
			if (f && fgets(name, sizeof(name), f) && !strncmp(name, "ksoftirqd/", 10))
				threads[n++] = atoi(entry->d_name);
			if (f)
				fclose(f);
		}
		if (proc)
			closedir(proc);
	}
	for (int i = 0; i < n; i++)
		ns += process_cpu(threads[i]);
	return ns;
}

int course_cpus(struct course *course, uint32_t queues)
{
	int cpus[2 * 2] = {}, n = 0;
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -errno;
	for (int cpu = 0; cpu < CPU_SETSIZE && n < 4; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			cpus[n++] = cpu;
	if (!n) {
		log_error("there is no CPU to run on");
		return -EINVAL;
	}
	for (uint32_t i = 0; i < queues; i++) {
		course->feeder_cpus[i] = cpus[(int)i % n];
		course->worker_cpus[i] = cpus[(int)(i + queues) % n];
	}
	return 0;
}
