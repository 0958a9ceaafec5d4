/* SPDX-License-Identifier: MIT */
/*
 * A network interface: facts, counters, link. By netlink and the ethtool calls on sockets that
 * were made in its namespace; sysfs is not used (it shows the namespace it was mounted in).
 */
#ifndef IO_NIC_H
#define IO_NIC_H

#include "core/snapshot.h"
#include <net/if.h>

struct nl_sock;

struct nic {
	char text[64]; /* "[NETNS:]NAME" as the user wrote it: for messages */
	char name[IF_NAMESIZE];
	int netns; /* NETNS_OWN, or a descriptor that the nic owns */
	unsigned ifindex;

	/* facts, read by nic_open and again by nic_refresh */
	char driver[32], driver_version[32], firmware[32], bus[32];
	char kind[16]; /* rtnl kind: "veth", "bond", "vlan", "bridge", ""; */
	uint8_t mac[6];
	unsigned flags; /* IFF_* */
	bool wireless, loopback, ethernet;
	uint32_t mtu;
	uint32_t rx_queues, tx_queues; /* in use, where the driver says so; else allocated */
	uint32_t rx_ring, tx_ring;     /* 0: the driver does not say */
	uint64_t speed_bps;	       /* 0: unknown */
	bool speed_nominal;	       /* a virtual device: the number means nothing */
	bool carrier;
	uint32_t carrier_changes;

	struct nl_sock *netlink; /* opened in the namespace */
	int control;		 /* datagram socket for ethtool calls, in the namespace */
	int packet;		 /* packet socket that holds promiscuous mode; -1: none */
};

/* word is "[NETNS:]NAME". Says what is wrong; -ENODEV, -ENOENT, -EPERM, ... */
int nic_open(struct nic *nic, const char *word);

/* The same for a name in a namespace that is already open; duplicates the descriptor. */
int nic_open_at(struct nic *nic, int netns, const char *name, const char *text);

int nic_refresh(struct nic *nic);
void nic_close(struct nic *nic); /* NULL-safe, half-open-safe: zeroed struct is fine */

/*
 * May a test run on it? One line with the remedy and -EINVAL for loopback, bond, bridge, VLAN,
 * wireless, not Ethernet; -ENETDOWN when it is down; -EBUSY when it carries the default route and
 * force is not set; -EMSGSIZE when frames of frame_bytes (with FCS) exceed its MTU.
 */
int nic_check(struct nic *nic, uint32_t frame_bytes, bool force);

/* Netdev counters and carrier now. Silent; negative errno when the device is gone. */
int nic_counters(struct nic *nic, struct port_counters *out);

/* Promiscuous mode by a packet socket membership: it ends with the process. */
int nic_promiscuous(struct nic *nic);

/*
 * After an attach or bind: many drivers take the link down and up again. Returns 0 once the link
 * is up and stayed so; -ETIMEDOUT, said, when it is still down at the deadline; stops early
 * (-EINTR) when *stop becomes nonzero. changes: nic->carrier_changes before the attach.
 */
int nic_wait_link(struct nic *nic, uint32_t changes, uint64_t timeout_ns, const volatile int *stop);

/* Another XDP program on the port? 0: none; else its id, and its name where it may be read. */
uint32_t nic_xdp_program(struct nic *nic, char *name, size_t size);

#endif
