/* SPDX-License-Identifier: MIT */
/* What the bad wire is joined to: an interface, or one end of QEMU's "dgram" netdev. */
#ifndef WIRE_PORT_H
#define WIRE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct wire_port {
	const char *name;
	int fd;		/* gives frames out that came in on the port, and takes frames to send */
	bool interface; /* a packet socket; else a datagram socket */
};

/* name: of an interface, or "unix:MINE:PEER": a socket bound to MINE that talks to PEER. */
void wire_port_open(struct wire_port *port, const char *name);

/* Waits a while for room; false when the frame could not be sent. */
bool wire_port_send(const struct wire_port *port, const uint8_t *data, size_t len);

/* Frames that came and were lost before they could be read, since the last call. */
uint64_t wire_port_overrun(const struct wire_port *port);

/* Says what failed, with errno, and ends the process. */
void die(const char *what) __attribute__((noreturn));

#endif
