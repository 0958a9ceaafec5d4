/* SPDX-License-Identifier: MIT */
/* What a port needs to work inside the kernel. */
#include "io/log.h"
#include "run/ports.h"
#include <errno.h>
#include <stdio.h>

int port_load_inside(struct ports *p, int i, const struct prog_spec *prog)
{
	const struct config *config = p->config;
	struct run_port *port = &p->port[i];
	struct inside_spec spec = {
		.prog = *prog,
		.frame = ports_generate(p) ? &port->frame : NULL,
		.swap = config->swap,
		.bridge = p->bridge,
		.other_first_slot = p->port[p->bridge ? 1 - i : i].first_slot,
		.then_pass = config->then_pass,
		.flows = flows_expected(config),
		.window_bits = window_bits_for(config),
	};
	int err = inside_open(&port->prog, &spec);

	if (err == -EOPNOTSUPP) {
		snprintf(port->why, sizeof(port->why),
			 "this kernel does not take the engine's program (-v says why)");
		return err;
	}
	if (!err && ports_generate(p))
		err = inside_set_out(&port->prog, OUT_HERE, &port->nic);
	if (!err && p->bridge)
		err = inside_set_out(&port->prog, OUT_OTHER, &p->port[1 - i].nic);
	if (err == -EOPNOTSUPP)
		snprintf(port->why, sizeof(port->why), "its driver can't send by XDP");
	return err;
}

void engine_explain(const struct ports *p, const char *why, const char *other)
{
	log_info("engine %s (%s, %s): %s; the other would be %s", engine_name(p->engine),
		 mode_name_in(p->engine, p->port[0].mode), p->port[0].nic.text, why, other);
}
