/* SPDX-License-Identifier: MIT */
#include "io/host.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* First line of /proc/cpuinfo that begins with key. */
static void cpuinfo(const char *key, char *out, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ':');

		if (strncmp(line, key, strlen(key)) || !value)
			continue;
		value += strspn(value, ": \t");
		value[strcspn(value, "\n")] = '\0';
		snprintf(out, size, "%s", value);
		break;
	}
	if (f)
		fclose(f);
}

void host_describe(struct result_host *out)
{
	struct utsname uts = {};
	cpu_set_t cpus;

	memset(out, 0, sizeof(*out));
	(void)gethostname(out->name, sizeof(out->name) - 1);
	if (!uname(&uts))
		snprintf(out->kernel, sizeof(out->kernel), "%s %s", uts.sysname, uts.release);
	cpuinfo("model name", out->cpu, sizeof(out->cpu));
	if (!out->cpu[0])
		snprintf(out->cpu, sizeof(out->cpu), "%s", uts.machine);
	CPU_ZERO(&cpus);
	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		out->cpus = (uint32_t)CPU_COUNT(&cpus);
}

void host_time(char *text, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	if (!localtime_r(&now, &tm) || !strftime(text, size, "%Y-%m-%dT%H:%M:%S%z", &tm))
		text[0] = '\0';
}

uint16_t host_random16(void)
{
	uint16_t v = 0;

	if (getrandom(&v, sizeof(v), GRND_NONBLOCK) != sizeof(v))
		v = (uint16_t)(getpid() * 40503u);
	return v;
}

uint32_t host_cpus_count(const cpu_set_t *given, cpu_set_t *out)
{
	CPU_ZERO(out);
	if (given)
		*out = *given;
	else
		(void)sched_getaffinity(0, sizeof(*out), out);
	return (uint32_t)CPU_COUNT(out);
}
