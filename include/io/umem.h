/* SPDX-License-Identifier: MIT */
/* Memory for frames: one mapping, cut into chunks, registered by one or two sockets. */
#ifndef IO_UMEM_H
#define IO_UMEM_H

#include <stdint.h>

struct umem {
	uint8_t *area;
	uint64_t size;
	uint32_t chunk;	 /* bytes, a power of two, 2048 or 4096 */
	uint32_t frames; /* size / chunk */
};

/* Bytes of a received frame that fit a chunk: 256 of it are XDP_PACKET_HEADROOM. */
#define UMEM_HEADROOM 256

/* Map and touch. Says what is wrong; -ENOMEM. */
int umem_map(struct umem *umem, uint32_t frames, uint32_t chunk);
void umem_unmap(struct umem *umem);

#endif
