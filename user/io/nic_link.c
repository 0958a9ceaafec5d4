/* SPDX-License-Identifier: MIT */
/* What changes on a port: counters, link, promiscuous mode, its XDP program. */
#include "io/clock.h"
#include "io/log.h"
#include "io/netns.h"
#include "nic_private.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if.h>
#include <linux/if_packet.h>
#include <netlink/route/link.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINK_POLL_NS 5000000ull

/* How long a link must be quiet to be trusted, before and after it was seen to change. */
#define QUIET_NS	 100000000ull
#define QUIET_CHANGED_NS 300000000ull

int nic_counters(struct nic *nic, struct port_counters *out)
{
	struct rtnl_link *link;
	int err = nic_link_get(nic, &link);

	if (err)
		return err;
	*out = (struct port_counters){
		.netdev =
			{
				.rx_packets = rtnl_link_get_stat(link, RTNL_LINK_RX_PACKETS),
				.tx_packets = rtnl_link_get_stat(link, RTNL_LINK_TX_PACKETS),
				.rx_bytes = rtnl_link_get_stat(link, RTNL_LINK_RX_BYTES),
				.tx_bytes = rtnl_link_get_stat(link, RTNL_LINK_TX_BYTES),
				.rx_dropped = rtnl_link_get_stat(link, RTNL_LINK_RX_DROPPED),
				.tx_dropped = rtnl_link_get_stat(link, RTNL_LINK_TX_DROPPED),
				.rx_missed = rtnl_link_get_stat(link, RTNL_LINK_RX_MISSED_ERR),
				.rx_errors = rtnl_link_get_stat(link, RTNL_LINK_RX_ERRORS),
				.tx_errors = rtnl_link_get_stat(link, RTNL_LINK_TX_ERRORS),
			},
		.carrier = !!(rtnl_link_get_flags(link) & IFF_LOWER_UP),
	};
	rtnl_link_put(link);
	return 0;
}

/* Protocol 0: the socket receives nothing, it only holds the membership. */
static int packet_open(void *arg)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

int nic_promiscuous(struct nic *nic)
{
	struct packet_mreq request = {
		.mr_ifindex = (int)nic->ifindex,
		.mr_type = PACKET_MR_PROMISC,
	};
	int fd;

	if (nic->packet >= 0)
		return 0;
	fd = netns_call(nic->netns, packet_open, NULL);
	if (fd < 0) {
		log_error("%s: no packet socket for promiscuous mode: %s%s", nic->text,
			  strerror(-fd), fd == -EPERM ? " (needs CAP_NET_RAW)" : "");
		return fd;
	}
	if (setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request, sizeof(request))) {
		int err = -errno;

		log_error("%s: promiscuous mode: %s", nic->text, strerror(-err));
		close(fd);
		return err;
	}
	nic->packet = fd;
	return 0;
}

static int link_look(struct nic *nic)
{
	struct rtnl_link *link;
	int err = nic_link_get(nic, &link);

	if (err)
		return err;
	nic->flags = rtnl_link_get_flags(link);
	nic->carrier = nic->flags & IFF_LOWER_UP;
	rtnl_link_get_carrier_changes(link, &nic->carrier_changes);
	rtnl_link_put(link);
	return 0;
}

static int link_not_up(const struct nic *nic, int err, uint64_t timeout_ns)
{
	if (err == -ETIMEDOUT)
		log_error("%s: no link after %.3g s: is the cable in, and the other end up?",
			  nic->text, (double)timeout_ns / 1e9);
	else if (err != -EINTR)
		log_error("%s: the port went away: %s", nic->text, strerror(-err));
	return err;
}

int nic_wait_link(struct nic *nic, uint32_t changes, uint64_t timeout_ns, const volatile int *stop)
{
	uint64_t start = clock_now(), quiet_since = start, now = start;
	uint32_t last = changes;

	for (;; clock_sleep(LINK_POLL_NS), now = clock_now()) {
		uint64_t quiet = nic->carrier_changes == changes ? QUIET_NS : QUIET_CHANGED_NS;
		int err = link_look(nic);

		if (err)
			return link_not_up(nic, err, timeout_ns);
		if (nic->carrier_changes != last) {
			last = nic->carrier_changes;
			quiet_since = now;
		}
		/*
		 * A card may drop the link a little after the call that makes it do so: an "up"
		 * counts only when it lasts. Virtual devices have no link to train.
		 */
		if (nic->carrier && (nic->kind[0] || now - quiet_since >= quiet))
			break;
		if (stop && *stop)
			return -EINTR;
		if (now - start >= timeout_ns)
			return link_not_up(nic, -ETIMEDOUT, timeout_ns);
	}
	return nic_refresh(nic); /* speed and queues may be others now */
}

struct program_query {
	int ifindex;
	uint32_t id;
};

static int program_ask(void *arg)
{
	struct program_query *query = arg;
	LIBBPF_OPTS(bpf_xdp_query_opts, opts);

	if (bpf_xdp_query(query->ifindex, 0, &opts))
		return -errno;
	query->id = opts.drv_prog_id   ? opts.drv_prog_id
		    : opts.skb_prog_id ? opts.skb_prog_id
		    : opts.hw_prog_id  ? opts.hw_prog_id
				       : opts.prog_id;
	return 0;
}

static void program_name(uint32_t id, char *name, size_t size)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		snprintf(name, size, "%.*s", (int)sizeof(info.name), info.name);
	close(fd);
}

uint32_t nic_xdp_program(struct nic *nic, char *name, size_t size)
{
	struct program_query query = {.ifindex = (int)nic->ifindex};

	if (size)
		name[0] = '\0';
	if (netns_call(nic->netns, program_ask, &query) || !query.id)
		return 0;
	if (size)
		program_name(query.id, name, size);
	return query.id;
}
