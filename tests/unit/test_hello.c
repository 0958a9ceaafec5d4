/* SPDX-License-Identifier: MIT */
/* The hello of the live socket: there and back, and what a reader must refuse. */
#include "fixture_snapshot.h"
#include "golden.h"
#include "sink.h"
#include <jansson.h>

static json_t *fixed_hello(void)
{
	struct facts facts;
	char *text;
	json_t *o;

	fixture_facts(&facts);
	text = report_hello(&facts);
	o = json_loads(text, 0, NULL);
	assert_non_null(o);
	free(text);
	return o;
}

/* Parse what became of a hello; takes it. The facts must be untouched when it is refused. */
static int parse(json_t *hello, struct facts *facts, char *why, size_t size)
{
	char *text = json_dumps(hello, JSON_COMPACT);
	struct facts before;
	int err;

	assert_non_null(text);
	memset(facts, 0x5a, sizeof(*facts));
	before = *facts;
	why[0] = '\0';
	err = report_hello_parse(text, facts, why, size);
	if (err) {
		assert_memory_equal(facts, &before, sizeof(before));
		assert_true(why[0]);
	}
	free(text);
	json_decref(hello);
	return err;
}

/* It is a hello, but not of this build: the words must say what to do. */
static void refused_as_other_version(json_t *hello, const char *what)
{
	struct facts facts;
	char why[256];

	assert_int_equal(parse(hello, &facts, why, sizeof(why)), -EPROTO);
	if (!strstr(why, "another version of xdploop") ||
	    !strstr(why, "use the monitor that came with it") || !strstr(why, what))
		fail_msg("'%s' lacks '%s'", why, what);
}

static void refused_as_nonsense(json_t *hello)
{
	struct facts facts;
	char why[256];

	assert_int_equal(parse(hello, &facts, why, sizeof(why)), -EINVAL);
}

static void hello_is_what_was_approved(void **state)
{
	json_t *o = fixed_hello();
	char *text = json_dumps(o, JSON_INDENT(1));
	size_t len = strlen(text);

	/* A change of the layout part is a change of what is sent: raise SNAPSHOT_LAYOUT. */
	text[len] = '\n';
	golden_check("report_hello.json", text, len + 1);
	free(text);
	json_decref(o);
}

static void hello_goes_there_and_back(void **state)
{
	struct facts facts, again;
	char why[256], *text;

	fixture_facts(&facts);
	facts.port[1].speed_bps = 0;
	facts.port[1].engine = ENGINE_XSK;
	facts.port[1].mode = MODE_ZERO_COPY;
	facts.port[1].queue_id[1] = 63;
	facts.frame_bytes = 0;
	text = report_hello(&facts);
	assert_non_null(text);
	assert_int_equal(report_hello_parse(text, &again, why, sizeof(why)), 0);
	free(text);
	assert_string_equal(again.command, "bench");
	assert_string_equal(again.title, facts.title);
	assert_int_equal(again.pid, 4242);
	assert_int_equal(again.start_ns, 1000000000);
	assert_int_equal(again.frame_bytes, 0);
	assert_int_equal(again.run, 0x1f00);
	assert_int_equal(again.nports, 2);
	assert_int_equal(again.nslots, 4);
	for (int i = 0; i < 2; i++) {
		const struct facts_port *p = &facts.port[i], *q = &again.port[i];

		assert_string_equal(p->name, q->name);
		assert_string_equal(p->driver, q->driver);
		assert_int_equal(p->mode, q->mode);
		assert_int_equal(p->speed_bps, q->speed_bps);
		assert_int_equal(p->speed_nominal, q->speed_nominal);
		assert_int_equal(p->queues, q->queues);
		assert_int_equal(p->first_slot, q->first_slot);
		assert_memory_equal(p->queue_id, q->queue_id, sizeof(p->queue_id));
	}
}

static void the_largest_run_there_can_be_goes_there_and_back(void **state)
{
	struct facts facts = {.pid = 1, .nports = PORTS_MAX, .nslots = PORTS_MAX * QUEUES_MAX};
	struct facts again;
	char why[256], *text;

	memset(facts.title, 't', sizeof(facts.title) - 1);
	memset(facts.command, 'c', sizeof(facts.command) - 1);
	for (uint32_t i = 0; i < PORTS_MAX; i++) {
		struct facts_port *p = &facts.port[i];

		memset(p->name, 'n', sizeof(p->name) - 1);
		memset(p->driver, 'd', sizeof(p->driver) - 1);
		p->engine = ENGINE_KERNEL;
		p->mode = MODE_GENERIC;
		p->queues = QUEUES_MAX;
		p->first_slot = i * QUEUES_MAX;
		for (uint32_t q = 0; q < QUEUES_MAX; q++)
			p->queue_id[q] = q;
	}
	text = report_hello(&facts);
	assert_non_null(text);
	assert_in_range(strlen(text), 1000, 4096); /* one message of the live socket */
	assert_int_equal(report_hello_parse(text, &again, why, sizeof(why)), 0);
	assert_memory_equal(&again.port[3].queue_id, &facts.port[3].queue_id,
			    sizeof(facts.port[3].queue_id));
	free(text);
}

static void names_that_are_not_fit_to_print_are_made_so(void **state)
{
	struct facts facts, again;
	char why[256], *text;

	fixture_facts(&facts);
	strcpy(facts.port[0].name, "\x1b[2J\xff");
	text = report_hello(&facts);
	assert_int_equal(report_hello_parse(text, &again, why, sizeof(why)), 0);
	assert_string_equal(again.port[0].name, "?[2J?");
	free(text);
}

static void another_layout_is_refused_with_words(void **state)
{
	json_t *o = fixed_hello(), *rows;

	json_object_set_new(json_object_get(o, "layout"), "version",
			    json_integer(SNAPSHOT_LAYOUT + 1));
	refused_as_other_version(o, "another layout number");
	o = fixed_hello();
	json_object_set_new(json_object_get(o, "layout"), "snapshot_bytes", json_integer(64));
	refused_as_other_version(o, "snapshots have another size");
	o = fixed_hello();
	json_object_set_new(json_object_get(o, "layout"), "queue_bytes", json_integer(64));
	refused_as_other_version(o, "queues have other counters");
	o = fixed_hello();
	json_object_del(json_object_get(o, "layout"), "histogram_buckets");
	refused_as_other_version(o, "histograms have another size");
	o = fixed_hello();
	rows = json_object_get(json_object_get(json_object_get(o, "layout"), "rows"), "worker");
	json_array_remove(rows, 3);
	refused_as_other_version(o, "other names or another order");
	o = fixed_hello();
	json_object_set_new(o, "schema", json_string("xdploop.live/2"));
	refused_as_other_version(o, "greets in another way");
	o = fixed_hello();
	json_object_del(o, "layout");
	refused_as_other_version(o, "layout number");
}

/* A good hello, but for one value of its own or of its second port. */
static json_t *with(const char *key, json_t *value)
{
	json_t *o = fixed_hello();

	assert_non_null(json_object_get(o, key));
	json_object_set_new(o, key, value);
	return o;
}

static json_t *with_port(const char *key, json_t *value)
{
	json_t *o = fixed_hello(), *port = json_array_get(json_object_get(o, "ports"), 1);

	assert_non_null(json_object_get(port, key));
	json_object_set_new(port, key, value);
	return o;
}

static json_t *numbers(int n, json_int_t value)
{
	json_t *a = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(a, json_integer(value));
	return a;
}

static json_t *letters(int n)
{
	json_t *s;
	char *text = malloc((size_t)n + 1);

	memset(text, 'x', (size_t)n);
	text[n] = '\0';
	s = json_string(text);
	free(text);
	return s;
}

static void facts_out_of_bounds_are_refused(void **state)
{
	json_t *(*const make[])(const char *, json_t *) = {with, with_port};
	const struct {
		int port;
		const char *key;
		json_t *value;
	} bad[] = {
		{0, "command", letters(16)},
		{0, "command", json_integer(1)},
		{0, "title", letters(80)},
		{0, "title", json_string("\x1b]0;title\x07")},
		{0, "title",
		 json_string("\xc2\x9b"
			     "2J")},
		{0, "start_ns", json_integer(-1)},
		{0, "start_ns", json_null()},
		{0, "pid", json_integer(0)},
		{0, "pid", json_integer(-1)},
		{0, "pid", json_real(4242)},
		{0, "run", json_integer(1ll << 32)},
		{0, "frame_bytes", json_integer(FRAME_BYTES_MAX + 1)},
		{0, "slots", json_integer(0)},
		{0, "slots", json_integer(3)},
		{0, "slots", json_integer(COUNTER_SLOTS_MAX + 1)},
		{0, "slots", json_null()},
		{0, "ports", json_array()},
		{0, "ports", json_object()},
		{0, "ports", numbers(2, 1)},
		{1, "name", letters(64)},
		{1, "name", json_null()},
		{1, "driver", letters(32)},
		{1, "mode", json_string("turbo")},
		{1, "mode", json_integer(2)},
		{1, "speed_bps", json_integer(-1)},
		{1, "speed_bps", json_integer(0)},
		{1, "speed_nominal", json_integer(1)},
		{1, "first_slot", json_integer(3)},
		{1, "first_slot", json_integer(-1)},
		{1, "first_slot", json_integer(0xffffffffll)},
		{1, "queue_ids", json_array()},
		{1, "queue_ids", numbers(5, 0)},
		{1, "queue_ids", numbers(QUEUES_MAX + 1, 0)},
		{1, "queue_ids", numbers(2, -1)},
		{1, "queue_ids", numbers(2, 1 << 16)},
		{1, "queue_ids", json_string("0-1")},
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		refused_as_nonsense(make[bad[i].port](bad[i].key, bad[i].value));
}

static void too_many_ports_are_refused(void **state)
{
	json_t *o = fixed_hello(), *ports = json_object_get(o, "ports");

	for (int i = 2; i <= PORTS_MAX; i++)
		json_array_append_new(ports, json_deep_copy(json_array_get(ports, 0)));
	refused_as_nonsense(o);
}

static void more_queues_than_there_can_be_are_refused(void **state)
{
	json_t *o = with_port("queue_ids", numbers(QUEUES_MAX + 1, 0));

	/* Slots enough, so that nothing else is wrong. */
	json_object_set_new(o, "slots", json_integer(COUNTER_SLOTS_MAX));
	refused_as_nonsense(o);
}

static void what_is_no_hello_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"null",
		"{\"schema\":1}",
		"{\"schema\":\"xdploop.result/1\"}",
		"{\"schema\":\"xdploop.live/1\",\"schema\":\"xdploop.live/1\"}",
		"HTTP/1.1 200 OK",
	};
	struct facts facts;
	char why[64];

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		strcpy(why, "");
		assert_int_equal(report_hello_parse(texts[i], &facts, why, sizeof(why)), -EINVAL);
		assert_string_equal(why, "that is not the live socket of xdploop");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hello_is_what_was_approved),
		cmocka_unit_test(hello_goes_there_and_back),
		cmocka_unit_test(the_largest_run_there_can_be_goes_there_and_back),
		cmocka_unit_test(names_that_are_not_fit_to_print_are_made_so),
		cmocka_unit_test(another_layout_is_refused_with_words),
		cmocka_unit_test(facts_out_of_bounds_are_refused),
		cmocka_unit_test(too_many_ports_are_refused),
		cmocka_unit_test(more_queues_than_there_can_be_are_refused),
		cmocka_unit_test(what_is_no_hello_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
