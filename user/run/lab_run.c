/* SPDX-License-Identifier: MIT */
#include "io/lab.h"
#include "io/netns.h"
#include "run/demo.h"
#include <errno.h>
#include <string.h>

#define STATUS_CANNOT  1
#define STATUS_MACHINE 77 /* no port of this machine could do better */

int ports_run(struct config *config, const struct session_watch *watch, struct result *out)
{
	for (int i = 0; i < 2; i++)
		config->port_netns[i] = NETNS_OWN;
	return session_run(config, watch, out);
}

int demo_run(struct config *config, uint32_t lab_queues, const struct session_watch *watch,
	     struct result *out)
{
	struct lab lab;
	int ret;

	memset(out, 0, sizeof(*out));
	ret = lab_up(&lab, LAB_PAIR, lab_queues);
	if (ret)
		return ret == -EPERM || ret == -EOPNOTSUPP ? STATUS_MACHINE : STATUS_CANNOT;
	for (int i = 0; i < lab.nports; i++) {
		config->port[i] = lab.port[i].name;
		config->port_netns[i] = lab.netns[lab.port[i].netns];
	}
	config->nports = lab.nports;
	ret = session_run(config, watch, out);
	lab_down(&lab);
	return ret;
}
