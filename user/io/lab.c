/* SPDX-License-Identifier: MIT */
/* The embedded lab: veth ports in network namespaces without a name. */
#include "io/lab.h"
#include "io/clock.h"
#include "io/log.h"
#include "io/netns.h"
#include "nic_private.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>
#include <string.h>
#include <unistd.h>

#define LINK_DEADLINE_NS 2000000000ull
#define LINK_POLL_NS	 1000000ull

enum { NS_A, NS_B, NS_C };

struct end {
	const char *name;
	int netns;
	uint8_t mac[6];
};

/* In the order of lab->port. The MACs are locally administered, and easy to tell apart. */
static const struct end pair_ends[] = {
	{"lab-a", NS_A, {0x02, 0, 0, 0, 0x0a, 0}},
	{"lab-b", NS_B, {0x02, 0, 0, 0, 0x0b, 0}},
};
static const struct end chain_ends[] = {
	{"lab-g0", NS_A, {0x02, 0, 0, 0, 0x0a, 0}},
	{"lab-d0", NS_C, {0x02, 0, 0, 0, 0x0d, 0}},
	{"lab-d1", NS_C, {0x02, 0, 0, 0, 0x0d, 1}},
	{"lab-g1", NS_B, {0x02, 0, 0, 0, 0x0b, 0}},
};

static const struct shape {
	const struct end *end;
	int nports, nnetns;
	int cable[2][2]; /* ends that are joined */
} shapes[] = {
	[LAB_PAIR] = {pair_ends, 2, 2, {{0, 1}}},
	[LAB_CHAIN] = {chain_ends, 4, 3, {{0, 1}, {3, 2}}},
};

static int setting_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno; /* a kernel without IPv6 */
	if (write(fd, value, strlen(value)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* Before there are links: else they would greet each other as soon as they come up. */
static int ipv6_off(void *arg)
{
	int err = setting_write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");

	return err ? err : setting_write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
}

static int sock_in_netns(void *arg)
{
	return netlink_open(arg);
}

static int end_fill(struct rtnl_link *link, const struct end *end, uint32_t queues)
{
	struct nl_addr *mac = nl_addr_build(AF_LLC, end->mac, sizeof(end->mac));

	if (!mac)
		return -ENOMEM;
	rtnl_link_set_name(link, end->name);
	rtnl_link_set_addr(link, mac);
	rtnl_link_set_num_rx_queues(link, queues);
	rtnl_link_set_num_tx_queues(link, queues);
	nl_addr_put(mac);
	return 0;
}

/* sock is in the namespace of the near end. */
static int cable_add(struct nl_sock *sock, const struct end *near, const struct end *far,
		     int far_netns, uint32_t queues)
{
	struct rtnl_link *link = rtnl_link_veth_alloc(), *peer;
	int err;

	if (!link)
		return -ENOMEM;
	peer = rtnl_link_veth_get_peer(link);
	err = end_fill(link, near, queues);
	if (!err)
		err = end_fill(peer, far, queues);
	if (!err) {
		rtnl_link_set_ns_fd(peer, far_netns);
		err = netlink_errno(rtnl_link_add(sock, link, NLM_F_CREATE | NLM_F_EXCL));
	}
	rtnl_link_put(peer);
	rtnl_link_put(link);
	return err;
}

static int end_up(struct nl_sock *sock, const char *name)
{
	struct rtnl_link *link, *change = rtnl_link_alloc();
	int err;

	if (!change)
		return -ENOMEM;
	err = rtnl_link_get_kernel(sock, 0, name, &link);
	if (err >= 0) {
		rtnl_link_set_flags(change, IFF_UP);
		err = rtnl_link_change(sock, link, change, 0);
		rtnl_link_put(link);
	}
	rtnl_link_put(change);
	return netlink_errno(err < 0 ? err : 0);
}

static int end_wait(struct nl_sock *sock, const char *name, uint64_t deadline)
{
	struct rtnl_link *link;
	unsigned flags;
	int err;

	for (;; clock_sleep(LINK_POLL_NS)) {
		err = rtnl_link_get_kernel(sock, 0, name, &link);
		if (err < 0)
			return netlink_errno(err);
		flags = rtnl_link_get_flags(link);
		rtnl_link_put(link);
		/* "Running" comes a moment after the carrier, with the transmit queues. */
		if (flags & IFF_LOWER_UP && flags & IFF_RUNNING)
			return 0;
		if (clock_now() >= deadline)
			return -ETIMEDOUT;
	}
}

static int netns_make(struct lab *lab, const struct shape *shape)
{
	int err;

	for (int i = 0; i < shape->nnetns; i++) {
		err = netns_new(&lab->netns[i]);
		if (err == -EPERM)
			log_error("the lab needs network namespaces, and this user may not make "
				  "any: run it with sudo");
		else if (err)
			log_error("the lab needs network namespaces, none could be made: %s",
				  strerror(-err));
		if (err)
			return err;
		err = netns_call(lab->netns[i], ipv6_off, NULL);
		if (err)
			log_warn(
				"IPv6 could not be switched off in the lab (%s): frames of its own "
				"may be counted as foreign",
				strerror(-err));
	}
	return 0;
}

static int cables_make(struct lab *lab, const struct shape *shape, struct nl_sock **sock,
		       uint32_t queues)
{
	uint64_t deadline;
	int err = 0;

	for (int i = 0; i < shape->nnetns && !err; i++)
		err = netns_call(lab->netns[i], sock_in_netns, &sock[i]);
	for (int i = 0; i < shape->nports / 2 && !err; i++) {
		const struct end *near = &shape->end[shape->cable[i][0]];
		const struct end *far = &shape->end[shape->cable[i][1]];

		err = cable_add(sock[near->netns], near, far, lab->netns[far->netns], queues);
	}
	for (int i = 0; i < shape->nports && !err; i++)
		err = end_up(sock[shape->end[i].netns], shape->end[i].name);
	deadline = clock_now() + LINK_DEADLINE_NS;
	for (int i = 0; i < shape->nports && !err; i++)
		err = end_wait(sock[shape->end[i].netns], shape->end[i].name, deadline);
	if (err == -EOPNOTSUPP)
		log_error(
			"this kernel has no veth devices, which the lab is made of (CONFIG_VETH)");
	else if (err)
		log_error("the lab's ports could not be made: %s", strerror(-err));
	return err;
}

int lab_up(struct lab *lab, enum lab_shape which, uint32_t queues)
{
	const struct shape *shape = &shapes[which];
	struct lab new = {.netns = {-1, -1, -1}, .nports = shape->nports};
	struct nl_sock *sock[3] = {};
	int err;

	for (int i = 0; i < shape->nports; i++) {
		new.port[i].name = shape->end[i].name;
		new.port[i].netns = shape->end[i].netns;
	}
	err = netns_make(&new, shape);
	if (!err)
		err = cables_make(&new, shape, sock, queues);
	for (int i = 0; i < shape->nnetns; i++)
		nl_socket_free(sock[i]);
	if (err)
		lab_down(&new);
	else
		*lab = new;
	return err;
}

void lab_down(struct lab *lab)
{
	/* A lab that is only zeroed holds nothing, and 0 would be somebody's descriptor. */
	if (!lab || !lab->nports)
		return;
	for (int i = 0; i < 3; i++)
		if (lab->netns[i] >= 0)
			close(lab->netns[i]);
	*lab = (struct lab){};
}
