/* SPDX-License-Identifier: MIT */
/* The parts of the JSON file, each made where its figures are. */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include "bench.h"
#include <jansson.h>

json_t *json_values(const double *values, int n);
json_t *json_middle(struct middle m);

json_t *table_json(const struct row *rows, int n);

#endif
