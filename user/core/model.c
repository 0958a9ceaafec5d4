/* SPDX-License-Identifier: MIT */
/* Names of the words that every room shares. */
#include "core/model.h"
#include "abi/swap.h"
#include <stddef.h>

static const char *const mode_names[MODES] = {
	[MODE_AUTO] = "auto",
	[MODE_ZERO_COPY] = "zero-copy",
	[MODE_COPY] = "copy",
	[MODE_GENERIC] = "generic",
};

static const char *const engine_names[ENGINES] = {
	[ENGINE_AUTO] = "auto",
	[ENGINE_XSK] = "xsk",
	[ENGINE_KERNEL] = "kernel",
};

static const char *const swap_names[] = {
	[SWAP_NONE] = "none",
	[SWAP_L2] = "l2",
	[SWAP_L3] = "l3",
	[SWAP_L4] = "l4",
};

const char *mode_name(enum mode mode)
{
	return (unsigned)mode < MODES ? mode_names[mode] : "?";
}

const char *mode_name_in(enum engine engine, enum mode mode)
{
	return engine == ENGINE_KERNEL && mode == MODE_COPY ? "native" : mode_name(mode);
}

const char *engine_name(enum engine engine)
{
	return (unsigned)engine < ENGINES ? engine_names[engine] : "?";
}

const char *swap_name(int swap)
{
	size_t n = sizeof(swap_names) / sizeof(swap_names[0]);

	return swap >= 0 && (size_t)swap < n ? swap_names[swap] : "?";
}
