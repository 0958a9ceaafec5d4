/* SPDX-License-Identifier: MIT */
/* The options of xdploop, in the order of the help. To add one, add a row and its parser. */
#include "cli/option_parse.h"
#include "core/frame.h"
#include <stdio.h>
#include <string.h>

#define REPEAT_MAX 1000
#define COUNT_MAX  1000000000000000ull /* frames: a month at any rate there is */
#define RING_MIN   64
#define RING_MAX   65536
#define MS	   1000000ull
#define HOUR	   (3600 * 1000 * MS)

/* What holds without the option: parsed like a given value, or only said in the help. */
#define APPLIED(set, value)                        \
	{                                          \
		.commands = (set), .text = (value) \
	}
#define SAID(set, words)                                         \
	{                                                        \
		.commands = (set), .text = (words), .said = true \
	}

const char *const option_group_titles[OPTION_GROUPS] = {
	[GROUP_PORT] = "Ports and sockets",
	[GROUP_SEND] = "Frames to send",
	[GROUP_TURN] = "Frames to send back",
	[GROUP_CHECK] = "Frames that arrive",
	[GROUP_RUN] = "The run",
	[GROUP_OUTPUT] = "Results",
	[GROUP_GLOBAL] = "With every command",
	[GROUP_BUILD] = "For those who build and package it",
};

/* clang-format off */
const struct option_row option_rows[] = {
	{
		.name = "engine", .metavar = "ENGINE", .group = GROUP_PORT, .commands = VERB_TRAFFIC,
		.help = "What moves the frames: xsk (threads and AF_XDP sockets), kernel (an XDP "
			"program by itself, which copies nothing), or auto: xsk where zero-copy is to "
			"be had, else kernel where it can do what was asked",
		.parse = option_engine, .noun = "an engine", .word = engine_word,
		.fallback = {APPLIED(VERB_TRAFFIC, "auto")},
	}, {
		.name = "mode", .metavar = "MODE", .group = GROUP_PORT, .commands = VERB_TRAFFIC,
		.help = "How frames come from and go to the driver. auto takes the best there is; "
			"zero-copy, copy (native XDP; native with the kernel engine) and generic "
			"are strict: they work or fail with words",
		.parse = option_mode, .noun = "a mode", .word = mode_word,
		.fallback = {APPLIED(VERB_TRAFFIC, "auto")},
	}, {
		.name = "queues", .metavar = "N", .group = GROUP_PORT, .commands = VERB_TRAFFIC,
		.help = "Sockets on the queues 0 to N-1 of each port",
		.parse = option_queues, .noun = "a number of queues", .examples = "1, 4",
		.low = 1, .high = QUEUES_MAX,
		.fallback = {SAID(VERB_TRAFFIC, "all")},
	}, {
		.name = "queue-ids", .metavar = "LIST", .group = GROUP_PORT,
		.commands = VERB_TRAFFIC,
		.help = "Sockets on these queues, as 0,2-3",
		.parse = option_queue_ids, .noun = "a list of queues", .examples = "0, 0,2-3",
		.range = "0 to 63",
	}, {
		.name = "rx-ring", .metavar = "N", .group = GROUP_PORT, .commands = VERB_TRAFFIC,
		.help = "Entries of each socket's RX ring, a power of two",
		.parse = option_rx_ring, .noun = "a power of two", .examples = "512, 4096",
		.low = RING_MIN, .high = RING_MAX,
		.fallback = {SAID(VERB_TRAFFIC, "to fit the port")},
	}, {
		.name = "tx-ring", .metavar = "N", .group = GROUP_PORT, .commands = VERB_TRAFFIC,
		.help = "Entries of each socket's TX ring, a power of two",
		.parse = option_tx_ring, .noun = "a power of two", .examples = "512, 2048",
		.low = RING_MIN, .high = RING_MAX,
		.fallback = {SAID(VERB_TRAFFIC, "to fit the port")},
	}, {
		.name = "lab-queues", .metavar = "N", .group = GROUP_PORT,
		.commands = VERB_BIT(VERB_DEMO),
		.help = "RX and TX queues of each port of the lab",
		.parse = option_lab_queues, .noun = "a number of queues", .examples = "1, 2",
		.low = 1, .high = QUEUES_MAX,
		.fallback = {APPLIED(VERB_BIT(VERB_DEMO), "2")},
	}, {
		.name = "force", .group = GROUP_PORT,
		.commands = VERB_TRAFFIC & ~VERB_BIT(VERB_DEMO),
		.help = "Use a port even though it carries the default route: you may be logged in "
			"through it",
		.parse = option_force,
	}, {
		.name = "size", .metavar = "BYTES", .group = GROUP_SEND, .commands = VERB_GENERATORS,
		.help = "Frame size, with the 4 bytes of the FCS",
		.parse = option_size, .noun = "a frame size", .examples = "64, 512, 1518",
		.low = FRAME_BYTES_MIN, .high = FRAME_BYTES_MAX,
		.fallback = {APPLIED(VERB_GENERATORS, "64")},
	}, {
		.name = "flows", .metavar = "N", .group = GROUP_SEND,
		.commands = VERB_GENERATORS | VERB_BIT(VERB_COUNT),
		.help = "Flows, each with its own UDP ports and sequence numbers; count: that may "
			"come (fewer flows have longer windows)",
		.parse = option_flows, .noun = "a number of flows", .examples = "1, 256, 10k",
		.low = 1, .high = FRAME_FLOWS_MAX,
		.fallback = {APPLIED(VERB_GENERATORS, "1"), SAID(VERB_BIT(VERB_COUNT), "any")},
	}, {
		.name = "rate", .metavar = "RATE", .group = GROUP_SEND, .commands = VERB_GENERATORS,
		.help = "Load per direction, split over the TX queues: frames per second as 1Mpps; "
			"bits per second with preamble and gap as 5Gbps (L1) or without as "
			"5Gbps/l2; part of the link as 80%; or max",
		.parse = option_rate, .noun = "a rate", .examples = "1Mpps, 5Gbps, 80%, max",
		.range = "1 frame an hour to 1Gpps",
		.fallback = {APPLIED(VERB_BIT(VERB_SEND), "1000pps"), APPLIED(VERB_BENCHES, "max")},
	}, {
		.name = "burst", .metavar = "N", .group = GROUP_SEND, .commands = VERB_GENERATORS,
		.help = "Frames handed to the kernel together",
		.parse = option_burst, .noun = "a number of frames", .examples = "1, 64",
		.low = 1, .high = BURST_MAX,
		.fallback = {APPLIED(VERB_GENERATORS, "64")},
	}, {
		.name = "stamp-every", .metavar = "N", .group = GROUP_SEND,
		.commands = VERB_GENERATORS,
		.help = "Kernel engine, at --rate max: read the clock for every Nth frame only; those "
			"between carry its time (the result's resolution says how long that is)",
		.parse = option_stamp_every, .noun = "a number of frames", .examples = "1, 16",
		.low = 1, .high = 1024,
		.fallback = {SAID(VERB_GENERATORS, "1")},
	}, {
		.name = "frames", .metavar = "N", .group = GROUP_SEND, .commands = VERB_GENERATORS,
		.help = "Send exactly N frames per direction, over all queues; without --duration "
			"there is then no limit of time",
		.parse = option_frames, .noun = "a number of frames", .examples = "1000, 2.5M",
		.low = 1, .high = COUNT_MAX,
		.fallback = {SAID(VERB_GENERATORS, "no limit")},
	}, {
		.name = "dst-mac", .metavar = "MAC", .group = GROUP_SEND,
		.commands = VERB_BIT(VERB_SEND),
		.help = "Destination of the frames: the far end's address, when PORT2 is not given",
		.parse = option_dst_mac, .noun = "a MAC address", .examples = "02:00:00:00:00:0a",
	}, {
		.name = "expect-return", .group = GROUP_SEND, .commands = VERB_BIT(VERB_SEND),
		.help = "There is a reflector at the far end: every frame that does not come back is "
			"lost",
		.parse = option_expect_return,
	}, {
		.name = "swap", .metavar = "LAYER", .group = GROUP_TURN,
		.commands = VERB_BENCHES | VERB_BIT(VERB_REFLECT),
		.help = "What a reflector exchanges: l2 (MAC addresses), l3 (and IP addresses), l4 (and "
			"ports), or none (only from port to port)",
		.parse = option_swap, .noun = "a layer", .word = swap_word,
		.fallback = {APPLIED(VERB_BENCHES, "l4"),
			     SAID(VERB_BIT(VERB_REFLECT), "l4; with PORT2 none")},
	}, {
		.name = "match", .metavar = "WHAT", .group = GROUP_TURN,
		.commands = VERB_BIT(VERB_REFLECT),
		.help = "Frames to send back: stamped (ours), udp:PORTS (and UDP to these ports), or "
			"all; the rest is the kernel's, and so are broadcast, multicast, ARP and "
			"neighbour discovery",
		.parse = option_match, .noun = "a choice of frames",
		.examples = "stamped, udp:7, udp:7,5000-5010, all", .range = "ports 1 to 65535",
		.fallback = {APPLIED(VERB_BIT(VERB_REFLECT), "stamped")},
	}, {
		.name = "verify", .metavar = "HOW", .group = GROUP_CHECK,
		.commands = VERB_GENERATORS | VERB_BIT(VERB_COUNT),
		.help = "What is checked in each frame: stamp, or full: checksums and payload too",
		.parse = option_verify, .noun = "a way to verify", .word = verify_word,
		.fallback = {APPLIED(VERB_GENERATORS | VERB_BIT(VERB_COUNT), "stamp")},
	}, {
		.name = "stamp", .metavar = "WHERE", .group = GROUP_CHECK,
		.commands = VERB_GENERATORS | VERB_BIT(VERB_COUNT),
		.help = "Where the receive time of a frame is taken: xdp (in the XDP program), or none: "
			"no latency, less work",
		.parse = option_stamp, .noun = "a place", .word = stamp_word,
		.fallback = {APPLIED(VERB_GENERATORS | VERB_BIT(VERB_COUNT), "xdp")},
	}, {
		.name = "then", .metavar = "WHAT", .group = GROUP_CHECK,
		.commands = VERB_BIT(VERB_COUNT),
		.help = "What becomes of a frame that was counted: drop, or pass: it goes on to the "
			"kernel (kernel engine)",
		.parse = option_then, .noun = "a choice", .word = then_word,
		.fallback = {APPLIED(VERB_BIT(VERB_COUNT), "drop")},
	}, {
		.name = "expect", .metavar = "N", .group = GROUP_CHECK,
		.commands = VERB_BIT(VERB_COUNT),
		.help = "Frames that should arrive: those missing at the end are lost too",
		.parse = option_expect, .noun = "a number of frames", .examples = "1000, 2.5M",
		.low = 1, .high = COUNT_MAX,
		.fallback = {SAID(VERB_BIT(VERB_COUNT), "not known")},
	}, {
		.name = "duration", .metavar = "TIME", .group = GROUP_RUN, .commands = VERB_TRAFFIC,
		.help = "Time of each trial",
		.parse = option_duration, .noun = "a time", .examples = "10s, 500ms, 1m30s",
		.low = MS, .high = 1000 * HOUR, .range = "1ms to 1000h",
		.fallback = {APPLIED(VERB_BIT(VERB_SEND) | VERB_BIT(VERB_BENCH), "10s"),
			     APPLIED(VERB_BIT(VERB_DEMO), "2s"),
			     SAID(VERB_TRAFFIC, "until Ctrl-C")},
	}, {
		.name = "repeat", .metavar = "N", .group = GROUP_RUN, .commands = VERB_GENERATORS,
		.help = "How often every trial is run",
		.parse = option_repeat, .noun = "a number of times", .examples = "1, 5",
		.low = 1, .high = REPEAT_MAX,
		.fallback = {APPLIED(VERB_GENERATORS, "1")},
	}, {
		.name = "phases", .metavar = "LIST", .group = GROUP_RUN, .commands = VERB_BENCHES,
		.help = "Trials to run, with commas between: a-to-b, b-to-a, both (at once), "
			"reflected (from A to B and back), or all",
		.parse = option_phases, .noun = "a list of phases", .word = phase_word,
		.fallback = {APPLIED(VERB_BENCHES, "all")},
	}, {
		.name = "cpus", .metavar = "LIST", .group = GROUP_RUN, .commands = VERB_TRAFFIC,
		.help = "CPUs that may work for the run, as 2-5,7",
		.parse = option_cpus, .noun = "a list of CPUs", .examples = "0, 2-5,7",
		.range = "0 to 1023",
		.fallback = {SAID(VERB_TRAFFIC, "all that are allowed")},
	}, {
		.name = "spin", .group = GROUP_RUN, .commands = VERB_TRAFFIC,
		.help = "Workers never sleep: less latency for whole CPUs",
		.parse = option_spin,
	}, {
		.name = "latency-mode", .group = GROUP_RUN, .commands = VERB_GENERATORS,
		.help = "Only a few frames are on their way out at any time, so that none waits behind "
			"others of ours: less latency, a lower rate",
		.parse = option_latency_mode,
	}, {
		.name = "fail-if", .metavar = "LIMIT", .group = GROUP_RUN, .commands = VERB_TRAFFIC,
		.help = "Exit status 3 when this is so in any direction: loss>0 (frames), loss%>0.1, "
			"rx_pps<1M or p99>50us; up to 8 times",
		.parse = option_fail_if, .noun = "a limit",
		.examples = "loss>0, loss%>0.1, rx_pps<1M, p99>50us", .range = "what can be measured",
	}, {
		.name = "format", .metavar = "FORMAT", .group = GROUP_OUTPUT,
		.commands = VERB_TRAFFIC,
		.help = "Of standard output: text, json (one object at the end) or ndjson (a line for "
			"each interval, then the result)",
		.parse = option_format, .noun = "a format", .word = format_word,
		.fallback = {APPLIED(VERB_TRAFFIC, "text")},
	}, {
		.name = "json", .metavar = "FILE", .group = GROUP_OUTPUT, .commands = VERB_TRAFFIC,
		.help = "Write the result as JSON to FILE too (-: standard output, behind the text)",
		.parse = option_json, .noun = "a file name", .examples = "result.json, -",
	}, {
		.name = "interval", .metavar = "TIME", .group = GROUP_OUTPUT,
		.commands = VERB_TRAFFIC | VERB_BIT(VERB_MONITOR),
		.help = "Time between the lines that are printed while it runs: on a terminal, with "
			"-v, as ndjson, and of a monitor without terminal",
		.parse = option_interval, .noun = "a time", .examples = "1s, 200ms, 1m",
		.low = 100 * MS, .high = HOUR, .range = "100ms to 1h",
		.fallback = {APPLIED(VERB_TRAFFIC | VERB_BIT(VERB_MONITOR), "1s")},
	}, {
		.name = "monitor", .group = GROUP_OUTPUT, .commands = VERB_TRAFFIC,
		.help = "Show the live view while it runs: full screen on a terminal, else blocks of "
			"text; q ends the run",
		.parse = option_monitor,
		.fallback = {SAID(VERB_BIT(VERB_DEMO), "on, with --format text")},
	}, {
		.name = "verbose", .letter = 'v', .group = GROUP_GLOBAL, .commands = VERB_ALL,
		.help = "Say more on standard error", .parse = option_verbose,
	}, {
		.name = "quiet", .letter = 'q', .group = GROUP_GLOBAL, .commands = VERB_ALL,
		.help = "Say only warnings and errors", .parse = option_quiet,
	}, {
		.name = "help", .letter = 'h', .group = GROUP_GLOBAL, .commands = VERB_ALL,
		.help = "Print this help, or that of the command",
		.parse = option_action, .low = ACTION_HELP,
	}, {
		.name = "version", .group = GROUP_GLOBAL, .commands = VERB_ALL,
		.help = "Print the version", .parse = option_action, .low = ACTION_VERSION,
	}, {
		.name = "print-man", .group = GROUP_BUILD, .commands = VERB_ALL,
		.help = "Print the man page xdploop(8), for the build",
		.parse = option_action, .low = ACTION_PRINT_MAN,
	}, {
		.name = "print-completion", .group = GROUP_BUILD, .commands = VERB_ALL,
		.help = "Print the completion for bash, for the build",
		.parse = option_action, .low = ACTION_PRINT_COMPLETION,
	}, {
		.name = "print-options", .group = GROUP_BUILD, .commands = VERB_ALL,
		.help = "Print the option rows (name, value, commands), for the tests",
		.parse = option_action, .low = ACTION_PRINT_OPTIONS,
	},
	{.name = NULL},
};
/* clang-format on */

_Static_assert(sizeof(option_rows) / sizeof(option_rows[0]) - 1 <= 64, "options.given has 64 bits");

int option_index(const char *name)
{
	for (int i = 0; option_rows[i].name; i++)
		if (!strcmp(option_rows[i].name, name))
			return i;
	return -1;
}

bool option_given(const struct options *o, const char *name)
{
	int i = option_index(name);

	return i >= 0 && o->given >> i & 1;
}

const char *option_fallback(const struct option_row *row, enum verb verb)
{
	for (int i = 0; i < OPTION_DEFAULTS; i++)
		if (row->fallback[i].commands & VERB_BIT(verb))
			return row->fallback[i].text;
	return NULL;
}

const char *option_values(const struct option_row *row, char *text, size_t size)
{
	const char *name;
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; row->word && (name = row->word(i)); i++) {
		int n = snprintf(text + used, size - used, "%s%s", i ? ", " : "", name);

		if ((size_t)n >= size - used)
			break;
		used += (size_t)n;
	}
	if (!row->word)
		snprintf(text, size, "%s", row->examples ? row->examples : "");
	return text;
}
