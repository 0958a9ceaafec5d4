/* SPDX-License-Identifier: MIT */
/* What loading the programs of the two engines has in common. */
#ifndef IO_PROG_LOAD_H
#define IO_PROG_LOAD_H

#include "io/priv.h"
#include "io/prog.h"
#include <bpf/libbpf.h>
#include <string.h>

/* The constants of bpf/program.h; skel is of either program. */
#define PROG_CONFIGURE(skel, spec)                                                             \
	do {                                                                                   \
		memcpy((void *)&(skel)->rodata->match, &(spec)->match, sizeof((spec)->match)); \
		prog_place_slots((uint8_t *)(skel)->rodata->slot_of,                           \
				 sizeof((skel)->rodata->slot_of), spec);                       \
		(skel)->rodata->nslots = (spec)->maps->nslots;                                 \
		(skel)->rodata->first_slot = (spec)->first_slot;                               \
		(skel)->bss->rest_slot = (spec)->first_slot + (spec)->queues;                  \
		(skel)->rodata->atomic = (spec)->atomic;                                       \
		(skel)->rodata->may_subtract = priv_perfmon();                                 \
	} while (0)

void prog_place_slots(uint8_t *slot_of, size_t n, const struct prog_spec *spec);

/* Where abi/match.h left a place for a stamp's offset, it is put in. */
int prog_place_stamps(struct bpf_program *program, const struct match_config *match);

/* Says why the kernel refused. */
void prog_refused(int err);

/* Loaded: what both have. */
void prog_loaded(struct prog *prog, enum engine engine, void *skel, void (*destroy)(void *),
		 const struct bpf_program *program, uint32_t *phase);

#endif
