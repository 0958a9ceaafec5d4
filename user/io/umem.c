/* SPDX-License-Identifier: MIT */
#include "io/umem.h"
#include "io/log.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

int umem_map(struct umem *umem, uint32_t frames, uint32_t chunk)
{
	uint64_t size = (uint64_t)frames * chunk;
	void *area = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (area == MAP_FAILED) {
		log_error("no memory for %u frames (%llu KiB): %s", frames,
			  (unsigned long long)size / 1024, strerror(errno));
		return -ENOMEM;
	}
	*umem = (struct umem){.area = area, .size = size, .chunk = chunk, .frames = frames};
	return 0;
}

void umem_unmap(struct umem *umem)
{
	if (umem && umem->area)
		munmap(umem->area, umem->size);
	if (umem)
		memset(umem, 0, sizeof(*umem));
}
