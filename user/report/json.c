/* SPDX-License-Identifier: MIT */
/*
 * A result as one JSON object, schema "xdploop.result/1" (tools/schema/result.schema.json). Keys
 * stand in a fixed order; counter and ledger rows come from their tables.
 *
 * json_pack() takes the references given to it, also when one of them is NULL for lack of memory:
 * it then returns NULL itself, so a failure anywhere ends up as NULL at the top.
 */
#include "report/json.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *json_count(int64_t value)
{
	return value == UNKNOWN ? json_null() : json_integer(value);
}

json_t *json_count64(uint64_t value)
{
	return value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

json_t *json_rate(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *text, size_t size)
{
	return json_string(report_word(text, size).text);
}

json_t *json_text_or_null(const char *text, size_t size)
{
	return size && text[0] ? json_text(text, size) : json_null();
}

#define TEXT(array)	    json_text((array), sizeof(array))
#define TEXT_OR_NULL(array) json_text_or_null((array), sizeof(array))

/* For facts where 0 means that nobody said. */
static json_t *known(uint64_t value)
{
	return value ? json_count64(value) : json_null();
}

json_t *json_counters(const struct report_group *group, const void *at, bool changed_only)
{
	const uint64_t *value = at;
	json_t *o = json_object();

	for (int i = 0; i < group->nrows; i++) {
		if (changed_only && !value[i])
			continue;
		if (json_object_set_new(o, group->row[i], json_count64(value[i]))) {
			json_decref(o);
			return NULL;
		}
	}
	return o;
}

/* One element made by make(ctx, i) for each i below n. */
static json_t *array_of(uint32_t n, json_t *(*make)(const void *ctx, uint32_t i), const void *ctx)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < n; i++) {
		if (json_array_append_new(a, make(ctx, i))) {
			json_decref(a);
			return NULL;
		}
	}
	return a;
}

static json_t *one_number(const void *ctx, uint32_t i)
{
	return json_integer(((const uint32_t *)ctx)[i]);
}

static json_t *port_mode(const struct result_port *p)
{
	return json_pack("{s:s, s:s, s:o}", "asked", mode_name(p->asked), "obtained",
			 mode_name_in(p->engine, p->mode), "why", TEXT_OR_NULL(p->why));
}

static json_t *port_rings(const struct result_port *p)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "nic_rx", known(p->nic_rx_ring),
			 "nic_tx", known(p->nic_tx_ring), "rx", known(p->rx_ring), "tx",
			 known(p->tx_ring), "fill", known(p->fill_ring), "completion",
			 known(p->completion_ring));
}

static json_t *one_port(const void *ctx, uint32_t i)
{
	const struct result_port *p = &((const struct result *)ctx)->port[i];
	uint32_t queues = p->queues < QUEUES_MAX ? p->queues : QUEUES_MAX;
	const uint8_t *m = p->mac;
	char mac[18];

	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4],
		 m[5]);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:I, s:o, s:b, s:s, s:o, s:I, s:I, s:I, "
			 "s:o, s:o, s:{s:o, s:o}, s:o, s:o}",
			 "name", TEXT(p->name), "driver", TEXT_OR_NULL(p->driver), "driver_version",
			 TEXT_OR_NULL(p->driver_version), "firmware", TEXT_OR_NULL(p->firmware),
			 "bus", TEXT_OR_NULL(p->bus), "mac", mac, "mtu", (json_int_t)p->mtu,
			 "speed_bps", known(p->speed_bps), "speed_nominal", (int)p->speed_nominal,
			 "engine", engine_name(p->engine), "mode", port_mode(p), "rx_queues",
			 (json_int_t)p->rx_queues, "tx_queues", (json_int_t)p->tx_queues, "queues",
			 (json_int_t)queues, "queue_ids", array_of(queues, one_number, p->queue_id),
			 "rings", port_rings(p), "umem", "frames_per_queue", known(p->umem_frames),
			 "chunk_bytes", known(p->umem_chunk), "tx_budget", known(p->tx_budget),
			 "program_id", known(p->program_id));
}

static json_t *ledger_object(const struct ledger *ledger)
{
	json_t *o = json_object();

	for (int i = 0; ledger_rows[i].name; i++) {
		if (json_object_set_new(o, ledger_rows[i].name,
					json_count(ledger_value(ledger, i)))) {
			json_decref(o);
			return NULL;
		}
	}
	return o;
}

static json_t *rates_object(const struct result_rates *r)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "tx_pps", json_rate(r->tx_pps),
			 "rx_pps", json_rate(r->rx_pps), "tx_l1_bps", json_rate(r->tx_l1_bps),
			 "tx_l2_bps", json_rate(r->tx_l2_bps), "rx_l1_bps", json_rate(r->rx_l1_bps),
			 "rx_l2_bps", json_rate(r->rx_l2_bps), "line_percent",
			 json_rate(r->line_percent));
}

/* What both latency and lateness have. Without samples nothing else is known. */
static json_t *times_object(const struct result_latency *l)
{
	bool any = l->samples > 0;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "resolution_ns",
			 json_count(any ? l->resolution_ns : UNKNOWN), "samples",
			 json_count(l->samples), "min", json_count(any ? l->min : UNKNOWN),
			 "median", json_count(any ? l->median : UNKNOWN), "p90",
			 json_count(any ? l->p90 : UNKNOWN), "p99",
			 json_count(any ? l->p99 : UNKNOWN), "p999",
			 json_count(any ? l->p999 : UNKNOWN), "max",
			 json_count(any ? l->max : UNKNOWN), "mean", json_rate(any ? l->mean : NAN),
			 "negative", json_count(l->negative), "over", json_count(l->over));
}

static json_t *latency_object(const struct result_latency *l)
{
	static const char *const source[] = {
		[LATENCY_NONE] = NULL,
		[LATENCY_XDP] = "xdp",
		[LATENCY_USER] = "user",
		[LATENCY_MIXED] = "mixed",
	};
	json_t *o =
		json_pack("{s:s?, s:o}", "source", source[l->source], "why", TEXT_OR_NULL(l->why));
	json_t *times = times_object(l);

	if (!o || !times || json_object_update(o, times)) {
		json_decref(o);
		o = NULL;
	}
	json_decref(times);
	return o;
}

static json_t *one_flow(const void *ctx, uint32_t i)
{
	const struct result_flow *f = &((const struct result_flow *)ctx)[i];

	return json_pack("{s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "flow", (json_int_t)f->flow,
			 "moved", (int)f->moved, "matched", json_count(f->matched), "lost",
			 json_count(f->lost), "duplicate", json_count(f->duplicate), "reordered",
			 json_count(f->reordered), "too_late", json_count(f->too_late), "corrupt",
			 json_count(f->corrupt));
}

static json_t *flows_object(const struct result_direction *d)
{
	uint32_t rows = d->nflow_rows < FLOW_ROWS_MAX ? d->nflow_rows : FLOW_ROWS_MAX;

	return json_pack("{s:o, s:o, s:o, s:o}", "configured", json_count(d->flows), "seen",
			 json_count(d->flows_seen), "with_loss", json_count(d->flows_with_loss),
			 "rows", array_of(rows, one_flow, d->flow));
}

/* [[lowest ns of the bucket, values in it], ...] without the empty buckets. */
static json_t *histogram_array(const struct hist *h)
{
	json_t *a;

	if (!h)
		return json_null();
	a = json_array();
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		if (json_array_append_new(a, json_pack("[I, o]", (json_int_t)hist_low(i),
						       json_count64(h->bucket[i])))) {
			json_decref(a);
			return NULL;
		}
	}
	return a;
}

static json_t *one_direction(const void *ctx, uint32_t i)
{
	const struct result_direction *d = &((const struct result_trial *)ctx)->direction[i];

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "from",
			 TEXT_OR_NULL(d->from), "to", TEXT_OR_NULL(d->to), "leg",
			 TEXT_OR_NULL(d->leg), "ledger", ledger_object(&d->ledger), "rates",
			 rates_object(&d->rates), "latency_ns", latency_object(&d->latency),
			 "lateness_ns", times_object(&d->lateness), "flows", flows_object(d),
			 "histogram", histogram_array(d->hist));
}

static json_t *gauges_object(const struct queue_gauges *g)
{
	return json_pack("{s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "thread",
			 (json_int_t)g->thread, "cpu", (json_int_t)g->cpu, "cpu_ns",
			 json_count64(g->cpu_ns), "burst_span_ns", json_count64(g->burst_span_ns),
			 "rx_ring", (json_int_t)g->rx_ring, "rx_ring_size",
			 (json_int_t)g->rx_ring_size, "fill_ring", (json_int_t)g->fill_ring,
			 "fill_ring_size", (json_int_t)g->fill_ring_size, "tx_ring",
			 (json_int_t)g->tx_ring, "tx_ring_size", (json_int_t)g->tx_ring_size);
}

struct queues_ctx {
	const struct result *result;
	const struct result_trial *trial;
};

static json_t *one_queue(const void *ctx, uint32_t i)
{
	const struct queues_ctx *c = ctx;
	const struct result_queue *q = &c->trial->queue[i];
	json_t *o, *port = q->port < PORTS_MAX ? TEXT(c->result->port[q->port].name) : json_null();

	o = json_pack("{s:o, s:I}", "port", port, "queue", (json_int_t)q->queue_id);
	for (int g = 0; g < QUEUE_GROUPS; g++) {
		const struct report_group *group = &report_groups[g];
		const void *at = (const char *)&q->count + group->offset;

		if (json_object_set_new(o, group->name, json_counters(group, at, false)))
			goto out;
	}
	if (!json_object_set_new(o, "gauges", gauges_object(&q->count.gauge)))
		return o;
out:
	json_decref(o);
	return NULL;
}

static json_t *one_thread(const void *ctx, uint32_t i)
{
	const struct result_thread *t = &((const struct result_thread *)ctx)[i];

	return json_pack("{s:I, s:I, s:o, s:o, s:o}", "thread", (json_int_t)t->thread, "cpu",
			 (json_int_t)t->cpu, "cpu_ns", json_count64(t->cpu_ns), "frames",
			 json_count64(t->frames), "cpu_ns_per_frame",
			 json_rate(t->frames ? (double)t->cpu_ns / (double)t->frames : NAN));
}

static json_t *one_trial(const void *ctx, uint32_t i)
{
	const struct result *r = ctx;
	const struct result_trial *t = &r->trial[i];
	const struct queues_ctx queues = {r, t};
	uint32_t n = t->ndirections < DIRECTIONS_MAX ? t->ndirections : DIRECTIONS_MAX;

	return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o}",
			 "name", TEXT(t->name), "frame_bytes", known(t->frame_bytes), "run",
			 (json_int_t)t->run, "flows", known(t->flows), "wanted_pps",
			 json_rate(t->wanted_pps), "duration_ns", json_count64(t->duration_ns),
			 "drain_ns", json_count64(t->drain_ns), "drain_timed_out",
			 (int)t->drain_timed_out, "stopped_early", (int)t->stopped_early,
			 "frames_held", json_count(t->frames_held), "directions",
			 array_of(n, one_direction, t), "queues",
			 array_of(t->nqueues, one_queue, &queues), "cpus",
			 array_of(t->nthreads, one_thread, t->thread));
}

json_t *json_result(const struct result *r)
{
	const struct result_host *h = &r->host;
	uint32_t nports = r->nports < PORTS_MAX ? r->nports : PORTS_MAX;

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o}, s:o, s:o, "
			 "s:{s:i, s:o}}",
			 "schema", "xdploop.result/1", "command", TEXT(r->command), "version",
			 TEXT(r->version), "command_line", TEXT(r->command_line), "started",
			 TEXT_OR_NULL(r->started), "host", "name", TEXT_OR_NULL(h->name), "kernel",
			 TEXT_OR_NULL(h->kernel), "cpu", TEXT_OR_NULL(h->cpu), "cpus",
			 known(h->cpus), "ports", array_of(nports, one_port, r), "trials",
			 array_of(r->ntrials, one_trial, r), "verdict", "status", r->verdict.status,
			 "text", TEXT(r->verdict.text));
}

/* End of the array that opens at s, when it holds neither arrays nor objects; else NULL. */
static const char *plain_array_end(const char *s)
{
	bool quoted = false;

	for (s++; *s; s++) {
		if (quoted && *s == '\\')
			s++;
		else if (*s == '"')
			quoted = !quoted;
		else if (!quoted && (*s == '[' || *s == '{'))
			return NULL;
		else if (!quoted && *s == ']')
			return s;
	}
	return NULL;
}

/*
 * Put arrays of plain values on one line: a histogram of hundreds of pairs stays readable. JSON
 * strings hold no line ends, so none of what is joined is inside one. In place: it only gets
 * shorter.
 */
static void join_plain_arrays(char *text)
{
	const char *end = NULL;
	bool quoted = false;
	char *to = text;

	for (const char *s = text; *s; s++) {
		if (quoted && *s == '\\')
			*to++ = *s++;
		else if (*s == '"')
			quoted = !quoted;
		else if (!quoted && *s == '[')
			end = plain_array_end(s);
		if (*s != '\n' || !end || s > end) {
			*to++ = *s;
			continue;
		}
		while (s[1] == ' ')
			s++;
		if (to[-1] == ',')
			*to++ = ' ';
	}
	*to = '\0';
}

int json_send(json_t *value, bool one_line, const struct report_out *out)
{
	size_t flags = JSON_REAL_PRECISION(15) | (one_line ? JSON_COMPACT : JSON_INDENT(2));
	char *text = value ? json_dumps(value, flags) : NULL;
	char *line;
	size_t len;
	int err;

	json_decref(value);
	if (!text)
		return -ENOMEM;
	if (!one_line)
		join_plain_arrays(text);
	len = strlen(text);
	line = realloc(text, len + 1);
	if (!line) {
		free(text);
		return -ENOMEM;
	}
	line[len] = '\n'; /* in place of the end: a line is written by one call */
	err = out->write(out->ctx, line, len + 1);
	free(line);
	return err < 0 ? err : 0;
}

int report_json_result(const struct result *result, const struct report_out *out)
{
	return json_send(json_result(result), false, out);
}
