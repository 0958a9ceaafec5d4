/* SPDX-License-Identifier: MIT */
/* Which engine can do what was asked. Pure: it only knows the options. */
#ifndef RUN_ENGINE_H
#define RUN_ENGINE_H

#include "run/config.h"

/* What the kernel engine can't do of what was asked, in words, and which engine can; or NULL. */
const char *engine_refusal(const struct config *config);

/* What only the kernel engine can do of what was asked, in words; or NULL. */
const char *engine_demand(const struct config *config);

/* Flows that may arrive on a port, and the bits of each flow's window for so many. */
uint32_t flows_expected(const struct config *config);
uint32_t window_bits_for(const struct config *config);

#endif
