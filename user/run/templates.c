/* SPDX-License-Identifier: MIT */
/* What the ports of a run send. */
#include "io/netns.h"
#include "run/ports.h"
#include <string.h>

/* send's second port only tells where the frames are to go. */
static int address_of_other(const struct config *config, uint8_t mac[6])
{
	struct nic nic;
	int err;

	if (config->port_netns[1] != NETNS_OWN)
		err = nic_open_at(&nic, config->port_netns[1], config->port[1], config->port[1]);
	else
		err = nic_open(&nic, config->port[1]);
	if (err)
		return err;
	memcpy(mac, nic.mac, 6);
	nic_close(&nic);
	return 0;
}

static int port_template(struct ports *p, int i)
{
	const struct config *config = p->config;
	struct frame_spec spec = {
		.src_ip = i ? FRAME_NET_B : FRAME_NET_A,
		.dst_ip = i ? FRAME_NET_A : FRAME_NET_B,
		.frame_bytes = p->bridge ? FRAME_BYTES_MIN : config->frame_bytes,
	};
	int err = 0;

	memcpy(spec.src_mac, p->port[i].nic.mac, 6);
	if (p->n == 2)
		memcpy(spec.dst_mac, p->port[1 - i].nic.mac, 6);
	else if (config->have_dst_mac)
		memcpy(spec.dst_mac, config->dst_mac, 6);
	else
		err = address_of_other(config, spec.dst_mac);
	return err ? err : frame_build(&spec, &p->port[i].frame);
}

int ports_templates(struct ports *p)
{
	int err = 0;

	if (!ports_generate(p))
		return 0;
	for (int i = 0; i < p->n && !err; i++)
		err = port_template(p, i);
	return err;
}
