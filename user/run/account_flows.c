/* SPDX-License-Identifier: MIT */
/* The flows of a direction: windows merged over the queues, and what was lost of each. */
#include "run/state.h"

struct flow_sum {
	struct window window; /* merged over the port's queues */
	bool seen, moved;
};

/* Windows are kept apart by worker, or by the program. */
static uint32_t window_sets(const struct session *s, int port)
{
	const struct inside *in = s->ports.port[port].prog.inside;

	return in ? in->window_sets : s->nworkers;
}

static const struct window *window_in(const struct session *s, int port, uint32_t set,
				      uint32_t flow)
{
	const struct inside *in = s->ports.port[port].prog.inside;

	if (in)
		return inside_window(in, set, flow);
	return s->worker[set].port == (uint32_t)port ? worker_window(&s->worker[set], flow) : NULL;
}

static struct flow_sum flow_merge(const struct session *s, int port, uint32_t flow)
{
	struct flow_sum sum = {};

	for (uint32_t i = 0; i < window_sets(s, port); i++) {
		const struct window *one = window_in(s, port, i, flow);
		struct window *m = &sum.window;

		if (!one)
			continue;
		m->corrupt += one->corrupt;
		if (!one->unique && !one->too_late)
			continue;
		if (!sum.seen || (int32_t)(one->next - m->next) > 0)
			m->next = one->next;
		if (!sum.seen || (int32_t)(one->base - m->base) < 0)
			m->base = one->base;
		m->unique += one->unique;
		m->duplicate += one->duplicate;
		m->reordered += one->reordered;
		m->too_late += one->too_late;
		sum.moved = sum.seen;
		sum.seen = true;
	}
	return sum;
}

/* How many frames of a flow left its queue: round robin, so by arithmetic. UNKNOWN: not ours. */
static int64_t flow_sent(const struct session *s, int port, uint32_t flow)
{
	for (uint32_t i = 0; port >= 0 && i < s->nworkers; i++) {
		const struct worker *w = &s->worker[i];
		uint32_t share, place;

		if (w->port != (uint32_t)port || w->plan.tx != TX_GENERATE ||
		    flow % w->plan.tx_queues != w->plan.tx_index)
			continue;
		share = flow_share(w->plan.flows, w->plan.tx_index, w->plan.tx_queues);
		place = flow / w->plan.tx_queues;
		return (int64_t)(w->pacer.sent / share + (place < w->pacer.sent % share));
	}
	return UNKNOWN;
}

static struct result_flow flow_row(uint32_t flow, const struct flow_sum *sum, int64_t sent,
				   bool order_unknown)
{
	const struct window *w = &sum->window;
	bool untold = sum->moved || order_unknown;
	struct result_flow row = {
		.flow = flow,
		.moved = sum->moved,
		.matched = (int64_t)w->unique,
		.duplicate = untold ? UNKNOWN : w->duplicate,
		.reordered = untold ? UNKNOWN : w->reordered,
		.too_late = untold ? UNKNOWN : w->too_late,
		.corrupt = w->corrupt,
	};

	row.lost = window_missing(w);
	if (sent != UNKNOWN)
		row.lost = sent - row.matched - w->too_late - row.corrupt;
	return row;
}

/* All flows while they are few, else those that lost most. */
static void flow_keep(struct result_direction *d, const struct result_flow *row)
{
	uint32_t least = 0;

	if (d->nflow_rows < FLOW_ROWS_MAX) {
		d->flow[d->nflow_rows++] = *row;
		return;
	}
	for (uint32_t i = 1; i < FLOW_ROWS_MAX; i++)
		if (d->flow[i].lost < d->flow[least].lost)
			least = i;
	if (row->lost > d->flow[least].lost)
		d->flow[least] = *row;
}

void account_flows(const struct session *s, int sender, int port, struct result_direction *d,
		   struct ledger_input *in)
{
	const struct inside *inside = s->ports.port[port].prog.inside;
	uint32_t flows = inside ? inside->window_flows : 0;

	in->order_unknown = inside && !inside->window_mask;
	for (uint32_t i = 0; i < s->nworkers; i++)
		if (s->worker[i].port == (uint32_t)port && s->worker[i].windows)
			flows = s->worker[i].plan.rx_flows;
	d->flows = sender >= 0 ? s->config->flows : UNKNOWN;
	for (uint32_t flow = 0; flow < flows; flow++) {
		struct flow_sum sum = flow_merge(s, port, flow);
		int64_t sent = flow_sent(s, sender, flow);
		struct result_flow row;

		if (!sum.seen && sent <= 0 && !sum.window.corrupt)
			continue;
		row = flow_row(flow, &sum, sent, in->order_unknown);
		d->flows_seen += sum.seen;
		d->flows_with_loss += row.lost > 0;
		in->flow_moved += sum.moved;
		in->missing += window_missing(&sum.window);
		flow_keep(d, &row);
	}
}
