/* SPDX-License-Identifier: MIT */
/* Sums, rates and shares for the views. Pure. */
#include "tui/figures.h"
#include "core/stats.h"
#include <math.h>
#include <string.h>

#define SOCKET_ROWS (0 SOCKET_COUNTERS(ABI_COUNT_ROW))
#define NETDEV_ROWS (0 NETDEV_COUNTERS(ABI_COUNT_ROW))

uint32_t figures_ports(const struct facts *facts)
{
	return facts->nports < PORTS_MAX ? facts->nports : PORTS_MAX;
}

uint32_t figures_queues(const struct facts *facts, const struct snapshot *snap, uint32_t port)
{
	const struct facts_port *p = &facts->port[port];
	uint32_t queues = p->queues < QUEUES_MAX ? p->queues : QUEUES_MAX;

	if (!snap || p->first_slot >= snap->nslots)
		return 0;
	return queues < snap->nslots - p->first_slot ? queues : snap->nslots - p->first_slot;
}

double figures_seconds(const struct snapshot *now, const struct snapshot *before)
{
	if (!now || !before || now->time_ns <= before->time_ns)
		return NAN;
	return (double)(now->time_ns - before->time_ns) / 1e9;
}

/* A slot the older snapshot did not have yet started from zero. */
static const struct queue_counters *slot_of(const struct snapshot *snap, uint32_t slot)
{
	static const struct queue_counters none;

	return snap && slot < snap->nslots ? &snap->queue[slot] : &none;
}

/* What could not be read for once is 0 then, and the difference would be beyond all bounds. */
static void zero_where_less(const void *now, const void *before, void *out, size_t rows)
{
	const uint64_t *a = now, *b = before;

	for (size_t i = 0; i < rows; i++)
		if (a[i] < b[i])
			((uint64_t *)out)[i] = 0;
}

void figures_queue(const struct facts *facts, const struct snapshot *now,
		   const struct snapshot *before, uint32_t port, uint32_t queue,
		   struct queue_counters *out)
{
	uint32_t slot = facts->port[port].first_slot + queue;
	const struct queue_counters *a = slot_of(now, slot), *b = slot_of(before, slot);

	queue_counters_sub(a, b, out);
	zero_where_less(&a->worker, &b->worker, &out->worker, WORKER_COUNTER_ROWS);
	zero_where_less(&a->program, &b->program, &out->program, PROGRAM_COUNTER_ROWS);
	zero_where_less(&a->socket, &b->socket, &out->socket, SOCKET_ROWS);
}

void figures_netdev(const struct snapshot *now, const struct snapshot *before, uint32_t port,
		    struct netdev_counters *out)
{
	const struct netdev_counters *a = &now->port[port].netdev;
	const struct netdev_counters *b = before ? &before->port[port].netdev : a;

	netdev_counters_sub(a, b, out);
	zero_where_less(a, b, out, NETDEV_ROWS);
}

void figures_port(const struct facts *facts, const struct snapshot *now,
		  const struct snapshot *before, uint32_t port, struct queue_counters *out)
{
	struct queue_counters one;

	memset(out, 0, sizeof(*out));
	for (uint32_t q = 0; q < figures_queues(facts, now, port); q++) {
		figures_queue(facts, now, before, port, q, &one);
		worker_counters_add(&out->worker, &one.worker);
		program_counters_add(&out->program, &one.program);
		socket_counters_add(&out->socket, &one.socket);
	}
}

double figures_l1_bits(uint64_t frames, uint64_t bytes)
{
	return 8.0 * ((double)bytes + (double)frames * L1_EXTRA);
}

double figures_queue_cpu(const struct facts *facts, const struct snapshot *now,
			 const struct snapshot *before, uint32_t port, uint32_t queue)
{
	uint32_t slot = facts->port[port].first_slot + queue;
	uint64_t since = slot_of(before, slot)->gauge.cpu_ns;
	uint64_t until = slot_of(now, slot)->gauge.cpu_ns;
	double seconds = figures_seconds(now, before);

	if (isnan(seconds) || until < since || !until)
		return NAN;
	return (double)(until - since) / 1e7 / seconds;
}

double figures_port_cpu(const struct facts *facts, const struct snapshot *now,
			const struct snapshot *before, uint32_t port)
{
	uint32_t first = facts->port[port].first_slot;
	double sum = NAN;

	for (uint32_t q = 0; q < figures_queues(facts, now, port); q++) {
		double one = figures_queue_cpu(facts, now, before, port, q);
		bool seen = false;

		for (uint32_t other = 0; other < q; other++)
			seen |= now->queue[first + other].gauge.thread ==
				now->queue[first + q].gauge.thread;
		if (!seen && !isnan(one))
			sum = isnan(sum) ? one : sum + one;
	}
	return sum;
}

uint64_t figures_queue_dropped(const struct queue_counters *c, enum mode mode)
{
	uint64_t sum = c->program.no_socket + c->socket.too_long + c->worker.dropped_by_us;

	if (mode != MODE_ZERO_COPY)
		sum += c->socket.fill_empty + c->socket.ring_full;
	return sum;
}

uint64_t figures_rx_dropped(const struct queue_counters *c, const struct netdev_counters *n,
			    enum mode mode)
{
	return figures_queue_dropped(c, mode) + n->rx_missed;
}

uint64_t figures_tx_dropped(const struct queue_counters *c, const struct netdev_counters *n)
{
	return c->socket.tx_invalid + n->tx_dropped;
}

static bool any_less(const void *now, const void *before, size_t rows)
{
	const uint64_t *a = now, *b = before;

	for (size_t i = 0; i < rows; i++)
		if (a[i] < b[i])
			return true;
	return false;
}

bool figures_went_back(const struct snapshot *now, const struct snapshot *before)
{
	if (now->time_ns < before->time_ns || now->nslots < before->nslots)
		return true;
	for (uint32_t i = 0; i < before->nslots; i++) {
		const struct queue_counters *a = &now->queue[i], *b = &before->queue[i];

		if (any_less(&a->worker, &b->worker, WORKER_COUNTER_ROWS) ||
		    any_less(&a->program, &b->program, PROGRAM_COUNTER_ROWS))
			return true;
	}
	return false;
}
