/* SPDX-License-Identifier: MIT */
/* Memory for frames that knows who holds each of them, and the one lock of the fake kernel. */
#ifndef FAKE_MEMORY_H
#define FAKE_MEMORY_H

#include "io/umem.h"
#include <stdint.h>

#define FAKE_POISON 0xa5 /* bytes that nobody has written */

/* Who holds a frame. */
enum fake_place {
	PLACE_USER,
	PLACE_FILL,
	PLACE_RX,
	PLACE_TX,
	PLACE_KERNEL, /* sent, not yet completed */
	PLACE_COMPLETION,
};

/* Memory that one or two queues register. */
struct fake_memory {
	struct umem umem;
	uint8_t *place; /* enum fake_place, per chunk */
	uint64_t *sum;	/* of the bytes that were handed over to be sent, per chunk */
};

int fake_memory_map(struct fake_memory *m, uint32_t frames, uint32_t chunk);
void fake_memory_unmap(struct fake_memory *m);

/* The frame at addr goes from one holder to the next; a complaint when it was not there. */
void fake_hand_over(struct fake_memory *m, uint64_t addr, enum fake_place from, enum fake_place to);

/* How many frames are at a place. */
uint32_t fake_memory_holds(const struct fake_memory *m, enum fake_place place);

uint64_t fake_sum(const uint8_t *data, uint32_t len);

/* Something that must never happen: it is printed, and counted for the tests to see. */
__attribute__((format(printf, 1, 2))) void fake_complain(const char *format, ...);
uint32_t fake_complaints(void);

void fake_lock(void);
void fake_unlock(void);

#endif
