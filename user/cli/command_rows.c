/* SPDX-License-Identifier: MIT */
/* The commands of xdploop, in the order of the help, and what the exit status means. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
const struct command_row command_rows[VERBS] = {
	[VERB_DEMO] = {
		.name = "demo",
		.summary = "the one-cable test on two ports made for it: needs no card",
		.text = "Makes a lab (two veth ports in network namespaces of their own, one cable), runs "
			"bench on it with the live view, and removes it. The first thing to run. It needs "
			"root, and touches no port of this machine.",
		.example = {
			{"xdploop demo", "the test with the live view"},
			{"xdploop demo --size 1518 --rate 10kpps --lab-queues 4", "another load, 4 queues"},
			{"xdploop demo --format json >demo.json", "only the result"},
		},
	},
	[VERB_SEND] = {
		.name = "send", .word = {"PORT", "PORT2"}, .needs = 1,
		.summary = "generate frames, and count those that come back",
		.text = "Sends stamped frames from PORT. They go to the MAC address of PORT2, which is only "
			"asked for it, or to --dst-mac. Frames of this run that come back to PORT are "
			"verified and counted.",
		.lacks = {[GROUP_TURN] = "it sends nothing back"},
		.example = {
			{"xdploop send eth1 eth2", "1000 frames a second for 10 seconds to eth2"},
			{"xdploop send eth1 --dst-mac 02:00:00:00:00:0a --rate 1Mpps --flows 256", "to a far end"},
			{"xdploop send eth1 eth2 --frames 1M --rate max --expect-return", "to a reflector"},
		},
	},
	[VERB_REFLECT] = {
		.name = "reflect", .word = {"PORT", "PORT2"}, .needs = 1,
		.summary = "send frames back, or from port to port",
		.text = "With one port: frames that come in go out again, turned round. With two ports: "
			"frames that come in on one go out on the other, as they are, both ways; each port "
			"has its own cable to elsewhere. Other frames stay with the kernel, so a login "
			"through the port goes on.",
		.lacks = {
			[GROUP_SEND] = "it sends only what it receives",
			[GROUP_CHECK] = "it sends frames back and leaves the checks to who sent them",
		},
		.example = {
			{"xdploop reflect eth1", "until Ctrl-C"},
			{"xdploop reflect eth1 eth2", "from port to port"},
			{"xdploop reflect eth1 --match udp:7", "an echo server for UDP port 7"},
		},
	},
	[VERB_COUNT] = {
		.name = "count", .word = {"PORT"}, .needs = 1,
		.summary = "receive, verify and count",
		.text = "Takes the stamped frames that arrive on PORT, of whatever run it sees first, and "
			"counts matched, lost, duplicate, reordered and damaged ones for each flow and queue. "
			"How many are missing behind the last one that came can't be known without --expect.",
		.lacks = {
			[GROUP_SEND] = "it sends nothing",
			[GROUP_TURN] = "it sends nothing back",
		},
		.example = {
			{"xdploop count eth2", "until Ctrl-C"},
			{"xdploop count eth2 --expect 1M --duration 30s --fail-if 'loss>0'", "in a script"},
			{"xdploop count eth2 --verify full --format ndjson", "checksums and payload too"},
		},
	},
	[VERB_BENCH] = {
		.name = "bench", .word = {"A", "B"}, .needs = 2,
		.summary = "the one-cable test: ports A and B are connected",
		.text = "Runs A to B, B to A, both at once, and A to B reflected to A, and closes the ledger "
			"of every direction: each frame ends in exactly one row, and what is left over is "
			"printed as unexplained.",
		.example = {
			{"xdploop bench eth1 eth2", "four trials of 10 seconds at full rate"},
			{"xdploop bench eth1 eth2 --size 1518 --rate 80% --monitor", "with the live view"},
			{"xdploop bench a:eth0 b:eth0 --phases a-to-b --fail-if 'loss>0'", "in namespaces a and b"},
		},
	},
	[VERB_MONITOR] = {
		.name = "monitor", .word = {"RUN"}, .needs = 0,
		.summary = "watch a running xdploop",
		.text = "Shows the live view of RUN, a process id, until the run ends or q or Ctrl-C; without "
			"RUN, of the only one there is. It can't disturb the run. At the end a line for each "
			"port: total PORT submitted N completed N received N matched N, over all trials so "
			"far. It needs no more right than to the run's socket (see FILES in the man page).",
		.lacks = {
			[GROUP_PORT] = "it only watches",
			[GROUP_SEND] = "it only watches",
			[GROUP_TURN] = "it only watches",
			[GROUP_CHECK] = "it only watches",
			[GROUP_RUN] = "it only watches",
			[GROUP_OUTPUT] = "it only watches; the run itself writes the result",
		},
		.example = {
			{"xdploop monitor", "the only run there is"},
			{"xdploop monitor 12345 --interval 5s | tee log", "a block of text every 5 seconds"},
		},
	},
	[VERB_HELP] = {
		.name = "help", .word = {"COMMAND"}, .needs = 0,
		.summary = "print the help of a command",
		.text = "The same as xdploop COMMAND --help.",
		.example = {
			{"xdploop help bench", "the same as xdploop bench --help"},
		},
	},
};
/* clang-format on */

const struct exit_status_row exit_status_rows[] = {
	{EXIT_FINE, "fine; also when Ctrl-C ended the run"},
	{EXIT_CANNOT, "could not do what was asked, with this port, mode or size"},
	{EXIT_USAGE, "the command line is wrong"},
	{EXIT_VERDICT, "ran, but a limit of --fail-if, the proof that frames crossed the wire, or "
		       "the ledger failed"},
	{EXIT_MACHINE, "this machine can't do the command on any port"},
	{EXIT_FINE, NULL},
};

enum verb command_find(const char *name)
{
	enum verb verb = 0;

	while (verb < VERBS && strcmp(command_rows[verb].name, name))
		verb++;
	return verb;
}

const char *command_synopsis(char *text, unsigned size, enum verb verb, int brief)
{
	const struct command_row *row = &command_rows[verb];
	unsigned used = (unsigned)snprintf(text, size, "xdploop %s%s", row->name,
					   brief ? "" : " [OPTION...]");

	for (int i = 0; i < COMMAND_WORDS && row->word[i] && used < size; i++)
		used += (unsigned)snprintf(text + used, size - used,
					   i < row->needs ? " %s" : " [%s]", row->word[i]);
	return text;
}
