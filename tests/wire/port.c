// SPDX-License-Identifier: MIT
#include "port.h"
#include <endian.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

#define SOCKET_BYTES (64 << 20)
#define SEND_TRIES   10000
#define ROOM_MS	     5000

void die(const char *what)
{
	fprintf(stderr, "wire: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void set(int fd, int level, int option, const void *value, socklen_t len, const char *what)
{
	if (setsockopt(fd, level, option, value, len))
		die(what);
}

static int interface_open(const char *name)
{
	const int one = 1, bytes = SOCKET_BYTES;
	struct packet_mreq promiscuous = {.mr_type = PACKET_MR_PROMISC};
	struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htobe16(ETH_P_ALL)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		die("socket");
	at.sll_ifindex = (int)if_nametoindex(name);
	if (!at.sll_ifindex)
		die(name);
	promiscuous.mr_ifindex = at.sll_ifindex;
	set(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one), "PACKET_IGNORE_OUTGOING");
	set(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one), "PACKET_QDISC_BYPASS");
	set(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes), "SO_RCVBUFFORCE");
	set(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes), "SO_SNDBUFFORCE");
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)))
		die(name);
	set(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof(promiscuous),
	    "PACKET_ADD_MEMBERSHIP");
	return fd;
}

static void unix_address(struct sockaddr_un *at, const char *path, size_t len)
{
	*at = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (!len || len >= sizeof(at->sun_path)) {
		errno = ENAMETOOLONG;
		die(path);
	}
	memcpy(at->sun_path, path, len);
}

/* Connected, so that poll knows when the peer has room again. */
static int unix_open(const char *paths)
{
	const char *colon = strchr(paths, ':');
	struct sockaddr_un mine, peer;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		die("socket");
	if (!colon) {
		errno = EINVAL;
		die(paths);
	}
	unix_address(&mine, paths, (size_t)(colon - paths));
	unix_address(&peer, colon + 1, strlen(colon + 1));
	unlink(mine.sun_path);
	if (bind(fd, (struct sockaddr *)&mine, sizeof(mine)))
		die(mine.sun_path);
	if (connect(fd, (struct sockaddr *)&peer, sizeof(peer)))
		die(peer.sun_path);
	return fd;
}

void wire_port_open(struct wire_port *port, const char *name)
{
	port->name = name;
	port->interface = strncmp(name, "unix:", 5) != 0;
	port->fd = port->interface ? interface_open(name) : unix_open(name + 5);
}

static bool interface_send(int fd, const uint8_t *data, size_t len)
{
	for (int i = 0; i < SEND_TRIES; i++) {
		if (send(fd, data, len, 0) >= 0)
			return true;
		if (errno != ENOBUFS && errno != EAGAIN && errno != EBUSY)
			return false;
		sched_yield();
	}
	return false;
}

bool wire_port_send(const struct wire_port *port, const uint8_t *data, size_t len)
{
	struct pollfd room = {port->fd, POLLOUT, 0};

	if (port->interface)
		return interface_send(port->fd, data, len);
	while (send(port->fd, data, len, 0) < 0)
		if (errno != EAGAIN || poll(&room, 1, ROOM_MS) <= 0)
			return false;
	return true;
}

uint64_t wire_port_overrun(const struct wire_port *port)
{
	struct tpacket_stats stats;
	socklen_t len = sizeof(stats);

	if (!port->interface)
		return 0; /* whoever sends to a full datagram socket is told */
	if (getsockopt(port->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len))
		die("PACKET_STATISTICS");
	return stats.tp_drops;
}
