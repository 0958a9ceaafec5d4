/* SPDX-License-Identifier: MIT */
/* Keeps snapshots for rates and totals. */
#include "tui/history.h"
#include "tui/figures.h"
#include <stdlib.h>
#include <string.h>

#define SPAN_NS 1050000000ull /* a second of snapshots that came a little late */

/* Copy into *to, which grows with the snapshot. Without memory *to becomes NULL. */
static void snapshot_copy(struct snapshot **to, const struct snapshot *from)
{
	size_t size = snapshot_size(from->nslots);

	if (!*to || (*to)->nslots != from->nslots) {
		free(*to);
		*to = malloc(size);
	}
	if (*to)
		memcpy(*to, from, size);
}

const struct snapshot *history_at(const struct history *h, int age)
{
	if (age < 0 || age >= h->n)
		return NULL;
	return h->kept[(h->newest + HISTORY_KEPT - age) % HISTORY_KEPT];
}

const struct snapshot *history_before(const struct history *h)
{
	const struct snapshot *now = history_at(h, 0), *older;
	int age = 1;

	while ((older = history_at(h, age + 1)) && now->time_ns - older->time_ns <= SPAN_NS)
		age++;
	return history_at(h, age);
}

static void baseline_zero(struct history *h, const struct snapshot *snap, uint64_t start_ns)
{
	snapshot_copy(&h->baseline, snap);
	if (!h->baseline)
		return;
	memset(h->baseline->latency, 0, sizeof(h->baseline->latency));
	memset(h->baseline->queue, 0, snap->nslots * sizeof(h->baseline->queue[0]));
	h->start_ns = start_ns ? start_ns : snap->time_ns;
	h->reset_ns = 0;
}

void history_reset(struct history *h)
{
	const struct snapshot *now = history_at(h, 0);

	if (!now)
		return;
	snapshot_copy(&h->baseline, now);
	h->reset_ns = now->time_ns;
}

/* A trial begins its histograms anew: what was subtracted from the last ones is gone. */
static void forget_latency(struct history *h, const struct snapshot *snap,
			   const struct snapshot *last)
{
	for (int p = 0; p < PORTS_MAX; p++)
		if (snap->trial != last->trial || snap->latency[p].count < last->latency[p].count)
			memset(&h->baseline->latency[p], 0, sizeof(h->baseline->latency[p]));
}

void history_add(struct history *h, const struct snapshot *snap, uint64_t start_ns)
{
	const struct snapshot *last = history_at(h, 0);
	bool back = last && figures_went_back(snap, last);

	if (back)
		h->n = 0;
	else if (last && h->baseline)
		forget_latency(h, snap, last);
	h->newest = (h->newest + 1) % HISTORY_KEPT;
	snapshot_copy(&h->kept[h->newest], snap);
	if (!h->kept[h->newest]) {
		h->n = 0; /* no memory: nothing to show but what comes next */
		return;
	}
	h->n = h->n < HISTORY_KEPT ? h->n + 1 : HISTORY_KEPT;
	if (!h->baseline)
		baseline_zero(h, snap, start_ns);
	else if (back)
		history_reset(h);
}

void history_free(struct history *h)
{
	for (int i = 0; i < HISTORY_KEPT; i++)
		free(h->kept[i]);
	free(h->baseline);
	memset(h, 0, sizeof(*h));
}
