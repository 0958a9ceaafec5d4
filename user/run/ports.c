/* SPDX-License-Identifier: MIT */
#include "run/ports.h"
#include "core/frame.h"
#include "io/log.h"
#include "io/netns.h"
#include "io/priv.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINK_TIMEOUT_NS 30000000000ull
#define TAG_LEN		4

/* --- what is there, what is asked --- */

static int port_choose_queues(struct run_port *port, const struct config *config)
{
	uint32_t have = port->nic.rx_queues < port->nic.tx_queues ? port->nic.rx_queues
								  : port->nic.tx_queues;
	uint32_t n = config->queues ? config->queues : have;

	if (config->queue_ids) {
		for (uint32_t id = 0; id < QUEUES_MAX; id++) {
			if (!(config->queue_ids >> id & 1))
				continue;
			if (id >= have) {
				log_error("%s has no queue %u: its queues are 0 to %u",
					  port->nic.text, id, have - 1);
				return -EINVAL;
			}
			port->queue_id[port->queues++] = id;
		}
		return 0;
	}
	if (n > have) {
		log_error("%s has %u queue%s, not %u: use --queues %u, or more channels "
			  "(ethtool -L)",
			  port->nic.text, have, have == 1 ? "" : "s", n, have);
		return -EINVAL;
	}
	if (n > QUEUES_MAX) {
		log_warn("%s has %u queues, %u of them are driven", port->nic.text, n, QUEUES_MAX);
		n = QUEUES_MAX;
	}
	for (uint32_t id = 0; id < n; id++)
		port->queue_id[port->queues++] = id;
	return 0;
}

static void port_set_match(struct run_port *port, const struct config *config)
{
	struct match_config *m = &port->match;

	memcpy(m->mac, port->nic.mac, sizeof(m->mac));
	m->stamp_offset[0] = STAMP_OFFSET;
	m->stamp_offset[1] = STAMP_OFFSET + TAG_LEN;
	m->net_a = FRAME_NET_A;
	m->net_b = FRAME_NET_B;
	m->mode = config->match;
	memcpy(m->udp, config->match_udp, sizeof(m->udp));
}

static int port_query(struct ports *p, int i)
{
	const struct config *config = p->config;
	struct run_port *port = &p->port[i];
	bool sends = config->command == COMMAND_SEND || config->command == COMMAND_BENCH;
	int err;

	if (config->port_netns[i] != NETNS_OWN)
		err = nic_open_at(&port->nic, config->port_netns[i], config->port[i],
				  config->port[i]);
	else
		err = nic_open(&port->nic, config->port[i]);
	if (!err)
		err = nic_check(&port->nic, sends ? config->frame_bytes : 0, config->force);
	if (!err)
		err = port_choose_queues(port, config);
	if (!err)
		port_set_match(port, config);
	return err;
}

/* --- one rung --- */

static void port_close_rung(struct run_port *port)
{
	for (uint32_t q = 0; port->prog.sockets_fd > 0 && q < port->queues; q++)
		(void)prog_set_socket(&port->prog, port->queue_id[q], -1);
	/* The program goes first: closing a socket under it has crashed drivers. */
	prog_close(&port->prog);
	for (uint32_t q = 0; q < port->queues; q++)
		queue_close(&port->queue[q]);
}

static int port_load(struct ports *p, int i, bool generic)
{
	struct run_port *port = &p->port[i];
	uint8_t slot_of[QUEUES_MAX];
	struct prog_spec spec = {
		.maps = &p->maps,
		.first_slot = port->first_slot,
		.queues = port->queues,
		.slot_of = slot_of,
		.match = port->match,
		.atomic = generic,
		.metadata = true,
		.untimed = p->config->no_receive_time,
	};

	memset(slot_of, (int)port->queues, sizeof(slot_of));
	for (uint32_t q = 0; q < port->queues; q++)
		slot_of[port->queue_id[q]] = (uint8_t)q;
	if (p->engine == ENGINE_KERNEL)
		return port_load_inside(p, i, &spec);
	return prog_open(&port->prog, &spec);
}

static int port_foreign_program(struct run_port *port)
{
	char name[32] = "";
	uint32_t id = nic_xdp_program(&port->nic, name, sizeof(name));

	if (!id)
		return 0;
	log_error("%s has an XDP program already: id %u%s%s; it is left alone (remove it first: "
		  "ip link set dev %s xdp off, or end what attached it)",
		  port->nic.text, id, name[0] ? ", name " : "", name, port->nic.name);
	return -EBUSY;
}

static int port_open_queues(struct ports *p, int i, enum mode mode)
{
	struct run_port *port = &p->port[i];

	for (uint32_t q = 0; q < port->queues; q++) {
		struct queue_spec spec = {
			.nic = &port->nic,
			.queue_id = port->queue_id[q],
			.mode = mode,
			.umem = ports_umem(p, i, q),
			.part = p->bridge ? (uint32_t)i : 0,
			.parts = p->bridge ? 2 : 1,
			.rx_frames = port->rx_frames,
			.tx_frames = port->tx_frames,
			.rx_ring = port->rx_ring,
			.tx_ring = port->tx_ring,
		};
		int err = queue_open(&port->queue[q], &spec, port->why, sizeof(port->why));

		if (!err)
			err = prog_set_socket(&port->prog, port->queue_id[q],
					      queue_fd(&port->queue[q]));
		if (err)
			return err;
	}
	return 0;
}

/* Program, link, sockets in this mode, or nothing at all. */
static int port_try(struct ports *p, int i, enum mode mode)
{
	struct run_port *port = &p->port[i];
	uint32_t changes = port->nic.carrier_changes;
	char why[64] = "";
	int err = port_load(p, i, mode == MODE_GENERIC);

	if (err)
		return err;
	err = prog_attach(&port->prog, &port->nic, mode == MODE_GENERIC, why, sizeof(why));
	if (err) {
		snprintf(port->why, sizeof(port->why), "%s: %s", mode_name_in(p->engine, mode),
			 why);
		goto out;
	}
	err = nic_wait_link(&port->nic, changes, LINK_TIMEOUT_NS, p->stop);
	if (!err && p->engine == ENGINE_XSK)
		err = port_open_queues(p, i, mode);
	if (!err)
		port->mode = mode;
out:
	if (err)
		port_close_rung(port);
	return err;
}

/*
 * virtio-net has more queues while it runs a native program, unless it had all before. Those are
 * the driver's own: what is sent there in copy mode never completes (Linux 6.1), and after
 * zero-copy sockets on them the next attach is a NULL pointer in the kernel (7.3). So they are only
 * named.
 */
static void port_warn_queues(const struct ports *p, const struct run_port *port)
{
	if (p->config->queues || p->config->queue_ids || port->queues == QUEUES_MAX ||
	    port->nic.rx_queues <= port->queues)
		return;
	log_warn("%s has %u RX queues while the program is attached and %u before: frames on the "
		 "others find no socket (give it all its queues first: ethtool -L %s combined %u)",
		 port->nic.text, port->nic.rx_queues, port->queues, port->nic.name,
		 port->nic.rx_queues);
}

static bool worth_stepping_down(int err)
{
	return err == -EOPNOTSUPP || err == -EINVAL || err == -ENXIO || err == -ERANGE ||
	       err == -ENOSPC;
}

/* From mode from down to mode last, of the modes that were asked for. quiet: what failed is not
 * said. */
static int port_climb(struct ports *p, int i, enum mode from, enum mode last, bool quiet)
{
	struct run_port *port = &p->port[i];
	char first_why[sizeof(port->why)] = "";
	int err = -EOPNOTSUPP;

	for (enum mode mode = from; mode <= last; mode++) {
		err = port_foreign_program(port);
		if (err)
			return err;
		err = port_try(p, i, mode);
		if (!err) {
			snprintf(port->why, sizeof(port->why), "%s", first_why);
			port_warn_queues(p, port);
			return 0;
		}
		if (port_foreign_program(port))
			return -EBUSY;
		log_debug("%s: %s", port->nic.text, port->why);
		if (!first_why[0])
			snprintf(first_why, sizeof(first_why), "%s", port->why);
		if (!worth_stepping_down(err))
			break;
	}
	if (err != -ETIMEDOUT && err != -EINTR && port->why[0] &&
	    !(quiet && worth_stepping_down(err)))
		log_error("%s: %s%s", port->nic.text, port->why,
			  p->config->mode == MODE_AUTO ? "" : " (try --mode auto)");
	return err;
}

static void ports_close_rung(struct ports *p)
{
	for (int i = 0; i < p->n; i++)
		port_close_rung(&p->port[i]);
}

static void bridge_own(struct ports *p)
{
	for (uint32_t q = 0; q < p->port[0].queues; q++)
		for (int i = 0; i < 2; i++) {
			p->port[i].queue[q].owner[0] = &p->port[0].queue[q];
			p->port[i].queue[q].owner[1] = &p->port[1].queue[q];
		}
}

/* All ports with one engine, or none. */
static int ports_climb(struct ports *p, enum engine engine, enum mode from, enum mode last,
		       bool quiet)
{
	enum mode asked = p->config->mode;
	int err = 0;

	p->engine = engine;
	if (asked != MODE_AUTO) {
		if (asked < from || asked > last)
			return -EOPNOTSUPP;
		from = last = asked;
	}
	if (engine == ENGINE_XSK)
		err = ports_allocate(p);
	for (int i = 0; i < p->n && !err; i++)
		err = port_climb(p, i, from, last, quiet);
	if (err)
		ports_close_rung(p);
	else if (engine == ENGINE_XSK && p->bridge)
		bridge_own(p);
	return err;
}

/*
 * Zero-copy sockets where there are any; else the kernel engine, where it can do all that was
 * asked; else sockets that copy.
 */
static int ports_climb_auto(struct ports *p)
{
	int err;

	if (engine_demand(p->config)) {
		err = ports_climb(p, ENGINE_KERNEL, MODE_COPY, MODE_GENERIC, false);
		if (!err)
			engine_explain(p, engine_demand(p->config), "xsk");
		return err;
	}
	if (engine_refusal(p->config)) {
		err = ports_climb(p, ENGINE_XSK, MODE_ZERO_COPY, MODE_GENERIC, false);
		if (!err)
			engine_explain(p, engine_refusal(p->config), "kernel");
		return err;
	}
	err = ports_climb(p, ENGINE_XSK, MODE_ZERO_COPY, MODE_ZERO_COPY, true);
	if (!err) {
		engine_explain(p, "zero-copy is obtained", "kernel");
		return 0;
	}
	if (!worth_stepping_down(err))
		return err;
	err = ports_climb(p, ENGINE_KERNEL, MODE_COPY, MODE_COPY, true);
	if (!err) {
		engine_explain(p, "no zero-copy here", "xsk, which copies every frame");
		return 0;
	}
	if (!worth_stepping_down(err))
		return err;
	err = ports_climb(p, ENGINE_XSK, MODE_COPY, MODE_GENERIC, false);
	if (!err)
		engine_explain(p, "no zero-copy here, and the kernel engine can't work", "kernel");
	return err;
}

static int ports_choose(struct ports *p)
{
	switch (p->config->engine) {
	case ENGINE_XSK:
		return ports_climb(p, ENGINE_XSK, MODE_ZERO_COPY, MODE_GENERIC, false);
	case ENGINE_KERNEL:
		return ports_climb(p, ENGINE_KERNEL, MODE_COPY, MODE_GENERIC, false);
	default:
		return ports_climb_auto(p);
	}
}

/* --- all of it --- */

int ports_open(struct ports *p, const struct config *config, const volatile int *stop)
{
	uint32_t nslots = 0;
	int err;

	memset(p, 0, sizeof(*p));
	p->config = config;
	p->stop = stop;
	p->bridge = config->command == COMMAND_REFLECT && config->nports == 2;
	/* send's second port only lends its address. */
	p->n = config->command == COMMAND_SEND ? 1 : config->nports;
	err = priv_check(config->port_netns[0] != NETNS_OWN || strchr(config->port[0], ':') ||
			 (p->n > 1 && strchr(config->port[1], ':')));
	for (int i = 0; !err && i < p->n; i++)
		err = port_query(p, i);
	if (!err && p->bridge)
		p->port[0].queues = p->port[1].queues = p->port[0].queues < p->port[1].queues
								? p->port[0].queues
								: p->port[1].queues;
	for (int i = 0; i < p->n; i++) {
		p->port[i].first_slot = nslots;
		nslots += p->port[i].queues + 1;
	}
	if (!err)
		err = prog_maps_open(&p->maps, nslots);
	if (!err)
		err = ports_templates(p);
	for (int i = 0; !err && i < p->n; i++)
		err = nic_promiscuous(&p->port[i].nic);
	if (!err)
		err = ports_choose(p);
	if (err)
		ports_close(p);
	return err;
}

int ports_step_down(struct ports *p, const char *why)
{
	enum mode lowest = MODE_ZERO_COPY;
	enum engine engine = p->engine;

	if (p->config->mode != MODE_AUTO)
		return -EOPNOTSUPP;
	for (int i = 0; i < p->n; i++)
		if (p->port[i].mode > lowest)
			lowest = p->port[i].mode;
	if (engine == ENGINE_KERNEL && p->config->engine == ENGINE_AUTO) {
		engine = ENGINE_XSK;
		lowest = MODE_ZERO_COPY; /* was refused before */
	}
	if (lowest == MODE_GENERIC)
		return -EOPNOTSUPP;
	log_warn("%s: trying %s, engine %s", why, mode_name_in(engine, lowest + 1),
		 engine_name(engine));
	ports_close_rung(p);
	return ports_climb(p, engine, lowest + 1, MODE_GENERIC, false);
}

void ports_close(struct ports *p)
{
	if (!p)
		return;
	ports_close_rung(p);
	for (int i = 0; i < p->n; i++)
		nic_close(&p->port[i].nic);
	for (uint32_t i = 0; i < p->numem; i++)
		umem_unmap(&p->umem[i]);
	prog_maps_close(&p->maps);
	memset(p, 0, sizeof(*p));
}
