/* SPDX-License-Identifier: MIT */
/* Received frames: their metadata told by one comparison, and fetched ahead of their turn. */
#ifndef RUN_META_H
#define RUN_META_H

#include "abi/match.h"
#include <stdint.h>

/* What stands in front of a frame behind the time: magic, stamp offset, kind. */
static inline uint64_t meta_word(const uint8_t *data)
{
	return ABI_LOAD(uint64_t, data - sizeof(uint64_t));
}

/* The same for a frame of a kind with a right stamp in its usual place. */
static inline uint64_t meta_word_of(enum match_kind kind)
{
	const struct frame_meta meta = {.magic = FRAME_META_MAGIC,
					.stamp_offset = STAMP_OFFSET,
					.kind = (uint16_t)kind};

	return meta_word((const uint8_t *)(&meta + 1));
}

static inline uint64_t meta_time(const uint8_t *data)
{
	return ((const struct frame_meta *)(data - sizeof(struct frame_meta)))->time_ns;
}

/* Frames; they lie at one place of their pages and compete for the same sets of the cache. */
#define PREFETCH_AHEAD 6

/*
 * Metadata and headers lie in two cache lines. A macro: gcc drops the call of a function that does
 * nothing but prefetch.
 */
#define PREFETCH_FRAME(area, addr)                                                    \
	do {                                                                          \
		const uint64_t frame_addr_ = (addr);                                  \
                                                                                      \
		__builtin_prefetch((area) + frame_addr_ - sizeof(struct frame_meta)); \
		__builtin_prefetch((area) + frame_addr_);                             \
	} while (0)

#endif
