/* SPDX-License-Identifier: MIT */
/* From a command line to a configuration. */
#include "command_line.h"

#define MS 1000000ull
#define S  (1000 * MS)

static void send_has_the_documented_defaults(void **state)
{
	parse_fine("send eth1 eth2");
	assert_int_equal(o.action, ACTION_RUN);
	assert_int_equal(o.verb, VERB_SEND);
	assert_int_equal(o.config.command, COMMAND_SEND);
	assert_int_equal(o.config.nports, 2);
	assert_string_equal(o.config.port[0], "eth1");
	assert_string_equal(o.config.port[1], "eth2");
	assert_int_equal(o.config.mode, MODE_AUTO);
	assert_int_equal(o.config.queues, 0);
	assert_int_equal(o.config.queue_ids, 0);
	assert_int_equal(o.config.frame_bytes, 64);
	assert_int_equal(o.config.flows, 1);
	assert_int_equal(o.config.rate.unit, RATE_PPS);
	assert_true(o.config.rate.value == 1000);
	assert_int_equal(o.config.burst, 64);
	assert_int_equal(o.config.duration_ns, 10 * S);
	assert_int_equal(o.config.frames, 0);
	assert_int_equal(o.config.repeat, 1);
	assert_int_equal(o.config.interval_ns, S);
	assert_false(o.config.have_dst_mac || o.config.have_cpus || o.config.verify_full);
	assert_false(o.config.spin || o.config.force || o.config.expect_return);
	assert_int_equal(o.config.nlimits, 0);
	assert_string_equal(o.format, "text");
	assert_null(o.json);
	assert_false(o.monitor);
	assert_int_equal(o.verbosity, 0);
}

static void bench_and_demo_run_all_phases_at_full_rate(void **state)
{
	static const char *const lines[] = {"bench a:eth0 b:eth0", "demo"};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		parse_fine(lines[i]);
		assert_int_equal(o.config.command, COMMAND_BENCH);
		assert_int_equal(o.config.rate.unit, RATE_MAX);
		assert_int_equal(o.config.phases,
				 BENCH_A_TO_B | BENCH_B_TO_A | BENCH_BOTH | BENCH_REFLECTED);
		assert_int_equal(o.config.swap, SWAP_L4);
		assert_int_equal(o.config.duration_ns, (i ? 2 : 10) * S);
	}
	assert_int_equal(o.lab_queues, 2);
	assert_true(o.monitor);
	assert_int_equal(o.config.nports, 0);
	parse_fine("demo --format json");
	assert_false(o.monitor);
}

static void reflect_and_count_go_on_until_they_are_stopped(void **state)
{
	parse_fine("reflect eth1");
	assert_int_equal(o.config.command, COMMAND_REFLECT);
	assert_int_equal(o.config.duration_ns, DURATION_UNTIL_STOPPED);
	assert_int_equal(o.config.match, MATCH_STAMPED);
	assert_int_equal(o.config.swap, SWAP_L4);
	assert_int_equal(o.config.repeat, 1);
	parse_fine("reflect eth1 eth2");
	assert_int_equal(o.config.swap, SWAP_NONE);
	parse_fine("reflect eth1 eth2 --swap l2");
	assert_int_equal(o.config.swap, SWAP_L2);
	parse_fine("count eth1");
	assert_int_equal(o.config.command, COMMAND_COUNT);
	assert_int_equal(o.config.duration_ns, DURATION_UNTIL_STOPPED);
	assert_int_equal(o.config.expect, 0);
	assert_int_equal(o.config.repeat, 1);
}

static void a_number_of_frames_lifts_the_time_limit_unless_one_is_given(void **state)
{
	parse_fine("bench a b --frames 2.5M");
	assert_int_equal(o.config.frames, 2500000);
	assert_int_equal(o.config.duration_ns, DURATION_UNTIL_STOPPED);
	parse_fine("bench a b --frames 10 --duration 500ms");
	assert_int_equal(o.config.frames, 10);
	assert_int_equal(o.config.duration_ns, 500 * MS);
}

static void every_value_arrives_in_its_place(void **state)
{
	const struct config *c = &o.config;

	parse_fine("send eth1 --dst-mac 02:00:00:00:00:0a --mode zero-copy --queues 4 --size 1518 "
		   "--flows 10k --rate 5Gbps/l2 --burst 32 --repeat 3 --interval 200ms --spin");
	assert_memory_equal(c->dst_mac, "\x02\0\0\0\0\x0a", 6);
	assert_true(c->have_dst_mac && c->spin);
	assert_int_equal(c->mode, MODE_ZERO_COPY);
	assert_int_equal(c->queues, 4);
	assert_int_equal(c->frame_bytes, 1518);
	assert_int_equal(c->flows, 10000);
	assert_int_equal(c->rate.unit, RATE_L2_BPS);
	assert_true(c->rate.value == 5e9);
	assert_int_equal(c->burst, 32);
	assert_int_equal(c->repeat, 3);
	assert_int_equal(c->interval_ns, 200 * MS);
	parse_fine("send eth1 eth2 --queue-ids 0,2-3 --cpus 2-3,65 --rx-ring 4096 --tx-ring 64 "
		   "--verify full --expect-return --force --json out.json --format ndjson");
	assert_int_equal(c->queue_ids, 0xd);
	assert_int_equal(CPU_COUNT(&c->cpus), 3);
	assert_true(c->have_cpus && CPU_ISSET(2, &c->cpus) && CPU_ISSET(3, &c->cpus) &&
		    CPU_ISSET(65, &c->cpus));
	assert_int_equal(c->rx_ring, 4096);
	assert_int_equal(c->tx_ring, 64);
	assert_true(c->verify_full && c->expect_return && c->force);
	assert_string_equal(o.json, "out.json");
	assert_string_equal(o.format, "ndjson");
	parse_fine("count eth1 --expect 1M --fail-if 'loss>0' --fail-if 'p99>50us' --monitor");
	assert_int_equal(c->expect, 1000000);
	assert_int_equal(c->nlimits, 2);
	assert_int_equal(c->limit[0].what, LIMIT_LOSS);
	assert_int_equal(c->limit[1].what, LIMIT_LATENCY_P99);
	assert_string_equal(c->limit[1].text, "p99>50us");
	assert_true(o.monitor);
	parse_fine("demo --lab-queues 4 --phases both,a-to-b --swap l3");
	assert_int_equal(o.lab_queues, 4);
	assert_int_equal(c->phases, BENCH_BOTH | BENCH_A_TO_B);
	assert_int_equal(c->swap, SWAP_L3);
}

static void match_names_the_frames_of_others(void **state)
{
	parse_fine("reflect eth1 --match all");
	assert_int_equal(o.config.match, MATCH_ALL);
	parse_fine("reflect eth1 --match udp:7,5000-5010");
	assert_int_equal(o.config.match, MATCH_UDP);
	assert_int_equal(o.config.match_udp[0].low, 7);
	assert_int_equal(o.config.match_udp[0].high, 7);
	assert_int_equal(o.config.match_udp[1].low, 5000);
	assert_int_equal(o.config.match_udp[1].high, 5010);
	assert_int_equal(o.config.match_udp[2].high, 0);
}

static void options_stand_before_or_behind_the_command(void **state)
{
	parse_fine("--rate=1Mpps -v bench --size 512 eth1 --repeat 2 eth2");
	assert_int_equal(o.verb, VERB_BENCH);
	assert_int_equal(o.verbosity, 1);
	assert_true(o.config.rate.value == 1e6);
	assert_int_equal(o.config.frame_bytes, 512);
	assert_int_equal(o.config.repeat, 2);
	assert_string_equal(o.config.port[1], "eth2");
	parse_fine("send --dur 3s -q eth1 -- eth2"); /* the beginning of a name is enough */
	assert_int_equal(o.config.duration_ns, 3 * S);
	assert_int_equal(o.verbosity, -1);
	assert_int_equal(o.config.nports, 2);
	parse_fine("bench a b --size 64 --size 128"); /* the last one holds */
	assert_int_equal(o.config.frame_bytes, 128);
}

static void monitor_takes_a_run_or_none(void **state)
{
	parse_fine("monitor");
	assert_int_equal(o.verb, VERB_MONITOR);
	assert_null(o.run);
	parse_fine("monitor 12345 --interval 5s");
	assert_string_equal(o.run, "12345");
	assert_int_equal(o.config.interval_ns, 5 * S);
	parse_fine("monitor /run/user/1000/xdploop/7.sock");
	assert_string_equal(o.run, "/run/user/1000/xdploop/7.sock");
}

static void help_needs_nothing_else(void **state)
{
	static const struct {
		const char *line;
		enum action action;
		enum verb verb;
	} rows[] = {
		{"--help", ACTION_HELP, VERBS},
		{"-h", ACTION_HELP, VERBS},
		{"help", ACTION_HELP, VERBS},
		{"send --help", ACTION_HELP, VERB_SEND},
		{"--help bench a --rate 10x", ACTION_HELP, VERB_BENCH},
		{"help monitor", ACTION_HELP, VERB_MONITOR},
		{"help help", ACTION_HELP, VERB_HELP},
		{"help --help", ACTION_HELP, VERB_HELP},
		{"--version", ACTION_VERSION, VERBS},
		{"--print-man", ACTION_PRINT_MAN, VERBS},
		{"--print-completion", ACTION_PRINT_COMPLETION, VERBS},
		{"--print-options", ACTION_PRINT_OPTIONS, VERBS},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		parse_fine(rows[i].line);
		if (o.action != rows[i].action || o.verb != rows[i].verb)
			fail_msg("%s: action %d, command %d", rows[i].line, o.action, o.verb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(send_has_the_documented_defaults),
		cmocka_unit_test(bench_and_demo_run_all_phases_at_full_rate),
		cmocka_unit_test(reflect_and_count_go_on_until_they_are_stopped),
		cmocka_unit_test(a_number_of_frames_lifts_the_time_limit_unless_one_is_given),
		cmocka_unit_test(every_value_arrives_in_its_place),
		cmocka_unit_test(match_names_the_frames_of_others),
		cmocka_unit_test(options_stand_before_or_behind_the_command),
		cmocka_unit_test(monitor_takes_a_run_or_none),
		cmocka_unit_test(help_needs_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
