/* SPDX-License-Identifier: MIT */
/*
 * tools/schema/result.schema.json and the JSON that is written say the same: every key that is
 * written is described, every key described is written, types and ranges agree. Knows just the
 * part of JSON Schema (draft 2020-12) that the file uses, and fails on anything else.
 */
#include "fixture_result.h"
#include "fixture_snapshot.h"
#include "sink.h"
#include <jansson.h>
#include <stdio.h>

#define SCHEMA_FILE "tools/schema/result.schema.json"

struct check {
	const json_t *root;
	json_t *seen; /* {description of an object: {key: true}}, by address */
};

static void validate(struct check *c, const json_t *schema, const json_t *value, const char *where);

static const char *type_name(const json_t *v)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "object",   [JSON_ARRAY] = "array", [JSON_STRING] = "string",
		[JSON_INTEGER] = "integer", [JSON_REAL] = "number", [JSON_TRUE] = "boolean",
		[JSON_FALSE] = "boolean",   [JSON_NULL] = "null",
	};

	return names[json_typeof(v)];
}

static bool type_fits(const json_t *type, const json_t *value)
{
	const json_t *one;
	size_t i;

	if (json_is_string(type))
		return !strcmp(json_string_value(type), type_name(value)) ||
		       (json_is_integer(value) && !strcmp(json_string_value(type), "number"));
	json_array_foreach (type, i, one) {
		if (type_fits(one, value))
			return true;
	}
	return false;
}

static bool in_array(const json_t *array, const json_t *value)
{
	const json_t *one;
	size_t i;

	json_array_foreach (array, i, one) {
		if (json_equal(one, value))
			return true;
	}
	return false;
}

static void note_key(struct check *c, const json_t *properties, const char *key)
{
	char id[32];
	json_t *keys;

	snprintf(id, sizeof(id), "%p", (const void *)properties);
	keys = json_object_get(c->seen, id);
	if (!keys) {
		keys = json_object();
		json_object_set_new(c->seen, id, keys);
	}
	json_object_set_new(keys, key, json_true());
}

static void validate_object(struct check *c, const json_t *schema, const json_t *value,
			    const char *where)
{
	const json_t *properties = json_object_get(schema, "properties"), *required, *one;
	const json_t *more = json_object_get(schema, "additionalProperties");
	const char *key;
	char path[256];
	size_t i;

	assert_non_null(more);
	json_object_foreach ((json_t *)value, key, one) {
		const json_t *described = json_object_get(properties, key);

		snprintf(path, sizeof(path), "%s.%s", where, key);
		if (!described && json_is_false(more))
			fail_msg("%s is written, but not described", path);
		if (described)
			note_key(c, properties, key);
		validate(c, described ? described : more, one, path);
	}
	required = json_object_get(schema, "required");
	json_array_foreach (required, i, one) {
		if (!json_object_get(value, json_string_value(one)))
			fail_msg("%s.%s is required, but not written", where,
				 json_string_value(one));
	}
}

static void validate_array(struct check *c, const json_t *schema, const json_t *value,
			   const char *where)
{
	const json_t *prefix = json_object_get(schema, "prefixItems"), *one;
	const json_t *items = json_object_get(schema, "items"), *limit;
	size_t i;

	limit = json_object_get(schema, "minItems");
	assert_true(!limit || json_array_size(value) >= (size_t)json_integer_value(limit));
	limit = json_object_get(schema, "maxItems");
	assert_true(!limit || json_array_size(value) <= (size_t)json_integer_value(limit));
	json_array_foreach (value, i, one) {
		const json_t *described =
			i < json_array_size(prefix) ? json_array_get(prefix, i) : items;
		if (!json_is_object(described))
			fail_msg("%s has too many items", where);
		validate(c, described, one, where);
	}
}

static const json_t *resolve(const struct check *c, const json_t *schema)
{
	const char *ref = json_string_value(json_object_get(schema, "$ref"));

	if (!ref)
		return schema;
	assert_int_equal(strncmp(ref, "#/$defs/", 8), 0);
	schema = json_object_get(json_object_get(c->root, "$defs"), ref + 8);
	if (!schema)
		fail_msg("no %s", ref);
	return schema;
}

static void validate(struct check *c, const json_t *schema, const json_t *value, const char *where)
{
	const json_t *rule;

	schema = resolve(c, schema);
	rule = json_object_get(schema, "type");
	if (rule && !type_fits(rule, value))
		fail_msg("%s must not be of type %s", where, type_name(value));
	rule = json_object_get(schema, "enum");
	if (rule && !in_array(rule, value))
		fail_msg("%s is none of the words", where);
	rule = json_object_get(schema, "const");
	if (rule && !json_equal(rule, value))
		fail_msg("%s is not the constant", where);
	rule = json_object_get(schema, "minimum");
	if (rule && json_is_number(value) && json_number_value(value) < json_number_value(rule))
		fail_msg("%s is below the minimum", where);
	if (json_is_object(value))
		validate_object(c, schema, value, where);
	if (json_is_array(value))
		validate_array(c, schema, value, where);
}

/* Every property in the file was written by some report; words of the schema are known ones. */
static void check_all_seen(struct check *c, const json_t *schema, const char *where)
{
	static const char *const words[] = {
		"$schema",  "title",	  "description", "type",  "additionalProperties",
		"required", "properties", "$defs",	 "$ref",  "const",
		"enum",	    "minimum",	  "pattern",	 "items", "prefixItems",
		"minItems", "maxItems",
	};
	const json_t *part, *properties = json_object_get(schema, "properties");
	const char *key;
	char path[256], id[32];

	snprintf(id, sizeof(id), "%p", (const void *)properties);
	json_object_foreach ((json_t *)schema, key, part) {
		bool known = false;

		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			known |= !strcmp(words[i], key);
		if (!known)
			fail_msg("%s: this test does not know the word %s", where, key);
	}
	json_object_foreach ((json_t *)properties, key, part) {
		snprintf(path, sizeof(path), "%s.%s", where, key);
		if (!json_object_get(json_object_get(c->seen, id), key))
			fail_msg("%s is described, but never written", path);
		check_all_seen(c, part, path);
	}
	json_object_foreach (json_object_get(schema, "$defs"), key, part) {
		check_all_seen(c, part, key);
	}
}

static void check_text(struct check *c, const struct sink *s, const json_t *schema)
{
	json_t *value = json_loads(s->text, 0, NULL);

	assert_non_null(value);
	validate(c, schema, value, "");
	json_decref(value);
}

static void schema_and_reports_say_the_same(void **state)
{
	static const char *const formats[] = {"json", "ndjson"};
	const struct result *results[] = {fixture_result(), fixture_result_send()};
	struct facts facts;
	struct snapshot *now = fixture_snapshot(1), *before = fixture_snapshot(0);
	struct report_interval in = {
		.facts = &facts, .trial = "both", .now = now, .before = before};
	json_error_t error;
	json_t *root = json_load_file(SCHEMA_FILE, JSON_REJECT_DUPLICATES, &error);
	struct check c = {.root = root, .seen = json_object()};
	struct sink s;

	if (!root)
		fail_msg("%s:%d: %s", SCHEMA_FILE, error.line, error.text);
	for (size_t i = 0; i < 4; i++) {
		s = sink_result(formats[i / 2], results[i % 2]);
		check_text(&c, &s, root);
		free(s.text);
	}
	fixture_facts(&facts);
	s = sink_interval("ndjson", &in);
	check_text(&c, &s, json_object_get(json_object_get(root, "$defs"), "interval"));
	check_all_seen(&c, root, "");
	free(s.text);
	free(now);
	free(before);
	json_decref(c.seen);
	json_decref(root);
}

/* A key that is described is also demanded, but for the few that may be left out. */
static void schema_demands_what_it_describes(void **state)
{
	static const char *const optional[] = {"type", "worker", "program", "socket", "netdev"};
	json_t *root = json_load_file(SCHEMA_FILE, 0, NULL), *def;
	const char *name, *key;

	json_object_foreach (json_object_get(root, "$defs"), name, def) {
		json_t *properties = json_object_get(def, "properties"), *one;

		json_object_foreach (properties, key, one) {
			json_t *word = json_string(key);
			bool may = false;

			for (size_t i = 0; i < ARRAY_LEN(optional); i++)
				may |= !strncmp(name, "interval", 8) && !strcmp(optional[i], key);
			if (!may && !in_array(json_object_get(def, "required"), word))
				fail_msg("%s.%s is not required", name, key);
			json_decref(word);
		}
	}
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schema_and_reports_say_the_same),
		cmocka_unit_test(schema_demands_what_it_describes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
