/* SPDX-License-Identifier: MIT */
/*
 * The hello of the live socket: what a reader must know to make sense of the snapshots that follow.
 * Snapshots are sent as they lie in memory, so the hello says exactly how: layout number, sizes and
 * the names of all rows in order. A reader that was built otherwise refuses the run.
 */
#include "core/model.h"
#include "report/json.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELLO_SCHEMA "xdploop.live/1"
#define OTHER_BUILD  "that run is another version of xdploop (%s): use the monitor that came with it"

static json_t *layout_object(void)
{
	json_t *rows = json_object(), *o;

	for (int g = 0; g < GROUPS; g++) {
		json_t *names = json_array();

		for (int i = 0; i < report_groups[g].nrows; i++)
			json_array_append_new(names, json_string(report_groups[g].row[i]));
		if (json_array_size(names) != (size_t)report_groups[g].nrows) {
			json_decref(names);
			names = NULL;
		}
		if (json_object_set_new(rows, report_groups[g].name, names)) {
			json_decref(rows);
			return NULL;
		}
	}
	o = json_pack("{s:i, s:I, s:I, s:i, s:o}", "version", SNAPSHOT_LAYOUT, "snapshot_bytes",
		      (json_int_t)sizeof(struct snapshot), "queue_bytes",
		      (json_int_t)sizeof(struct queue_counters), "histogram_buckets", HIST_BUCKETS,
		      "rows", rows);
	return o;
}

static json_t *ports_array(const struct facts *facts)
{
	json_t *ports = json_array();

	for (uint32_t i = 0; i < facts->nports && i < PORTS_MAX; i++) {
		const struct facts_port *p = &facts->port[i];
		json_t *ids = json_array(), *port;

		for (uint32_t q = 0; q < p->queues && q < QUEUES_MAX; q++)
			json_array_append_new(ids, json_integer(p->queue_id[q]));
		port = json_pack("{s:o, s:o, s:s, s:s, s:o, s:b, s:I, s:o}", "name",
				 json_text(p->name, sizeof(p->name)), "driver",
				 json_text(p->driver, sizeof(p->driver)), "mode",
				 mode_name_in(p->engine, p->mode), "engine", engine_name(p->engine),
				 "speed_bps",
				 p->speed_bps ? json_count64(p->speed_bps) : json_null(),
				 "speed_nominal", (int)p->speed_nominal, "first_slot",
				 (json_int_t)p->first_slot, "queue_ids", ids);
		if (json_array_append_new(ports, port)) {
			json_decref(ports);
			return NULL;
		}
	}
	return ports;
}

char *report_hello(const struct facts *facts)
{
	json_t *hello =
		json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:o, s:I, s:I, s:o}", "schema",
			  HELLO_SCHEMA, "layout", layout_object(), "command",
			  json_text(facts->command, sizeof(facts->command)), "title",
			  json_text(facts->title, sizeof(facts->title)), "pid",
			  (json_int_t)facts->pid, "start_ns", (json_int_t)facts->start_ns,
			  "frame_bytes",
			  facts->frame_bytes ? json_integer(facts->frame_bytes) : json_null(),
			  "run", (json_int_t)facts->run, "slots", (json_int_t)facts->nslots,
			  "ports", ports_array(facts));
	char *text = hello ? json_dumps(hello, JSON_COMPACT) : NULL;

	json_decref(hello);
	return text;
}

/* The reader: every get_*() fails with -EINVAL for a missing key, a wrong type or range. */

static int get_number(const json_t *o, const char *key, int64_t low, int64_t high, int64_t *out)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v) || json_integer_value(v) < low || json_integer_value(v) > high)
		return -EINVAL;
	*out = json_integer_value(v);
	return 0;
}

/* null, for what is not known, is 0 in facts. */
static int get_number_or_null(const json_t *o, const char *key, int64_t high, int64_t *out)
{
	if (!json_is_null(json_object_get(o, key)))
		return get_number(o, key, 1, high, out);
	*out = 0;
	return 0;
}

/* Only what report_word() leaves as it is: nothing that could steer a terminal. */
static int get_text(const json_t *o, const char *key, char *out, size_t size)
{
	const char *text = json_string_value(json_object_get(o, key));

	if (!text || strlen(text) >= size || strcmp(report_word(text, size).text, text))
		return -EINVAL;
	strcpy(out, text);
	return 0;
}

static int get_engine(const json_t *o, enum engine *out)
{
	const char *text = json_string_value(json_object_get(o, "engine"));

	for (int engine = ENGINE_XSK; text && engine < ENGINES; engine++) {
		if (!strcmp(text, engine_name(engine))) {
			*out = engine;
			return 0;
		}
	}
	return -EINVAL;
}

static int get_mode(const json_t *o, enum engine engine, enum mode *out)
{
	const char *text = json_string_value(json_object_get(o, "mode"));

	for (int mode = 0; text && mode < MODES; mode++) {
		if (!strcmp(text, mode_name_in(engine, mode))) {
			*out = mode;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_port(const json_t *o, uint32_t nslots, struct facts_port *out)
{
	const json_t *ids = json_object_get(o, "queue_ids");
	const json_t *nominal = json_object_get(o, "speed_nominal");
	size_t queues = json_array_size(ids);
	int64_t slot, speed;

	if (!json_is_boolean(nominal) || !queues || queues > QUEUES_MAX || queues > nslots ||
	    get_text(o, "name", out->name, sizeof(out->name)) ||
	    get_text(o, "driver", out->driver, sizeof(out->driver)) ||
	    get_engine(o, &out->engine) || get_mode(o, out->engine, &out->mode) ||
	    get_number_or_null(o, "speed_bps", INT64_MAX, &speed) ||
	    get_number(o, "first_slot", 0, (int64_t)(nslots - queues), &slot))
		return -EINVAL;
	for (size_t i = 0; i < queues; i++) {
		const json_t *id = json_array_get(ids, i);

		if (!json_is_integer(id) || json_integer_value(id) < 0 ||
		    json_integer_value(id) > UINT16_MAX)
			return -EINVAL;
		out->queue_id[i] = (uint32_t)json_integer_value(id);
	}
	out->speed_bps = (uint64_t)speed;
	out->speed_nominal = json_is_true(nominal);
	out->queues = (uint32_t)queues;
	out->first_slot = (uint32_t)slot;
	return 0;
}

static int parse_facts(const json_t *o, struct facts *out)
{
	const json_t *ports = json_object_get(o, "ports");
	size_t nports = json_array_size(ports);
	int64_t start_ns, frame_bytes, run, nslots;

	if (!nports || nports > PORTS_MAX ||
	    get_text(o, "command", out->command, sizeof(out->command)) ||
	    get_text(o, "title", out->title, sizeof(out->title)) ||
	    get_number(o, "pid", 1, INT32_MAX, &out->pid) ||
	    get_number(o, "start_ns", 0, INT64_MAX, &start_ns) ||
	    get_number_or_null(o, "frame_bytes", FRAME_BYTES_MAX, &frame_bytes) ||
	    get_number(o, "run", 0, UINT32_MAX, &run) ||
	    get_number(o, "slots", 1, COUNTER_SLOTS_MAX, &nslots))
		return -EINVAL;
	for (size_t i = 0; i < nports; i++) {
		if (parse_port(json_array_get(ports, i), (uint32_t)nslots, &out->port[i]))
			return -EINVAL;
	}
	out->start_ns = (uint64_t)start_ns;
	out->frame_bytes = (uint32_t)frame_bytes;
	out->run = (uint32_t)run;
	out->nslots = (uint32_t)nslots;
	out->nports = (uint32_t)nports;
	return 0;
}

static int refuse(char *why, size_t size, const char *what)
{
	snprintf(why, size, OTHER_BUILD, what);
	return -EPROTO;
}

/* Were the run's snapshots laid out by the headers that this program was built with? */
static int check_layout(const json_t *o, char *why, size_t size)
{
	json_t *ours = layout_object(), *theirs = json_object_get(o, "layout");
	static const char *const parts[][2] = {
		{"version", "its counters have another layout number"},
		{"snapshot_bytes", "its snapshots have another size"},
		{"queue_bytes", "its queues have other counters"},
		{"histogram_buckets", "its histograms have another size"},
		{"rows", "its counters have other names or another order"},
	};
	int err = 0;

	if (!ours) {
		snprintf(why, size, "out of memory");
		return -ENOMEM;
	}
	for (size_t i = 0; !err && i < sizeof(parts) / sizeof(*parts); i++) {
		if (!json_equal(json_object_get(ours, parts[i][0]),
				json_object_get(theirs, parts[i][0])))
			err = refuse(why, size, parts[i][1]);
	}
	json_decref(ours);
	return err;
}

int report_hello_parse(const char *text, struct facts *out, char *why, size_t why_size)
{
	json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const char *schema = json_string_value(json_object_get(o, "schema"));
	struct facts facts = {0};
	int err = -EINVAL;

	if (!schema || strncmp(schema, "xdploop.live/", 13)) {
		snprintf(why, why_size, "that is not the live socket of xdploop");
		goto out;
	}
	if (strcmp(schema, HELLO_SCHEMA)) {
		err = refuse(why, why_size, "it greets in another way");
		goto out;
	}
	err = check_layout(o, why, why_size);
	if (err)
		goto out;
	err = parse_facts(o, &facts);
	if (err)
		snprintf(why, why_size, "that run's greeting makes no sense: is it xdploop?");
	else
		*out = facts;
out:
	json_decref(o);
	return err;
}
