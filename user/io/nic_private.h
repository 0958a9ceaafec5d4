/* SPDX-License-Identifier: MIT */
/* What the nic_*.c files share among themselves. */
#ifndef IO_NIC_PRIVATE_H
#define IO_NIC_PRIVATE_H

#include "io/nic.h"

struct rtnl_link;

/* nic_netlink.c */
int netlink_errno(int nlerr);		/* libnl's error to a negative errno */
int netlink_open(struct nl_sock **out); /* a route socket of the namespace the caller is in */
int nic_link_get(struct nic *nic, struct rtnl_link **out);
bool nic_is_wireless(const struct nic *nic); /* call it in the nic's namespace */

/* nic_ethtool.c: driver, queues, rings, speed */
void nic_ethtool_facts(struct nic *nic);

#endif
