/* SPDX-License-Identifier: MIT */
/*
 * The embedded lab: veth ports in private network namespaces that have no name, so nothing is left
 * when the process ends, however it ends. IPv6 is off in them before the link comes up.
 *
 *   LAB_PAIR   ns a: lab-a ======== lab-b :ns b
 *   LAB_CHAIN  ns a: lab-g0 === [ns c: lab-d0 lab-d1] === lab-g1 :ns b
 */
#ifndef IO_LAB_H
#define IO_LAB_H

#include "io/nic.h"

enum lab_shape { LAB_PAIR, LAB_CHAIN };

struct lab {
	int netns[3];
	int nports;
	struct {
		const char *name;
		int netns; /* index into netns */
	} port[4];
};

/*
 * queues: RX and TX queues of each port. Says what is wrong: -EPERM (no right to make a
 * namespace), -EOPNOTSUPP (no veth in this kernel).
 */
int lab_up(struct lab *lab, enum lab_shape shape, uint32_t queues);
void lab_down(struct lab *lab); /* NULL-safe; a zeroed lab is fine */

#endif
