/* SPDX-License-Identifier: MIT */
/* Capabilities, and the memory that may be pinned. */
#include "io/priv.h"
#include "io/log.h"
#include <cap-ng.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* CAP_SYS_ADMIN stands for what CAP_BPF was split from; for the others it does not. */
static const struct need {
	unsigned capability;
	const char *name;
	bool admin_will_do;
	bool other_netns_only;
} needs[] = {
	{CAP_NET_RAW, "CAP_NET_RAW", false, false},
	{CAP_NET_ADMIN, "CAP_NET_ADMIN", false, false},
	{CAP_BPF, "CAP_BPF", true, false},
	{CAP_SYS_ADMIN, "CAP_SYS_ADMIN (to enter another network namespace)", true, true},
};

static bool have(unsigned capability)
{
	return capng_have_capability(CAPNG_EFFECTIVE, capability);
}

bool priv_perfmon(void)
{
	return !capng_get_caps_process() && (have(CAP_PERFMON) || have(CAP_SYS_ADMIN));
}

int priv_check(bool other_netns)
{
	char missing[160];
	size_t used = 0;

	if (capng_get_caps_process()) {
		log_error("can't read the capabilities of this process: is /proc mounted?");
		return -EPERM;
	}
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		const struct need *need = &needs[i];

		if ((need->other_netns_only && !other_netns) || have(need->capability) ||
		    (need->admin_will_do && have(CAP_SYS_ADMIN)))
			continue;
		used += (size_t)snprintf(missing + used, sizeof(missing) - used, "%s%s",
					 used ? ", " : "", need->name);
	}
	if (!used)
		return 0;
	log_error("not allowed without %s: run it with sudo, or give the program the capabilities "
		  "with setcap(8)",
		  missing);
	return -EPERM;
}

uint64_t priv_memlock(void)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

	if (!setrlimit(RLIMIT_MEMLOCK, &limit))
		return UINT64_MAX;
	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return UINT64_MAX;
	if (limit.rlim_cur != limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_MEMLOCK, &limit); /* always allowed: up to the hard limit */
	}
	/* The kernel does not apply the limit to who has this capability. */
	if (!capng_get_caps_process() && have(CAP_IPC_LOCK))
		return UINT64_MAX;
	return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}
