/* SPDX-License-Identifier: MIT */
/* A snapshot: every counter of the run at one instant. Workers are not disturbed by it. */
#include "core/stats.h"
#include "io/clock.h"
#include "run/state.h"
#include <string.h>

static void sample_queue(struct session *s, const struct worker *w, struct snapshot *snap)
{
	struct queue_counters *q = &snap->queue[w->slot];

	if (!w->inside) {
		(void)queue_stats(w->queue, &q->socket);
		queue_gauges(w->queue, &q->gauge);
	}
	q->gauge.burst_span_ns = w->burst_span;
	q->gauge.thread = w->thread;
	if (w->thread != THREAD_NONE) {
		q->gauge.cpu_ns = crew_cpu_ns(&s->crew, w->thread);
		q->gauge.cpu = (uint32_t)s->crew.thread[w->thread].ran_on;
	}
	hist_add(&snap->latency[w->port], w->latency);
}

void session_sample(struct session *s, struct snapshot *snap)
{
	struct ports *p = &s->ports;

	memset(snap, 0, snapshot_size(p->maps.nslots));
	snap->time_ns = clock_now();
	snap->nslots = p->maps.nslots;
	for (uint32_t slot = 0; slot < p->maps.nslots; slot++) {
		snap->queue[slot].worker = p->maps.slot[slot].worker;
		snap->queue[slot].program = p->maps.slot[slot].program;
	}
	for (uint32_t i = 0; i < s->nworkers; i++)
		sample_queue(s, &s->worker[i], snap);
	for (int i = 0; i < p->n; i++)
		if (nic_counters(&p->port[i].nic, &snap->port[i])) /* gone: none of it is known */
			snap->port[i] = s->start->port[i];
}
