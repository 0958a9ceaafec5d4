/* SPDX-License-Identifier: MIT */
/* A network interface by its word "[NETNS:]NAME": open, read its facts, close. */
#include "io/nic.h"
#include "io/log.h"
#include "io/netns.h"
#include "nic_private.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <netlink/route/link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAMES_SHOWN 6

/* Sockets belong to the namespace of the thread that makes them. */
static int sockets_open(void *arg)
{
	struct nic *nic = arg;

	nic->control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (nic->control < 0)
		return -errno;
	return netlink_open(&nic->netlink);
}

static int wireless_probe(void *arg)
{
	return nic_is_wireless(arg);
}

static void link_facts(struct nic *nic, struct rtnl_link *link)
{
	const char *kind = rtnl_link_get_type(link);
	const struct nl_addr *mac = rtnl_link_get_addr(link);
	unsigned type = rtnl_link_get_arptype(link);

	snprintf(nic->name, sizeof(nic->name), "%s", rtnl_link_get_name(link));
	snprintf(nic->kind, sizeof(nic->kind), "%s", kind ? kind : "");
	nic->ifindex = (unsigned)rtnl_link_get_ifindex(link);
	nic->flags = rtnl_link_get_flags(link);
	nic->loopback = nic->flags & IFF_LOOPBACK;
	nic->ethernet = type == ARPHRD_ETHER;
	if (mac && nl_addr_get_len(mac) == sizeof(nic->mac))
		memcpy(nic->mac, nl_addr_get_binary_addr(mac), sizeof(nic->mac));
	nic->mtu = rtnl_link_get_mtu(link);
	nic->rx_queues = rtnl_link_get_num_rx_queues(link);
	nic->tx_queues = rtnl_link_get_num_tx_queues(link);
	/* The carrier of a port that is down is what it was when it was up last: not asked. */
	nic->carrier = nic->flags & IFF_LOWER_UP;
	rtnl_link_get_carrier_changes(link, &nic->carrier_changes);
	nic_ethtool_facts(nic);
}

/* What ports there are, as the end of a sentence. */
static void names_list(struct nl_sock *sock, char *text, size_t size)
{
	struct nl_cache *links = NULL;
	size_t used = 0;
	int n = 0;

	snprintf(text, size, "there is none");
	if (rtnl_link_alloc_cache(sock, AF_UNSPEC, &links) < 0)
		return;
	for (struct nl_object *o = nl_cache_get_first(links); o; o = nl_cache_get_next(o)) {
		struct rtnl_link *link = (struct rtnl_link *)o;

		if (rtnl_link_get_flags(link) & IFF_LOOPBACK || n++ >= NAMES_SHOWN)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 n > 1 ? ", " : "there are: ", rtnl_link_get_name(link));
	}
	if (n > NAMES_SHOWN)
		snprintf(text + used, size - used, ", and %d more", n - NAMES_SHOWN);
	nl_cache_free(links);
}

static int not_opened(const struct nic *nic, int err)
{
	const char *colon = strrchr(nic->text, ':');
	char names[256];

	if (err == -ENODEV) {
		names_list(nic->netlink, names, sizeof(names));
		if (colon)
			log_error("no port \"%s\" in %.*s; %s", nic->name, (int)(colon - nic->text),
				  nic->text, names);
		else
			log_error("no port \"%s\" here; %s", nic->name, names);
	} else if (err == -EPERM) {
		log_error("%s: no right to enter its network namespace: run it with sudo",
			  nic->text);
	} else {
		log_error("%s: can't be opened: %s", nic->text, strerror(-err));
	}
	return err;
}

/* The facts on a nic whose sockets are open; by name the first time. */
static int facts_read(struct nic *nic)
{
	struct rtnl_link *link;
	int err = rtnl_link_get_kernel(nic->netlink, (int)nic->ifindex,
				       nic->ifindex ? NULL : nic->name, &link);

	if (err < 0)
		return netlink_errno(err);
	link_facts(nic, link);
	rtnl_link_put(link);
	return 0;
}

int nic_open_at(struct nic *nic, int netns, const char *name, const char *text)
{
	int err;

	*nic = (struct nic){.netns = NETNS_OWN, .control = -1, .packet = -1};
	snprintf(nic->text, sizeof(nic->text), "%s", text);
	snprintf(nic->name, sizeof(nic->name), "%s", name);
	if (netns != NETNS_OWN) {
		nic->netns = fcntl(netns, F_DUPFD_CLOEXEC, 0);
		err = nic->netns < 0 ? -errno : 0;
		if (err)
			goto out;
	}
	err = netns_call(nic->netns, sockets_open, nic);
	if (err)
		goto out;
	/* One message less for each question; errors come all the same. */
	nl_socket_disable_auto_ack(nic->netlink);
	err = facts_read(nic);
	if (err)
		goto out;
	nic->wireless = netns_call(nic->netns, wireless_probe, nic) == 1;
	return 0;
out:
	not_opened(nic, err);
	nic_close(nic);
	return err;
}

int nic_open(struct nic *nic, const char *word)
{
	const char *colon = strrchr(word, ':');
	const char *name = colon ? colon + 1 : word;
	char netns_word[sizeof(nic->text)];
	int netns = NETNS_OWN, err;

	if (!*name || colon == word) {
		log_error("\"%s\" is no port: write [NETNS:]NAME, such as eth0 or blue:eth0", word);
		return -EINVAL;
	}
	if (strlen(name) >= sizeof(nic->name)) {
		log_error("\"%s\" is no port: a name has at most %zu characters", name,
			  sizeof(nic->name) - 1);
		return -EINVAL;
	}
	if (strlen(word) >= sizeof(nic->text)) {
		log_error("\"%s\" is too long for a port: at most %zu characters", word,
			  sizeof(nic->text) - 1);
		return -EINVAL;
	}
	if (colon) {
		snprintf(netns_word, sizeof(netns_word), "%.*s", (int)(colon - word), word);
		err = netns_open(netns_word, &netns);
		if (err)
			return err;
	}
	err = nic_open_at(nic, netns, name, word);
	if (colon)
		close(netns);
	return err;
}

int nic_refresh(struct nic *nic)
{
	return facts_read(nic);
}

void nic_close(struct nic *nic)
{
	/* A nic that is only zeroed holds nothing, and 0 would be somebody's descriptor. */
	if (!nic || !nic->text[0])
		return;
	nl_socket_free(nic->netlink);
	if (nic->packet >= 0)
		close(nic->packet);
	if (nic->control >= 0)
		close(nic->control);
	if (nic->netns >= 0)
		close(nic->netns);
	*nic = (struct nic){.netns = NETNS_OWN, .control = -1, .packet = -1};
}
