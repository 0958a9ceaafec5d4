/* SPDX-License-Identifier: MIT */
/* The table of roles: what each port does in each trial of a command. */
#include "run/state.h"
#include <string.h>

static const struct phase send_phases[] = {
	{
		.name = "send",
		.any_flags = true,
		.tx = {TX_GENERATE},
		.rx = {RX_COUNT},
		.ndirections = 2,
		.direction = {{0, -1, "out"}, {-1, 0, "back"}},
	},
	{},
};

static const struct phase count_phases[] = {
	{.name = "count",
	 .any_flags = true,
	 .rx = {RX_COUNT},
	 .ndirections = 1,
	 .direction = {{-1, 0, ""}}},
	{},
};

static const struct phase hairpin_phases[] = {
	{
		.name = "reflect",
		.rx = {RX_REFLECT},
		.ndirections = 2,
		.direction = {{-1, 0, "in"}, {0, -1, "out"}},
	},
	{},
};

static const struct phase bridge_phases[] = {
	{
		.name = "reflect",
		.rx = {RX_REFLECT, RX_REFLECT},
		.ndirections = 4,
		.direction = {{-1, 0, "in"}, {1, -1, "out"}, {-1, 1, "in"}, {0, -1, "out"}},
	},
	{},
};

static const struct phase bench_phases[] = {
	{
		.name = "a-to-b",
		.tx = {TX_GENERATE, TX_NONE},
		.rx = {RX_COUNT, RX_COUNT},
		.expect = {STAMP_FROM_B, 0},
		.ndirections = 1,
		.direction = {{0, 1, ""}},
	},
	{
		.name = "b-to-a",
		.tx = {TX_NONE, TX_GENERATE},
		.rx = {RX_COUNT, RX_COUNT},
		.expect = {STAMP_FROM_B, 0},
		.ndirections = 1,
		.direction = {{1, 0, ""}},
	},
	{
		.name = "both",
		.tx = {TX_GENERATE, TX_GENERATE},
		.rx = {RX_COUNT, RX_COUNT},
		.expect = {STAMP_FROM_B, 0},
		.ndirections = 2,
		.direction = {{0, 1, ""}, {1, 0, ""}},
	},
	{
		.name = "reflected",
		.tx = {TX_GENERATE, TX_NONE},
		.rx = {RX_COUNT, RX_REFLECT},
		.expect = {STAMP_REPLY, 0},
		.ndirections = 2,
		.direction = {{0, 1, "leg 1"}, {1, 0, "leg 2"}},
	},
	{},
};

const struct phase *phases_of(const struct config *config)
{
	switch (config->command) {
	case COMMAND_SEND:
		return send_phases;
	case COMMAND_COUNT:
		return count_phases;
	case COMMAND_REFLECT:
		return config->nports == 2 ? bridge_phases : hairpin_phases;
	default:
		return bench_phases;
	}
}

/* Bits of config.phases are in the order of bench_phases. */
bool phase_wanted(const struct config *config, const struct phase *phase)
{
	if (config->command != COMMAND_BENCH)
		return true;
	return config->phases >> (phase - bench_phases) & 1;
}
