/* SPDX-License-Identifier: MIT */
/* What the figures were made on. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <jansson.h>

void machine_print(void);
json_t *machine_json(void);

#endif
