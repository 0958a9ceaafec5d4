/* SPDX-License-Identifier: MIT */
#include "io/umem.h"
#include "io/log.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/*
 * Few large pages spare the worker most address translations. They are asked for before the memory
 * is touched, and where the system has none (or has them off) small ones do as well.
 */
int umem_map(struct umem *umem, uint32_t frames, uint32_t chunk)
{
	uint64_t size = (uint64_t)frames * chunk;
	void *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED) {
		log_error("no memory for %u frames (%llu KiB): %s", frames,
			  (unsigned long long)size / 1024, strerror(errno));
		return -ENOMEM;
	}
	(void)madvise(area, size, MADV_HUGEPAGE);
	memset(area, 0, size);
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
