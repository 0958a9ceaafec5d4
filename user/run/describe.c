/* SPDX-License-Identifier: MIT */
/* What the opened ports are, for the result and for the live view. */
#include "run/ports.h"
#include <stdio.h>
#include <string.h>

static void describe_port(const struct ports *p, int i, struct result_port *out)
{
	const struct run_port *port = &p->port[i];
	const struct nic *nic = &port->nic;

	memcpy(out->name, nic->text, sizeof(out->name));
	memcpy(out->driver, nic->driver, sizeof(out->driver));
	memcpy(out->driver_version, nic->driver_version, sizeof(out->driver_version));
	memcpy(out->firmware, nic->firmware, sizeof(out->firmware));
	memcpy(out->bus, nic->bus, sizeof(out->bus));
	memcpy(out->mac, nic->mac, sizeof(out->mac));
	memcpy(out->why, port->why, sizeof(out->why));
	out->mtu = nic->mtu;
	out->speed_bps = nic->speed_bps;
	out->speed_nominal = nic->speed_nominal;
	out->asked = p->config->mode;
	out->mode = port->mode;
	out->engine = p->engine;
	out->rx_queues = nic->rx_queues;
	out->tx_queues = nic->tx_queues;
	out->queues = port->queues;
	memcpy(out->queue_id, port->queue_id, sizeof(out->queue_id));
	out->nic_rx_ring = nic->rx_ring;
	out->nic_tx_ring = nic->tx_ring;
	out->program_id = port->prog.id;
	if (p->engine == ENGINE_KERNEL)
		return;
	out->rx_ring = port->rx_ring;
	out->tx_ring = port->tx_ring;
	out->fill_ring = port->rx_frames;
	out->completion_ring = port->tx_ring;
	out->umem_frames = port->rx_frames + port->tx_frames;
	out->umem_chunk = p->chunk;
	out->tx_budget = queue_tx_budget(&port->queue[0]);
}

void ports_describe(const struct ports *p, struct result *result)
{
	result->nports = (uint32_t)p->n;
	for (int i = 0; i < p->n; i++)
		describe_port(p, i, &result->port[i]);
}

void ports_facts(const struct ports *p, struct facts *facts)
{
	facts->nports = (uint32_t)p->n;
	facts->nslots = p->maps.nslots;
	for (int i = 0; i < p->n; i++) {
		const struct run_port *port = &p->port[i];
		struct facts_port *f = &facts->port[i];

		memcpy(f->name, port->nic.text, sizeof(f->name));
		memcpy(f->driver, port->nic.driver, sizeof(f->driver));
		f->engine = p->engine;
		f->mode = port->mode;
		f->speed_bps = port->nic.speed_bps;
		f->speed_nominal = port->nic.speed_nominal;
		f->queues = port->queues;
		f->first_slot = port->first_slot;
		memcpy(f->queue_id, port->queue_id, sizeof(f->queue_id));
	}
}
