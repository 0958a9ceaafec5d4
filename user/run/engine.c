/* SPDX-License-Identifier: MIT */
#include "run/engine.h"
#include "abi/stamp.h"
#include "abi/window.h"
#include <stddef.h>

#define FLOWS_UNKNOWN  (STAMP_FLOW_MAX + 1)
#define WINDOW_UNKNOWN 1024 /* bits per flow when the number of flows is not known */
#define WINDOW_BUDGET  (1u << 22)

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

uint32_t flows_expected(const struct config *config)
{
	if (config->command == COMMAND_COUNT)
		return config->have_flows ? config->flows : FLOWS_UNKNOWN;
	return config->flows ? config->flows : 1;
}

uint32_t window_bits_for(const struct config *config)
{
	uint32_t bits = WINDOW_BITS_MIN;

	if (config->command == COMMAND_COUNT && !config->have_flows)
		return WINDOW_UNKNOWN;
	while (bits < WINDOW_BITS_MAX && bits * 2 <= WINDOW_BUDGET / flows_expected(config))
		bits *= 2;
	return bits;
}
