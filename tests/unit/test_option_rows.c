/* SPDX-License-Identifier: MIT */
/* What is said about a command line that makes no sense, and whether the rows keep their word. */
#include "command_line.h"

static void what_is_wrong_is_said_with_what_would_do(void **state)
{
	static const struct {
		const char *line, *error;
	} rows[] = {
		{"", "COMMAND is missing (try: xdploop demo; xdploop --help)"},
		{"bnech a b", "bnech: no such command (did you mean bench?)"},
		{"teleport",
		 "teleport: no such command (there are: demo, send, reflect, count, bench, "
		 "monitor)"},
		{"help sned", "sned: no such command (did you mean send?)"},
		{"help send bench",
		 "help bench: one word too many (usage: xdploop help [COMMAND])"},
		{"send a b --ratte 1Mpps", "--ratte: no such option (did you mean --rate?)"},
		{"send a b --wormhole", "--wormhole: no such option (xdploop --help shows where to "
					"look)"},
		{"send a b --queue 3", "--queue: could mean several options (one: --queues)"},
		{"send a b -x", "-x: no such option (xdploop --help shows where to look)"},
		{"send a b -verbose", "-verbose: no such option (did you mean --verbose?)"},
		{"send a b --rate", "--rate: RATE is missing (examples: 1Mpps, 5Gbps, 80%, max)"},
		{"send a b --mode",
		 "--mode: MODE is missing (one of: auto, zero-copy, copy, generic, native)"},
		{"send a b --spin=yes", "--spin=yes: --spin takes no value (write: --spin)"},
		{"send a b --rate 10x",
		 "--rate 10x: not a rate (examples: 1Mpps, 5Gbps, 80%, max)"},
		{"send a b --rate --size 64",
		 "--rate --size: not a rate (examples: 1Mpps, 5Gbps, 80%, max)"},
		{"send a b --rate=",
		 "--rate '': empty, not a rate (examples: 1Mpps, 5Gbps, 80%, max)"},
		{"send a b --mode fast",
		 "--mode fast: not a mode (one of: auto, zero-copy, copy, generic, native)"},
		{"send a b --size 63", "--size 63: outside 64 to 9216 (examples: 64, 512, 1518)"},
		{"send a b --rx-ring 100",
		 "--rx-ring 100: not a power of two (examples: 512, 4096)"},
		{"send a b --duration 0",
		 "--duration 0: outside 1ms to 1000h (examples: 10s, 500ms, "
		 "1m30s)"},
		{"bench a b --phases both,,reflected",
		 "--phases both,,reflected: not a list of phases (one of: a-to-b, b-to-a, both, "
		 "reflected, all)"},
		{"count a --rate 1Mpps",
		 "count has no --rate: it sends nothing (xdploop count --help lists what it has)"},
		{"send a b --swap l2",
		 "send has no --swap: it sends nothing back (xdploop send --help "
		 "lists what it has)"},
		{"bench a b --dst-mac 02:00:00:00:00:0a",
		 "bench has no --dst-mac: it is an option of send (xdploop bench --help lists what "
		 "bench "
		 "has)"},
		{"monitor --json x",
		 "monitor has no --json: it only watches; the run itself writes the "
		 "result (xdploop monitor --help lists what it has)"},
		{"bench", "bench: A is missing (example: xdploop bench eth1 eth2)"},
		{"bench eth1", "bench: B is missing (example: xdploop bench eth1 eth2)"},
		{"send", "send: PORT is missing (example: xdploop send eth1 eth2)"},
		{"demo eth1", "demo eth1: one word too many (usage: xdploop demo)"},
		{"count a b", "count b: one word too many (usage: xdploop count PORT)"},
		{"count eth1/2", "count eth1/2: not a name of a port (examples: eth1, NETNS:eth1)"},
		{"count abcdefghijklmnop",
		 "count abcdefghijklmnop: not a name of a port (examples: eth1, NETNS:eth1)"},
		{"count :eth1", "count :eth1: not a name of a port (examples: eth1, NETNS:eth1)"},
		{"bench a a", "bench a a: twice the same port (example: xdploop bench eth1 eth2)"},
		{"send a",
		 "send a: where to? (give the other port, as xdploop send a eth2, or --dst-mac "
		 "02:00:00:00:00:0a)"},
		{"send a b --dst-mac 02:00:00:00:00:0a",
		 "--dst-mac with PORT2 b: which one? (give one of them)"},
		{"send a --dst-mac 01:00:5e:00:00:01",
		 "--dst-mac 01:00:5e:00:00:01: not an address of one card (example: "
		 "02:00:00:00:00:0a)"},
		{"bench a b --queues 2 --queue-ids 0",
		 "--queues with --queue-ids: give one of them; --queues 2 is --queue-ids 0,1"},
		{"bench a b -v -q", "--quiet with --verbose: give one of them"},
		{"bench a b --format json --json -", "--json - with --format json: two results on "
						     "standard output (give one of them, or "
						     "--json FILE)"},
		{"bench a b --format ndjson --monitor",
		 "--monitor with --format ndjson: both write to standard output (give --monitor "
		 "and "
		 "--json FILE)"},
		{"reflect a --swap none",
		 "--swap none: frames that leave where they came in must be "
		 "turned round (l2, l3 or l4; none is for two ports)"},
		{"bench a b --swap none",
		 "--swap none: reflected frames must be turned round to come "
		 "back (l2, l3 or l4)"},
		{"monitor eth1",
		 "monitor eth1: not a run (examples: 12345, /run/xdploop/12345.sock)"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!parse(rows[i].line))
			fail_msg("%s: was taken", rows[i].line);
		assert_string_equal(o.error, rows[i].error);
	}
}

static void an_error_is_one_line_whatever_the_words_hold(void **state)
{
	char *argv[] = {"xdploop", "send", "a", "b", "--rate", "1\n2\033[2J\177", NULL};

	assert_int_not_equal(options_parse(6, argv, &o), 0);
	assert_string_equal(o.error,
			    "--rate 1?2?[2J?: not a rate (examples: 1Mpps, 5Gbps, 80%, max)");
}

static void too_many_words_are_refused(void **state)
{
	char *argv[400] = {"xdploop", "bench", "a", "b"};
	int argc = 4;

	while (argc < 399)
		argv[argc++] = "--spin";
	assert_int_not_equal(options_parse(argc, argv, &o), 0);
	assert_non_null(strstr(o.error, "too many words"));
	for (argc = 4; argc < 22; argc += 2) {
		argv[argc] = "--fail-if";
		argv[argc + 1] = "loss>0";
	}
	assert_int_not_equal(options_parse(argc, argv, &o), 0);
	assert_non_null(strstr(o.error, "--fail-if loss>0: one too many"));
}

/* The first command that takes an option. */
static enum verb verb_of(const struct option_row *row)
{
	return (enum verb)__builtin_ctz(row->commands);
}

static int parse_value(const struct option_row *row, const char *value)
{
	static const char *const words[VERBS] = {
		[VERB_DEMO] = "",   [VERB_SEND] = "a",	  [VERB_REFLECT] = "a b",
		[VERB_COUNT] = "a", [VERB_BENCH] = "a b", [VERB_MONITOR] = ""};
	enum verb verb = verb_of(row);
	char line[256];

	snprintf(line, sizeof(line), "%s %s %s --%s=%s", command_rows[verb].name, words[verb],
		 verb == VERB_SEND && strcmp(row->name, "dst-mac") ? "b" : "", row->name, value);
	return parse(line);
}

static void every_example_of_every_option_would_do(void **state)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		char values[128], *rest = values, *end;

		if (!row->metavar)
			continue;
		option_values(row, values, sizeof(values));
		assert_true(*values);
		for (; rest; rest = end) {
			end = strstr(rest, ", ");
			if (end) {
				*end = '\0';
				end += 2;
			}
			/* A demo can't turn frames round by doing nothing; the row says so. */
			if (!strcmp(row->name, "swap") && !strcmp(rest, "none"))
				continue;
			if (parse_value(row, rest))
				fail_msg("--%s %s: %s", row->name, rest, o.error);
		}
	}
}

static void every_option_refuses_nonsense_and_shows_examples(void **state)
{
	static const char *const nonsense[] = {"?",	   "-1",   "1e9",
					       "0x10",	   "1,,2", "99999999999999999999999",
					       "1 ",	   "max2", "5s5",
					       "10Gbit/s", "\xff", "--help"};

	for (const struct option_row *row = option_rows; row->name; row++) {
		char values[128], start[64];

		if (!row->metavar || !strcmp(row->metavar, "FILE"))
			continue;
		option_values(row, values, sizeof(values));
		for (size_t i = 0; i < ARRAY_LEN(nonsense); i++) {
			snprintf(start, sizeof(start), "--%s %s: ", row->name, nonsense[i]);
			if (!strchr(nonsense[i], ' ')) {
				if (!parse_value(row, nonsense[i]))
					fail_msg("%swas taken", start);
				assert_int_equal(strncmp(o.error, start, strlen(start)), 0);
				assert_non_null(strstr(o.error, values));
			}
		}
	}
}

static void the_rows_are_sound(void **state)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (option_index(row->name) != row - option_rows)
			fail_msg("--%s: twice", row->name);
		assert_true(row->commands && !(row->commands & ~VERB_ALL));
		assert_true(row->help && row->help[strlen(row->help) - 1] != '.');
		assert_true(!row->metavar == !row->noun);
		assert_true(row->metavar || (!row->examples && !row->word));
		for (int i = 0; i < OPTION_DEFAULTS && row->fallback[i].commands; i++) {
			struct options fresh = {.verb = VERBS};

			assert_int_equal(row->fallback[i].commands & ~row->commands, 0);
			if (!row->fallback[i].said &&
			    row->parse(row, row->fallback[i].text, &fresh))
				fail_msg("--%s: its default %s can't be parsed", row->name,
					 row->fallback[i].text);
		}
	}
	for (int verb = 0; verb < VERBS; verb++) {
		assert_int_equal(command_find(command_rows[verb].name), verb);
		assert_non_null(command_rows[verb].example[0].line);
	}
}

static void every_example_of_every_command_would_do(void **state)
{
	for (int verb = 0; verb < VERBS; verb++) {
		for (int i = 0; i < COMMAND_EXAMPLES; i++) {
			const char *line = command_rows[verb].example[i].line;

			if (!line)
				continue;
			assert_int_equal(strncmp(line, "xdploop ", 8), 0);
			parse_fine(line + 8);
			assert_int_equal(verb, o.action == ACTION_HELP ? VERB_HELP : o.verb);
		}
	}
}

static const char *fruit(int i)
{
	static const char *const names[] = {"apple", "apricot", "pear"};

	return i < 3 ? names[i] : NULL;
}

static void the_nearest_name_is_a_slip_away(void **state)
{
	assert_string_equal(nearest_name("aple", fruit), "apple");
	assert_string_equal(nearest_name("paer", fruit), "pear");
	assert_string_equal(nearest_name("apricots", fruit), "apricot");
	assert_null(nearest_name("plum", fruit));
	assert_null(nearest_name("a-word-that-is-longer-than-any-name-of-ours", fruit));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wrong_is_said_with_what_would_do),
		cmocka_unit_test(an_error_is_one_line_whatever_the_words_hold),
		cmocka_unit_test(too_many_words_are_refused),
		cmocka_unit_test(every_example_of_every_option_would_do),
		cmocka_unit_test(every_option_refuses_nonsense_and_shows_examples),
		cmocka_unit_test(the_rows_are_sound),
		cmocka_unit_test(every_example_of_every_command_would_do),
		cmocka_unit_test(the_nearest_name_is_a_slip_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
