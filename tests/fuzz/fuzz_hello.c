/* SPDX-License-Identifier: MIT */
/*
 * The reader of the live socket's hello gets bytes from a stranger's process. Whatever they are, it
 * must not touch memory that is not its own, and what it accepts must be safe to use as an index
 * and to print. Start it with tests/golden/report_hello.json in the corpus: without the right
 * layout block little else is reached.
 */
#include "report/report.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static void check_text(const char *text, size_t size)
{
	check(strnlen(text, size) < size);
	for (; *text; text++)
		check((unsigned char)*text >= 0x20 && *text != 0x7f);
}

static void check_facts(const struct facts *f)
{
	check(f->nports >= 1 && f->nports <= PORTS_MAX);
	check(f->nslots >= 1 && f->nslots <= COUNTER_SLOTS_MAX);
	check(f->pid > 0);
	check_text(f->command, sizeof(f->command));
	check_text(f->title, sizeof(f->title));
	for (uint32_t i = 0; i < f->nports; i++) {
		const struct facts_port *p = &f->port[i];

		check(p->queues >= 1 && p->queues <= QUEUES_MAX);
		check((uint64_t)p->first_slot + p->queues <= f->nslots);
		check((unsigned)p->mode < MODES);
		check_text(p->name, sizeof(p->name));
		check_text(p->driver, sizeof(p->driver));
	}
}

/* What was understood, written and read again, is the same. */
static void check_again(const struct facts *facts)
{
	struct facts again;
	char why[256], *text = report_hello(facts);

	check(text && !report_hello_parse(text, &again, why, sizeof(why)));
	check(!memcmp(facts, &again, sizeof(again)));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), why[256] = "";
	struct facts facts, untouched;
	int err;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	memset(&facts, 0x5a, sizeof(facts));
	untouched = facts;
	err = report_hello_parse(text, &facts, why, sizeof(why));
	if (err) {
		check(err == -EINVAL || err == -EPROTO);
		check(why[0] && strnlen(why, sizeof(why)) < sizeof(why));
		check(!memcmp(&facts, &untouched, sizeof(facts)));
	} else {
		check_facts(&facts);
		check_again(&facts);
	}
	free(text);
	return 0;
}
