/* SPDX-License-Identifier: MIT */
#include "subjects.h"
#include <stdio.h>
#include <string.h>

/* testpmd: without the PCI bus, huge pages and files of its own. */
#define TESTPMD                                                                               \
	"dpdk-testpmd --no-pci --no-huge -m 256 --no-telemetry --no-shconf --lcores @LCORES " \
	"--vdev net_af_xdp0,iface=@PORT,queue_count=@QUEUES,busy_budget=0 -- --no-mlockall "  \
	"--total-num-mbufs=16384 --rxq=@QUEUES --txq=@QUEUES --nb-cores=@QUEUES "
#define TESTPMD_WHY                                                                                \
	"busy polling off (1.2 of the speed with it on, veth has nothing to poll); burst 64 (32: " \
	"0.8, 256: 0.9); default rings of 2048; huge pages make no difference while the kernel "   \
	"copies"

const struct subject subjects[] = {
	{"xdploop-xsk", SEND, OURS,
	 .command = "@XDPLOOP -q send @PORT --dst-mac @MAC --rate max --size @SIZE "
		    "--queues @QUEUES --duration 1h",
	 .why = "as fast as it goes; all else as it comes"},
	{"xdploop-kernel", SEND, OURS,
	 .command = "@XDPLOOP -q send @PORT --engine kernel --dst-mac @MAC --rate max --size @SIZE "
		    "--flows 16 --queues @QUEUES --duration 1h",
	 .needs = "--engine", .why = "16 flows, the clock read for each frame"},
	{"xdploop-kernel-16", SEND, OURS,
	 .command = "@XDPLOOP -q send @PORT --engine kernel --dst-mac @MAC --rate max --size @SIZE "
		    "--flows 16 --stamp-every 16 --queues @QUEUES --duration 1h",
	 .needs = "--stamp-every", .why = "16 flows, the clock read for every 16th frame"},
	{"bare-devmap", SEND, BARE_ALONE,
	 .why = "our own live-frame loop: one constant frame through a devmap, batch 64"},
	{"xdp-trafficgen", SEND, PEER,
	 .command = "xdp-trafficgen udp -m @MAC -s @SIZE -t @QUEUES @PORT",
	 .why = "one thread for each queue; it has no other knob, and batch 64 inside"},
	{"xdp-trafficgen-vary", SEND, PEER,
	 .command = "xdp-trafficgen udp -m @MAC -s @SIZE -d 16 -t @QUEUES @PORT",
	 .why = "16 ports in turn, as our 16 flows"},
	{"xdp-trafficgen-xsk", SEND, PEER, .one_queue = true,
	 .command = "xdp-trafficgen xsk-udp -m @MAC -s @SIZE -C copy -b 64 -Q @PORT",
	 .why = "AF_XDP; batch 64 (32: 0.65, 256: 0.9); no statistics"},
	{"testpmd-txonly", SEND, PEER,
	 .command = TESTPMD "--burst=64 --forward-mode=txonly --eth-peer=0,@MAC --txpkts=@LEN",
	 .why = TESTPMD_WHY},
	{"trafgen", SEND, PEER,
	 .command = "trafgen -o @PORT -P @QUEUES -q "
		    "{@MACLIST,0x02,0,0,0,0x0a,0,0x88,0xb5,fill(0,@FILL)}",
	 .why = "packet sockets with a shared ring, one process for each queue; the qdisc path "
		"(veth has none) is 1.3 of the direct one; the default ring"},

	{"feeder-alone", REFLECT, FEED_ALONE,
	 .why = "the frames of the feeder into a program that drops: the base of the loop"},
	{"xdploop-xsk", REFLECT, OURS, .command = "@XDPLOOP -q reflect @PORT --queues @QUEUES",
	 .why = "all as it comes: our stamped frames, swapped up to the ports"},
	{"xdploop-kernel", REFLECT, OURS, .in_kernel = true,
	 .command = "@XDPLOOP -q reflect @PORT --engine kernel --queues @QUEUES",
	 .needs = "--engine", .why = "the same in the program"},
	{"xdp-bench-tx", REFLECT, PEER, .in_kernel = true,
	 .command = "xdp-bench tx -p swap-macs @PORT",
	 .why = "swaps the MAC addresses, the least that makes a reply"},
	{"xdp-bench-xsk-tx", REFLECT, PEER, .one_queue = true,
	 .command = "xdp-bench xsk-tx -C copy -b 64 -Q @PORT",
	 .why = "what was xdpsock -l; batch 64; no statistics"},
	{"testpmd-macswap", REFLECT, PEER, .command = TESTPMD "--burst=64 --forward-mode=macswap",
	 .why = TESTPMD_WHY},

	{"feeder-alone", COUNT, FEED_ALONE,
	 .why = "the frames of the feeder into a program that drops: the base"},
	{"xdploop-xsk", COUNT, OURS, .command = "@XDPLOOP -q count @PORT --queues @QUEUES",
	 .why = "loss, order, duplicates, latency of every frame"},
	{"xdploop-xsk-nostamp", COUNT, OURS,
	 .command = "@XDPLOOP -q count @PORT --stamp none --queues @QUEUES", .needs = "--stamp",
	 .why = "the same without the time that the program writes"},
	{"xdploop-kernel", COUNT, OURS, .in_kernel = true,
	 .command = "@XDPLOOP -q count @PORT --engine kernel --then drop --queues @QUEUES",
	 .needs = "--engine", .why = "the same in the program"},
	{"xdp-bench-drop", COUNT, PEER, .in_kernel = true,
	 .command = "xdp-bench drop -p no-touch @PORT", .why = "does not look at the frame"},
	{"xdp-bench-xsk-drop", COUNT, PEER, .one_queue = true,
	 .command = "xdp-bench xsk-drop -C copy -b 64 -Q @PORT",
	 .why = "a socket that only gives back; batch 64; no statistics"},
	{"testpmd-rxonly", COUNT, PEER, .command = TESTPMD "--burst=64 --forward-mode=rxonly",
	 .why = TESTPMD_WHY},
};

const size_t nsubjects = sizeof(subjects) / sizeof(subjects[0]);

const struct pair pairs[] = {
	{SEND, "xdploop-kernel", "bare-devmap", AT_LEAST, 0.80},
	{SEND, "xdploop-kernel-16", "bare-devmap", AT_LEAST, 0.95},
	{SEND, "xdploop-kernel", "xdp-trafficgen", AT_LEAST, 0},
	{SEND, "xdploop-kernel", "xdp-trafficgen-vary", AT_LEAST, 1.00},
	{SEND, "xdploop-kernel-16", "xdp-trafficgen-vary", AT_LEAST, 1.15},
	{SEND, "xdploop-xsk", "testpmd-txonly", AT_LEAST, 1.05},
	{SEND, "xdploop-xsk", "xdp-trafficgen-xsk", AT_LEAST, 0},
	{SEND, "xdploop-xsk", "trafgen", AT_LEAST, 0},
	{REFLECT, "xdploop-kernel", "xdp-bench-tx", AT_LEAST, 0.97},
	{REFLECT, "xdploop-kernel", "xdp-bench-tx", HOP_AT_MOST, 1.2},
	{REFLECT, "xdploop-xsk", "testpmd-macswap", AT_LEAST, 1.15},
	{REFLECT, "xdploop-xsk", "xdp-bench-xsk-tx", AT_LEAST, 1.60},
	{COUNT, "xdploop-kernel", "xdp-bench-drop", AT_LEAST, 0.75},
	{COUNT, "xdploop-kernel", "xdp-bench-drop", MORE_AT_MOST, 75},
	{COUNT, "xdploop-xsk", "testpmd-rxonly", AT_LEAST, 1.00},
	{COUNT, "xdploop-xsk", "xdp-bench-xsk-drop", AT_LEAST, 0.85},
	{COUNT, "xdploop-xsk-nostamp", "xdp-bench-xsk-drop", AT_LEAST, 0.95},
};

const size_t npairs = sizeof(pairs) / sizeof(pairs[0]);

const char *work_name(enum work work)
{
	static const char *const names[WORKS] = {"send", "reflect", "count"};

	return names[work];
}

int subject_find(enum work work, const char *name)
{
	for (size_t i = 0; i < nsubjects; i++)
		if (subjects[i].work == work && !strcmp(subjects[i].name, name))
			return (int)i;
	return -1;
}

enum word { XDPLOOP, PORT, MACLIST, MAC, QUEUES, SIZE, LEN, FILL, LCORES, WORDS };

/* The longer one comes first where two fit. */
static const char *const word_names[WORDS] = {
	"@XDPLOOP", "@PORT", "@MACLIST", "@MAC", "@QUEUES", "@SIZE", "@LEN", "@FILL", "@LCORES",
};

static void word_value(enum word word, const struct place *p, char *out, size_t size)
{
	const uint8_t *m = p->mac;
	const uint32_t numbers[WORDS] = {
		[QUEUES] = p->queues, [SIZE] = p->size, [LEN] = p->size - 4, [FILL] = p->size - 18};

	switch (word) {
	case XDPLOOP:
	case PORT:
		snprintf(out, size, "%s", word == PORT ? p->port : p->program);
		break;
	case MACLIST:
	case MAC:
		snprintf(out, size,
			 word == MAC ? "%02x:%02x:%02x:%02x:%02x:%02x" : "%u,%u,%u,%u,%u,%u", m[0],
			 m[1], m[2], m[3], m[4], m[5]);
		break;
	case LCORES:
		snprintf(out, size, p->queues > 1 ? "0@%d,1@%d,2@%d" : "0@%d,1@%d", p->cpus[0],
			 p->cpus[0], p->cpus[p->queues - 1]);
		break;
	default:
		snprintf(out, size, "%u", numbers[word]);
	}
}

static enum word word_at(const char *text)
{
	for (int i = 0; i < WORDS; i++)
		if (!strncmp(text, word_names[i], strlen(word_names[i])))
			return (enum word)i;
	return WORDS;
}

void subject_command(const struct subject *s, const struct place *p, char *text, size_t size)
{
	char value[256];
	size_t n = 0;

	for (const char *at = s->command; *at && n + 1 < size;) {
		enum word word = word_at(at);

		if (word == WORDS) {
			text[n++] = *at++;
			continue;
		}
		word_value(word, p, value, sizeof(value));
		n += strlen(value) < size - n ? (size_t)sprintf(text + n, "%s", value) : 0;
		at += strlen(word_names[word]);
	}
	text[n] = '\0';
}
