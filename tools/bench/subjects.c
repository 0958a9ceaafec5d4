/* SPDX-License-Identifier: MIT */
#include "subjects.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * testpmd: without the PCI bus, huge pages and files of its own. Its driver takes a veth for a port
 * of one queue, so a second queue is a second device on the same port.
 */
#define TESTPMD                                                                               \
	"dpdk-testpmd --no-pci --no-huge -m 256 --no-telemetry --no-shconf --lcores @LCORES " \
	"@VDEVS -- --no-mlockall --total-num-mbufs=16384 --nb-cores=@QUEUES "                 \
	"--port-topology=loop --burst=64 "
#define TESTPMD_WHY                                                                              \
	"busy polling off (with it 1.25 of the cost: veth has nothing to poll); burst 64 (16: "  \
	"1.3 "                                                                                   \
	"of the cost, 32: 1.1, 128: the same, 256: 1.1); default rings of 2048; no huge pages: " \
	"the "                                                                                   \
	"kernel copies"

const struct subject subjects[] = {
	{"xdploop-xsk", SEND, OURS,
	 .command = "@XDPLOOP -q send @PORT --engine xsk --dst-mac @MAC --rate max --size @SIZE "
		    "--flows @QUEUES --queues @QUEUES --cpus @CPUS --duration 1h",
	 .why = "as fast as it goes, a flow and a CPU for each queue"},
	{"xdploop-kernel", SEND, OURS,
	 .command = "@XDPLOOP -q send @PORT --engine kernel --dst-mac @MAC --rate max --size @SIZE "
		    "--flows 16 --queues @QUEUES --cpus @CPUS --duration 1h",
	 .needs = "--engine", .why = "16 flows, the clock read for each frame"},
	{"xdploop-kernel-16", SEND, OURS,
	 .command = "@XDPLOOP -q send @PORT --engine kernel --dst-mac @MAC --rate max --size @SIZE "
		    "--flows 16 --stamp-every 16 --queues @QUEUES --cpus @CPUS --duration 1h",
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
	 .why = "AF_XDP; batch 64 (16: 1.35 of the cost, 32: 1.15, 128: the same, 256: 1.2); no "
		"statistics"},
	{"testpmd-txonly", SEND, PEER,
	 .command = TESTPMD "--forward-mode=txonly @PEERS --txpkts=@LEN", .why = TESTPMD_WHY},
	{"trafgen", SEND, PEER,
	 .command =
		 "trafgen -o @PORT -P @QUEUES {@MACLIST,0x02,0,0,0,0x0a,0,0x88,0xb5,fill(0,@FILL)}",
	 .why = "packet sockets with a shared ring, one process for each queue; the qdisc path "
		"(-q) "
		"costs the same here and ends when the ring is full; other ring sizes neither"},

	{"feeder-alone", REFLECT, FEED_ALONE,
	 .why = "the frames of the feeder into a program that drops: the base of the loop"},
	{"xdploop-xsk", REFLECT, OURS,
	 .command = "@XDPLOOP -q reflect @PORT --engine xsk --queues @QUEUES --cpus @CPUS",
	 .why = "all as it comes: our stamped frames, swapped up to the ports"},
	{"xdploop-kernel", REFLECT, OURS, .in_kernel = true,
	 .command = "@XDPLOOP -q reflect @PORT --engine kernel --queues @QUEUES --cpus @CPUS",
	 .needs = "--engine", .why = "the same in the program"},
	{"xdp-bench-tx", REFLECT, PEER, .in_kernel = true,
	 .command = "xdp-bench tx -p swap-macs @PORT",
	 .why = "swaps the MAC addresses, the least that makes a reply"},
	{"xdp-bench-xsk-tx", REFLECT, PEER, .one_queue = true,
	 .command = "xdp-bench xsk-tx -C copy -b 64 -Q @PORT",
	 .why = "what was xdpsock -l; batch 64; no statistics"},
	{"testpmd-macswap", REFLECT, PEER, .command = TESTPMD "--forward-mode=macswap",
	 .why = TESTPMD_WHY},

	{"feeder-alone", COUNT, FEED_ALONE,
	 .why = "the frames of the feeder into a program that drops: the base"},
	{"xdploop-xsk", COUNT, OURS,
	 .command = "@XDPLOOP -q count @PORT --engine xsk --queues @QUEUES --cpus @CPUS",
	 .why = "loss, order, duplicates, latency of every frame"},
	{"xdploop-xsk-nostamp", COUNT, OURS,
	 .command = "@XDPLOOP -q count @PORT --engine xsk --stamp none --queues @QUEUES "
		    "--cpus @CPUS",
	 .needs = "--stamp", .why = "the same without the time that the program writes"},
	{"xdploop-kernel", COUNT, OURS, .in_kernel = true,
	 .command = "@XDPLOOP -q count @PORT --engine kernel --then drop --queues @QUEUES "
		    "--cpus @CPUS",
	 .needs = "--engine", .why = "the same in the program"},
	{"xdp-bench-drop", COUNT, PEER, .in_kernel = true,
	 .command = "xdp-bench drop -p no-touch @PORT", .why = "does not look at the frame"},
	{"xdp-bench-xsk-drop", COUNT, PEER, .one_queue = true,
	 .command = "xdp-bench xsk-drop -C copy -b 64 -Q @PORT",
	 .why = "a socket that only gives back; batch 64; no statistics"},
	{"testpmd-rxonly", COUNT, PEER, .command = TESTPMD "--forward-mode=rxonly",
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

enum word {
	XDPLOOP,
	PORT,
	MACLIST,
	MAC,
	QUEUES,
	CPUS,
	SIZE,
	LEN,
	FILL,
	LCORES,
	VDEVS,
	PEERS,
	WORDS
};

/* The longer one comes first where two fit. */
static const char *const word_names[WORDS] = {
	"@XDPLOOP", "@PORT", "@MACLIST", "@MAC",    "@QUEUES", "@CPUS",
	"@SIZE",    "@LEN",  "@FILL",	 "@LCORES", "@VDEVS",  "@PEERS",
};

struct text {
	char *at;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->at, t->size, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= t->size) /* full: a command cut short fails with words */
		n = t->size ? (int)t->size - 1 : 0;
	t->at += n;
	t->size -= (size_t)n;
}

static void put_mac(struct text *t, const char *separator, const uint8_t mac[6])
{
	for (int i = 0; i < 6; i++)
		put(t, separator[0] == ':' ? "%s%02x" : "%s0x%x", i ? separator : "", mac[i]);
}

static void put_device(struct text *t, const struct place *p, uint32_t queue)
{
	put(t, "%s--vdev net_af_xdp%u,iface=%s,start_queue=%u,busy_budget=0", queue ? " " : "",
	    queue, p->port, queue);
}

static void put_peer(struct text *t, const struct place *p, uint32_t queue)
{
	put(t, "%s--eth-peer=%u,", queue ? " " : "", queue);
	put_mac(t, ":", p->mac);
}

/* What there is of each queue. */
static void put_queues(struct text *t, enum word word, const struct place *p)
{
	for (uint32_t i = 0; i < p->queues; i++) {
		if (word == CPUS)
			put(t, "%s%d", i ? "," : "", p->cpus[i]);
		else if (word == LCORES)
			put(t, ",%u@%d", i + 1, p->cpus[i]);
		else if (word == VDEVS)
			put_device(t, p, i);
		else
			put_peer(t, p, i);
	}
}

static void put_word(struct text *t, enum word word, const struct place *p)
{
	const uint32_t numbers[WORDS] = {
		[QUEUES] = p->queues, [SIZE] = p->size, [LEN] = p->size - 4, [FILL] = p->size - 18};

	if (word == XDPLOOP || word == PORT)
		put(t, "%s", word == PORT ? p->port : p->program);
	else if (word == MAC || word == MACLIST)
		put_mac(t, word == MAC ? ":" : ",", p->mac);
	else if (numbers[word])
		put(t, "%u", numbers[word]);
	else {
		if (word == LCORES)
			put(t, "0@%d", p->cpus[0]);
		put_queues(t, word, p);
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
	struct text t = {text, size};

	for (const char *at = s->command; *at;) {
		enum word word = word_at(at);

		if (word == WORDS)
			put(&t, "%c", *at);
		else
			put_word(&t, word, p);
		at += word == WORDS ? 1 : strlen(word_names[word]);
	}
}
