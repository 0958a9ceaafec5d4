/* SPDX-License-Identifier: MIT */
/* What the words of a command line mean together: ports, what excludes what, what follows. */
#include "cli/option.h"
#include "run/engine.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

/* Two options of which only one may be given. */
static const struct {
	const char *one, *other, *remedy;
} excluding[] = {
	{"queues", "queue-ids", "give one of them; --queues 2 is --queue-ids 0,1"},
	{"quiet", "verbose", "give one of them"},
};

static const enum command command_of[VERBS] = {
	[VERB_DEMO] = COMMAND_BENCH,	  [VERB_SEND] = COMMAND_SEND,
	[VERB_REFLECT] = COMMAND_REFLECT, [VERB_COUNT] = COMMAND_COUNT,
	[VERB_BENCH] = COMMAND_BENCH,
};

/* What the kernel takes as a name of an interface, behind an optional namespace. */
static bool is_port(const char *word)
{
	const char *colon = strrchr(word, ':'), *name = colon ? colon + 1 : word;
	size_t n = strlen(name);

	if (colon == word || !n || n >= IF_NAMESIZE || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (const char *c = word; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return false;
	return !strchr(name, '/');
}

/* A process id, or the path of a socket. */
static bool is_run(const char *word)
{
	uint64_t pid;

	return strchr(word, '/') || (strspn(word, "0123456789") == strlen(word) &&
				     !parse_count(word, &pid) && pid && pid <= INT32_MAX);
}

static int check_words(struct options *o, const char *const *word, int nwords)
{
	const struct command_row *row = &command_rows[o->verb];
	char usage[80];
	int takes = 0;

	command_synopsis(usage, sizeof(usage), o->verb, 1);
	while (takes < COMMAND_WORDS && row->word[takes])
		takes++;
	if (nwords < row->needs)
		return options_error(o, "%s: %s is missing (example: %s)", row->name,
				     row->word[nwords], row->example[0].line);
	if (nwords > takes)
		return options_error(o, "%s %.80s: one word too many (usage: %s)", row->name,
				     word[takes], usage);
	if (o->verb == VERB_MONITOR) {
		if (nwords && !is_run(word[0]))
			return options_error(o,
					     "monitor %.80s: not a run (examples: 12345, "
					     "/run/xdploop/12345.sock)",
					     word[0]);
		o->run = nwords ? word[0] : NULL;
		return 0;
	}
	for (int i = 0; i < nwords; i++) {
		if (!is_port(word[i]))
			return options_error(o,
					     "%s %.80s: not a name of a port (examples: eth1, "
					     "NETNS:eth1)",
					     row->name, *word[i] ? word[i] : "''");
		o->config.port[i] = word[i];
	}
	o->config.nports = nwords;
	if (nwords == 2 && !strcmp(word[0], word[1]))
		return options_error(o, "%s %.80s %.80s: twice the same port (example: %s)",
				     row->name, word[0], word[1],
				     o->verb == VERB_REFLECT ? "xdploop reflect eth1 eth2"
							     : row->example[0].line);
	return 0;
}

static int check_excluding(struct options *o)
{
	for (size_t i = 0; i < sizeof(excluding) / sizeof(excluding[0]); i++)
		if (option_given(o, excluding[i].one) && option_given(o, excluding[i].other))
			return options_error(o, "--%s with --%s: %s", excluding[i].one,
					     excluding[i].other, excluding[i].remedy);
	return 0;
}

/* Standard output takes the text or the screen, or one kind of JSON. */
static int check_output(struct options *o)
{
	bool text = !o->format || !strcmp(o->format, "text");

	if (!text && o->json && !strcmp(o->json, "-"))
		return options_error(o,
				     "--json - with --format %s: two results on standard output "
				     "(give one of them, or --json FILE)",
				     o->format);
	if (!text && o->monitor)
		return options_error(o,
				     "--monitor with --format %s: both write to standard output "
				     "(give --monitor and --json FILE)",
				     o->format);
	if (o->verb == VERB_DEMO && text)
		o->monitor = true;
	return 0;
}

static int check_send(struct options *o)
{
	struct config *c = &o->config;

	if (c->nports == 2 && c->have_dst_mac)
		return options_error(o, "--dst-mac with PORT2 %.80s: which one? (give one of them)",
				     c->port[1]);
	if (c->nports == 1 && !c->have_dst_mac)
		return options_error(o,
				     "send %.80s: where to? (give the other port, as xdploop send "
				     "%.80s eth2, or --dst-mac 02:00:00:00:00:0a)",
				     c->port[0], c->port[0]);
	if (c->have_dst_mac && c->dst_mac[0] & 1)
		return options_error(o,
				     "--dst-mac %02x:%02x:%02x:%02x:%02x:%02x: not an address of "
				     "one card (example: 02:00:00:00:00:0a)",
				     c->dst_mac[0], c->dst_mac[1], c->dst_mac[2], c->dst_mac[3],
				     c->dst_mac[4], c->dst_mac[5]);
	return 0;
}

static int check_reflect(struct options *o)
{
	struct config *c = &o->config;

	if (!option_given(o, "swap"))
		c->swap = c->nports == 2 ? SWAP_NONE : SWAP_L4;
	else if (c->swap == SWAP_NONE && c->nports == 1)
		return options_error(o, "--swap none: frames that leave where they came in must be "
					"turned round (l2, l3 or l4; none is for two ports)");
	return 0;
}

/* What each engine can't do is refused here, not found out later. */
static int check_engine(struct options *o)
{
	const char *refusal = engine_refusal(&o->config), *demand = engine_demand(&o->config);

	if (o->config.engine == ENGINE_KERNEL && refusal)
		return options_error(o, "--engine kernel: %s", refusal);
	if (demand && (o->config.engine == ENGINE_XSK || refusal))
		return options_error(o, "%s%s%s", demand, refusal ? "; but " : "",
				     refusal ? refusal : "");
	return 0;
}

int options_check(struct options *o, const char *const *word, int nwords)
{
	int ret = check_words(o, word, nwords);

	if (!ret)
		ret = check_excluding(o);
	if (!ret)
		ret = check_output(o);
	if (!ret && o->verb == VERB_SEND)
		ret = check_send(o);
	if (!ret && o->verb == VERB_REFLECT)
		ret = check_reflect(o);
	if (!ret && (o->verb == VERB_DEMO || o->verb == VERB_BENCH) && option_given(o, "swap") &&
	    o->config.swap == SWAP_NONE)
		ret = options_error(o, "--swap none: reflected frames must be turned round to come "
				       "back (l2, l3 or l4)");
	if (!ret)
		ret = check_engine(o);
	if (ret)
		return ret;
	o->config.command = command_of[o->verb];
	if (o->config.frames && !option_given(o, "duration"))
		o->config.duration_ns = DURATION_UNTIL_STOPPED;
	return 0;
}
