/* SPDX-License-Identifier: MIT */
#include "machine.h"
#include "feed.h"
#include "io/host.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLAWS "/sys/devices/system/cpu/vulnerabilities"

/* The first line of a file, "" if it can't be read. */
static void first_line(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "re");

	if (!f || !fgets(out, (int)size, f))
		out[0] = '\0';
	if (f)
		fclose(f);
	out[strcspn(out, "\n")] = '\0';
}

static bool virtual_machine(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[4096];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, "flags", 5) && strstr(line, " hypervisor");
	if (f)
		fclose(f);
	return found;
}

/* Flaws that the kernel does something about, or could. */
static json_t *mitigations(void)
{
	struct dirent **entry = NULL;
	int n = scandir(FLAWS, &entry, NULL, alphasort);
	json_t *all = json_object();

	for (int i = 0; i < n; i++) {
		char path[512], text[256];

		snprintf(path, sizeof(path), FLAWS "/%s", entry[i]->d_name);
		first_line(path, text, sizeof(text));
		if (text[0] && strcmp(text, "Not affected"))
			json_object_set_new(all, entry[i]->d_name, json_string(text));
		free(entry[i]);
	}
	free(entry);
	return all;
}

json_t *machine_json(void)
{
	struct result_host host;
	char clock[64];

	host_describe(&host);
	first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", clock,
		   sizeof(clock));
	return json_pack("{s:s, s:s, s:i, s:b, s:s, s:s, s:s, s:o}", "cpu", host.cpu, "kernel",
			 host.kernel, "cpus", (int)host.cpus, "virtual", virtual_machine(),
			 "clocksource", clock, "bpf_compiler", feed_compiler(), "c_compiler",
			 __VERSION__, "mitigations", mitigations());
}

void machine_print(void)
{
	json_t *flaws = mitigations();
	struct result_host host;

	host_describe(&host);
	printf("%s%s, %u CPU%s, %s; BPF by %s\n", host.cpu,
	       virtual_machine() ? " (virtual machine)" : "", host.cpus, host.cpus == 1 ? "" : "s",
	       host.kernel, feed_compiler());
	for (void *i = json_object_iter(flaws); i; i = json_object_iter_next(flaws, i))
		printf("  %-24s %.72s\n", json_object_iter_key(i),
		       json_string_value(json_object_iter_value(i)));
	json_decref(flaws);
}
