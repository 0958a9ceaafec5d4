/* SPDX-License-Identifier: MIT */
#include "run/engine.h"
#include <stddef.h>

const char *engine_refusal(const struct config *config)
{
	if (config->verify_full)
		return "--verify full reads whole frames, which only --engine xsk does";
	if (config->mode == MODE_ZERO_COPY)
		return "--mode zero-copy is of sockets, which only --engine xsk has";
	if (config->rx_ring || config->tx_ring)
		return "--rx-ring and --tx-ring are of sockets, which only --engine xsk has";
	return NULL;
}

const char *engine_demand(const struct config *config)
{
	if (config->then_pass)
		return "--then pass needs --engine kernel: a socket can't give frames back";
	if (config->stamp_every > 1)
		return "--stamp-every needs --engine kernel: xsk reads the clock once for a burst";
	return NULL;
}
