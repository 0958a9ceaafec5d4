// SPDX-License-Identifier: MIT
#include "fake_memory.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t complaints;

void fake_lock(void)
{
	pthread_mutex_lock(&lock);
}

void fake_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void fake_complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("fake: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	__atomic_fetch_add(&complaints, 1, __ATOMIC_RELAXED);
}

uint32_t fake_complaints(void)
{
	return __atomic_load_n(&complaints, __ATOMIC_RELAXED);
}

/* --- memory and who holds it --- */

int fake_memory_map(struct fake_memory *m, uint32_t frames, uint32_t chunk)
{
	uint64_t size = (uint64_t)frames * chunk;

	m->umem = (struct umem){.size = size, .chunk = chunk, .frames = frames};
	m->umem.area = malloc(size);
	m->place = calloc(frames, sizeof(*m->place));
	m->sum = calloc(frames, sizeof(*m->sum));
	if (!m->umem.area || !m->place || !m->sum)
		return -ENOMEM;
	memset(m->umem.area, FAKE_POISON, size);
	return 0;
}

void fake_memory_unmap(struct fake_memory *m)
{
	free(m->umem.area);
	free(m->place);
	free(m->sum);
	memset(m, 0, sizeof(*m));
}

static const char *const place_names[] = {
	[PLACE_USER] = "user",	[PLACE_FILL] = "fill ring", [PLACE_RX] = "RX ring",
	[PLACE_TX] = "TX ring", [PLACE_KERNEL] = "kernel",  [PLACE_COMPLETION] = "completion ring",
};

/* The frame at addr goes from one holder to the next. */
void fake_hand_over(struct fake_memory *m, uint64_t addr, enum fake_place from, enum fake_place to)
{
	uint64_t chunk = addr / m->umem.chunk;

	if (chunk >= m->umem.frames) {
		fake_complain("address %llu is outside the memory", (unsigned long long)addr);
		return;
	}
	if (m->place[chunk] != from)
		fake_complain("frame %llu on its way from %s to %s is with %s",
			      (unsigned long long)chunk, place_names[from], place_names[to],
			      place_names[m->place[chunk]]);
	m->place[chunk] = (uint8_t)to;
}

uint32_t fake_memory_holds(const struct fake_memory *m, enum fake_place place)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->umem.frames; i++)
		n += m->place[i] == place;
	return n;
}

uint64_t fake_sum(const uint8_t *data, uint32_t len)
{
	uint64_t sum = 0xcbf29ce484222325ull;

	for (uint32_t i = 0; i < len; i++)
		sum = (sum ^ data[i]) * 0x100000001b3ull;
	return sum;
}
