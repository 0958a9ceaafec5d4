/* SPDX-License-Identifier: MIT */
/* May a test run on this port? Every refusal says what to do instead. */
#include "io/log.h"
#include "nic_private.h"
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/route/link.h>
#include <netlink/route/route.h>
#include <stdio.h>
#include <string.h>

#define ETHERNET_HEADER 14
#define UPPERS_MAX	64
#define DUMP_TRIES	3

/* Kinds of device that stand on other ports, and what to do instead. */
static const struct refusal {
	const char *kind, *what, *instead;
} refusals[] = {
	{"bond", "a bond", "give the ports it is made of, once they are taken out of it"},
	{"team", "a team of ports", "give the ports it is made of, once they are taken out of it"},
	{"bridge", "a bridge", "give the ports that are in it, once they are taken out of it"},
	{"openvswitch", "a switch", "give the ports that are in it, once they are taken out of it"},
	{"vlan", "a VLAN", "give the port below it"},
};

/* A port and everything that stands on it: its bond or bridge, VLANs on that, and so on. */
struct uppers {
	int ifindex[UPPERS_MAX];
	int n;
	int carrying; /* the one that was found to carry a default route; 0: none */
};

static bool uppers_hold(const struct uppers *u, int ifindex)
{
	for (int i = 0; i < u->n; i++)
		if (u->ifindex[i] == ifindex)
			return true;
	return false;
}

static bool uppers_add(struct uppers *u, int ifindex)
{
	if (ifindex <= 0 || u->n == UPPERS_MAX || uppers_hold(u, ifindex))
		return false;
	u->ifindex[u->n++] = ifindex;
	return true;
}

/* The device below, for the kinds whose "link" means that (veth's is its other end). */
static int lower_of(struct rtnl_link *link)
{
	static const char *const stacked[] = {"vlan", "macvlan", "macvtap", "ipvlan"};
	const char *kind = rtnl_link_get_type(link);
	int32_t netns;

	if (!kind || !rtnl_link_get_link_netnsid(link, &netns))
		return 0;
	for (size_t i = 0; i < sizeof(stacked) / sizeof(stacked[0]); i++)
		if (!strcmp(kind, stacked[i]))
			return rtnl_link_get_link(link);
	return 0;
}

static void uppers_find(struct uppers *u, struct nl_cache *links)
{
	bool more;

	do {
		more = false;
		for (struct nl_object *o = nl_cache_get_first(links); o; o = nl_cache_get_next(o)) {
			struct rtnl_link *link = (struct rtnl_link *)o;
			int ifindex = rtnl_link_get_ifindex(link);

			if (uppers_hold(u, ifindex))
				more |= uppers_add(u, rtnl_link_get_master(link));
			else if (uppers_hold(u, lower_of(link)))
				more |= uppers_add(u, ifindex);
		}
	} while (more);
}

static void hop_look(struct rtnl_nexthop *hop, void *arg)
{
	struct uppers *u = arg;
	int ifindex = rtnl_route_nh_get_ifindex(hop);

	if (uppers_hold(u, ifindex))
		u->carrying = ifindex;
}

/* One route of the dump. Full tables are long: only default routes are unpacked. */
static int route_look(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);
	const struct rtmsg *rtm = nlmsg_data(header);
	struct rtnl_route *route;

	if (header->nlmsg_type != RTM_NEWROUTE || nlmsg_datalen(header) < (int)sizeof(*rtm))
		return NL_OK;
	if (rtm->rtm_family != AF_INET && rtm->rtm_family != AF_INET6)
		return NL_OK;
	if (rtm->rtm_dst_len || rtm->rtm_type != RTN_UNICAST || rtnl_route_parse(header, &route))
		return NL_OK;
	rtnl_route_foreach_nexthop(route, hop_look, arg);
	rtnl_route_put(route);
	return NL_OK;
}

static int routes_look(struct nl_sock *sock, struct uppers *u)
{
	struct rtmsg ask = {.rtm_family = AF_UNSPEC};
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err = -NLE_NOMEM;

	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, route_look, u);
	for (int i = 0; i < DUMP_TRIES; i++) {
		err = nl_send_simple(sock, RTM_GETROUTE, NLM_F_DUMP, &ask, sizeof(ask));
		if (err >= 0)
			err = nl_recvmsgs(sock, cb);
		if (err != -NLE_DUMP_INTR) /* else the table changed meanwhile: once more */
			break;
	}
	nl_cb_put(cb);
	return netlink_errno(err < 0 ? err : 0);
}

static int default_route_check(struct nic *nic)
{
	struct uppers uppers = {.ifindex = {(int)nic->ifindex}, .n = 1};
	char through[IF_NAMESIZE + 12] = "", name[IF_NAMESIZE];
	struct nl_cache *links;
	int err = netlink_errno(rtnl_link_alloc_cache(nic->netlink, AF_UNSPEC, &links));

	if (err)
		goto out;
	uppers_find(&uppers, links);
	err = routes_look(nic->netlink, &uppers);
	if (uppers.carrying && uppers.carrying != (int)nic->ifindex &&
	    rtnl_link_i2name(links, uppers.carrying, name, sizeof(name)))
		snprintf(through, sizeof(through), " (through %s)", name);
	nl_cache_free(links);
	if (uppers.carrying) {
		log_error("%s carries the default route%s: a test would cut this machine off; give "
			  "another port, or --force if you can reach the machine without it",
			  nic->text, through);
		return -EBUSY;
	}
out:
	if (err)
		log_error("%s: can't see whether it carries the default route: %s (--force skips "
			  "this check)",
			  nic->text, strerror(-err));
	return err;
}

static int kind_check(const struct nic *nic)
{
	if (nic->loopback) {
		log_error("%s is the loopback device, no cable can be tested with it: give two "
			  "ports that a cable joins, or try \"xdploop demo\"",
			  nic->text);
		return -EINVAL;
	}
	if (nic->wireless) {
		log_error("%s is wireless and can't send frames as they are: give a port with a "
			  "cable",
			  nic->text);
		return -EINVAL;
	}
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (strcmp(nic->kind, refusals[i].kind))
			continue;
		log_error("%s is %s: %s", nic->text, refusals[i].what, refusals[i].instead);
		return -EINVAL;
	}
	if (!nic->ethernet) {
		log_error("%s is not an Ethernet port: give one that is (ip -br link shows them)",
			  nic->text);
		return -EINVAL;
	}
	return 0;
}

/* "ip link set eth0 up", in the namespace that the user's word names. */
static void remedy(const struct nic *nic, char *text, size_t size, const char *setting)
{
	const char *colon = strrchr(nic->text, ':');
	int len = colon ? (int)(colon - nic->text) : 0;

	if (!colon)
		snprintf(text, size, "ip link set %s %s", nic->name, setting);
	else if (memchr(nic->text, '/', (size_t)len))
		snprintf(text, size, "nsenter --net=%.*s ip link set %s %s", len, nic->text,
			 nic->name, setting);
	else
		snprintf(text, size, "ip -n %.*s link set %s %s", len, nic->text, nic->name,
			 setting);
}

int nic_check(struct nic *nic, uint32_t frame_bytes, bool force)
{
	uint32_t need = frame_bytes > ETHERNET_HEADER + FCS_LEN
				? frame_bytes - ETHERNET_HEADER - FCS_LEN
				: 0;
	char command[160], setting[32];
	int err = kind_check(nic);

	if (err)
		return err;
	if (!(nic->flags & IFF_UP)) {
		remedy(nic, command, sizeof(command), "up");
		log_error("%s is down: %s", nic->text, command);
		return -ENETDOWN;
	}
	if (!force) {
		err = default_route_check(nic);
		if (err)
			return err;
	}
	if (need > nic->mtu) {
		snprintf(setting, sizeof(setting), "mtu %u", need);
		remedy(nic, command, sizeof(command), setting);
		log_error("%s: frames of %u bytes need an MTU of %u, it has %u: %s, or --size %u",
			  nic->text, frame_bytes, need, nic->mtu, command,
			  nic->mtu + ETHERNET_HEADER + FCS_LEN);
		return -EMSGSIZE;
	}
	return 0;
}
