/* SPDX-License-Identifier: MIT */
/* Where a run finds its ports: on this machine, or in a lab that is made for it. */
#ifndef RUN_DEMO_H
#define RUN_DEMO_H

#include "run/session.h"

/* session_run on ports that are found by their words. */
int ports_run(struct config *config, const struct session_watch *watch, struct result *out);

/*
 * session_run on the two ports of a lab that lives as long as the run; fills the ports of config.
 * lab_queues: RX and TX queues of each port. Says what is wrong; an exit status as session_run:
 * 77 when this machine gives no right to make a lab or has no veth. *out is then all zero.
 */
int demo_run(struct config *config, uint32_t lab_queues, const struct session_watch *watch,
	     struct result *out);

#endif
