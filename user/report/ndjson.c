/* SPDX-License-Identifier: MIT */
/* One JSON object a line: {"type":"interval",...} while a run lives, {"type":"result",...} last. */
#include "core/stats.h"
#include "report/json.h"
#include <errno.h>
#include <math.h>

/* Add an object of the rows that changed; nothing when none did. */
static int add_changed(json_t *to, const struct report_group *group, const void *at)
{
	json_t *rows = json_counters(group, at, true);

	if (rows && !json_object_size(rows)) {
		json_decref(rows);
		return 0;
	}
	return json_object_set_new(to, group->name, rows);
}

static int add_changed_queue(json_t *to, const struct queue_counters *count)
{
	for (int g = 0; g < QUEUE_GROUPS; g++) {
		const void *at = (const char *)count + report_groups[g].offset;

		if (add_changed(to, &report_groups[g], at))
			return -ENOMEM;
	}
	return 0;
}

/* Latency of the frames that arrived on a port within the interval. */
static json_t *port_latency(const struct report_interval *in, uint32_t port)
{
	struct hist h;
	int64_t max;

	hist_sub(&in->now->latency[port], &in->before->latency[port], &h);
	max = h.count && h.max <= INT64_MAX ? (int64_t)h.max : UNKNOWN;
	return json_pack("{s:o, s:o, s:o, s:o}", "samples", json_count64(h.count), "median",
			 json_count(hist_quantile(&h, 1, 2)), "p99",
			 json_count(hist_quantile(&h, 99, 100)), "max", json_count(max));
}

static json_t *interval_port(const struct report_interval *in, uint32_t i)
{
	const struct facts_port *p = &in->facts->port[i];
	struct report_rates r;
	json_t *o;

	report_port_rates(in, i, &r);
	o = json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
		      json_text(p->name, sizeof(p->name)), "carrier", in->now->port[i].carrier != 0,
		      "tx_pps", json_rate(r.tx_pps), "rx_pps", json_rate(r.rx_pps), "tx_l1_bps",
		      json_rate(r.tx_l1_bps), "rx_l1_bps", json_rate(r.rx_l1_bps), "tx_dropped",
		      json_count64(r.tx_dropped), "rx_dropped", json_count64(r.rx_dropped),
		      "latency_ns", port_latency(in, i));
	if (o && !add_changed_queue(o, &r.sum) &&
	    !add_changed(o, &report_groups[GROUP_NETDEV], &r.netdev))
		return o;
	json_decref(o);
	return NULL;
}

/* CPU time of the thread that serves the queue; queues of one thread say the same. */
static double cpu_percent(const struct report_interval *in, uint32_t slot)
{
	uint64_t ns = in->now->time_ns - in->before->time_ns;
	uint64_t now = in->now->queue[slot].gauge.cpu_ns,
		 before = in->before->queue[slot].gauge.cpu_ns;

	if (in->now->time_ns <= in->before->time_ns || now < before)
		return NAN;
	return 100.0 * (double)(now - before) / (double)ns;
}

static json_t *interval_queue(const struct report_interval *in, uint32_t port, uint32_t i)
{
	const struct facts_port *p = &in->facts->port[port];
	uint32_t slot = p->first_slot + i;
	struct queue_counters count;
	json_t *o;

	if (!report_queue_sub(in, slot, &count))
		return json_null();
	o = json_pack("{s:o, s:I, s:I, s:o, s:[I, I], s:[I, I], s:[I, I]}", "port",
		      json_text(p->name, sizeof(p->name)), "queue", (json_int_t)p->queue_id[i],
		      "thread", (json_int_t)count.gauge.thread, "cpu_percent",
		      json_rate(cpu_percent(in, slot)), "rx_ring", (json_int_t)count.gauge.rx_ring,
		      (json_int_t)count.gauge.rx_ring_size, "fill_ring",
		      (json_int_t)count.gauge.fill_ring, (json_int_t)count.gauge.fill_ring_size,
		      "tx_ring", (json_int_t)count.gauge.tx_ring,
		      (json_int_t)count.gauge.tx_ring_size);
	if (o && !add_changed_queue(o, &count))
		return o;
	json_decref(o);
	return NULL;
}

int report_ndjson_interval(const struct report_interval *in, const struct report_out *out)
{
	json_t *ports = json_array(), *queues = json_array();
	uint64_t now = in->now->time_ns;
	uint64_t t = now > in->since_ns ? now - in->since_ns : 0;
	uint64_t span = now > in->before->time_ns ? now - in->before->time_ns : 0;
	int err = 0;

	for (uint32_t p = 0; p < in->facts->nports && p < PORTS_MAX; p++) {
		err |= json_array_append_new(ports, interval_port(in, p));
		for (uint32_t q = 0; q < in->facts->port[p].queues && q < QUEUES_MAX; q++)
			err |= json_array_append_new(queues, interval_queue(in, p, q));
	}
	if (err) {
		json_decref(ports);
		json_decref(queues);
		return -ENOMEM;
	}
	return json_send(json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "type", "interval", "trial",
				   json_text(in->trial, SIZE_MAX), "t_ns", json_count64(t),
				   "interval_ns", json_count64(span), "ports", ports, "queues",
				   queues),
			 true, out);
}

int report_ndjson_result(const struct result *result, const struct report_out *out)
{
	json_t *line = json_pack("{s:s}", "type", "result"), *all = json_result(result);

	if (!line || !all || json_object_update(line, all)) {
		json_decref(line);
		line = NULL;
	}
	json_decref(all);
	return json_send(line, true, out);
}
