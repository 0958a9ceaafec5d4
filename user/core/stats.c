/* SPDX-License-Identifier: MIT */
/* Sums, differences and percentiles of histograms and counters. */
#include "core/stats.h"

void hist_add(struct hist *to, const struct hist *from)
{
	if (from->count && (!to->count || from->min < to->min))
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->count += from->count;
	to->sum += from->sum;
	to->negative += from->negative;
	to->over += from->over;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

static uint64_t clamp(uint64_t v, uint64_t low, uint64_t high)
{
	if (v < low)
		return low;
	return v > high ? high : v;
}

void hist_sub(const struct hist *now, const struct hist *before, struct hist *out)
{
	uint64_t all_min = now->min, all_max = now->max, low = 0, high = 0;
	bool grew = false;

	out->count = now->count - before->count;
	out->sum = now->sum - before->sum;
	out->negative = now->negative - before->negative;
	out->over = now->over - before->over;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		out->bucket[i] = now->bucket[i] - before->bucket[i];
		if (!out->bucket[i])
			continue;
		low = grew ? low : hist_low(i);
		high = hist_low(i + 1) - 1;
		grew = true;
	}
	if (out->over) {
		low = grew ? low : HIST_MAX_NS + 1;
		high = all_max;
	}
	out->min = out->count ? clamp(low, all_min, all_max) : 0;
	out->max = out->count ? clamp(high, all_min, all_max) : 0;
}

int64_t hist_quantile(const struct hist *h, uint32_t num, uint32_t den)
{
	uint64_t rank, below = 0, mid;

	if (!h->count || !den || num > den)
		return UNKNOWN;
	rank = (uint64_t)(((unsigned __int128)h->count * num + den - 1) / den);
	rank = rank ? rank : 1;
	if (num > den / 2 && h->count - rank < 10)
		return UNKNOWN;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		below += h->bucket[i];
		if (below < rank)
			continue;
		mid = hist_low(i) + (hist_low(i + 1) - hist_low(i)) / 2;
		return (int64_t)clamp(mid, h->min, h->max);
	}
	return (int64_t)h->max; /* above the range: in no bucket */
}

#define ADD_ROW(name, text) to->name += from->name;
#define SUB_ROW(name, text) out->name = now->name - before->name;

void worker_counters_add(struct worker_counters *to, const struct worker_counters *from)
{
	WORKER_COUNTERS(ADD_ROW)
}

void program_counters_add(struct program_counters *to, const struct program_counters *from)
{
	PROGRAM_COUNTERS(ADD_ROW)
}

void socket_counters_add(struct socket_counters *to, const struct socket_counters *from)
{
	SOCKET_COUNTERS(ADD_ROW)
}

static void worker_counters_sub(const struct worker_counters *now,
				const struct worker_counters *before, struct worker_counters *out)
{
	WORKER_COUNTERS(SUB_ROW)
}

static void program_counters_sub(const struct program_counters *now,
				 const struct program_counters *before,
				 struct program_counters *out)
{
	PROGRAM_COUNTERS(SUB_ROW)
}

static void socket_counters_sub(const struct socket_counters *now,
				const struct socket_counters *before, struct socket_counters *out)
{
	SOCKET_COUNTERS(SUB_ROW)
}

void queue_counters_sub(const struct queue_counters *now, const struct queue_counters *before,
			struct queue_counters *out)
{
	worker_counters_sub(&now->worker, &before->worker, &out->worker);
	program_counters_sub(&now->program, &before->program, &out->program);
	socket_counters_sub(&now->socket, &before->socket, &out->socket);
	out->gauge = now->gauge;
}

void netdev_counters_sub(const struct netdev_counters *now, const struct netdev_counters *before,
			 struct netdev_counters *out){NETDEV_COUNTERS(SUB_ROW)}

uint64_t program_refused(const struct program_counters *c)
{
	return c->refused_short + c->refused_multicast + c->refused_link_local +
	       c->refused_neighbour + c->refused_source + c->refused_reply;
}
