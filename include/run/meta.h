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

/* The same for a frame with a right stamp in its usual place. */
static inline uint64_t meta_word_stamped(void)
{
	const struct frame_meta meta = {.magic = FRAME_META_MAGIC,
					.stamp_offset = STAMP_OFFSET,
					.kind = MATCH_STAMP};

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
#define PREFETCH_FRAME(data)                                            \
	do {                                                            \
		__builtin_prefetch((data) - sizeof(struct frame_meta)); \
		__builtin_prefetch(data);                               \
	} while (0)

#endif
