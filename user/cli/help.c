/* SPDX-License-Identifier: MIT */
/* --help, from the rows of commands and options, in at most 80 columns. */
#include "cli/option.h"
#include "cli/page.h"

#include <stdio.h>
#include <string.h>

#define COMMAND_COL 26 /* where summaries of commands begin */
#define OPTION_COL  25 /* where the help of an option begins */
#define EXAMPLE_COL 6

const char page_about[] =
	"What can this network card, in this slot, with this driver, on this machine really do? "
	"xdploop generates, reflects, counts and watches Ethernet traffic over AF_XDP sockets, "
	"while the ports stay with their kernel driver. Connect ports A and B of a card with a "
	"cable: xdploop bench A B drives both ends. Without a card: xdploop demo.";

const char page_ports[] =
	"PORT, PORT2, A and B are network interfaces, written [NETNS:]NAME; NETNS is a network "
	"namespace, by its name under /run/netns or as a path. A frame size includes the 4 bytes "
	"of "
	"the FCS. L1 rates include preamble and gap (20 bytes a frame), L2 rates don't.";

void page_wrap(const char *text, int at, int indent)
{
	int col = at;

	while (*text) {
		int n = (int)strcspn(text, " \n");

		if (col > indent && col + 1 + n > PAGE_COLS) {
			printf("\n%*s", indent, "");
			col = indent;
		} else if (col > indent) {
			putchar(' ');
			col++;
		}
		printf("%.*s", n, text);
		col += n;
		text += n;
		if (*text == '\n') {
			printf("\n\n%*s", indent, "");
			col = indent;
		}
		text += *text != '\0';
	}
	putchar('\n');
}

const char *page_option(const struct option_row *row, char *text, unsigned size)
{
	char letter[8] = "";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	snprintf(text, size, "%s--%s%s%s", letter, row->name, row->metavar ? " " : "",
		 row->metavar ? row->metavar : "");
	return text;
}

/* Options without a letter stand below the long names of those with one. */
static void print_option(const struct option_row *row, enum verb verb)
{
	const char *fallback = verb < VERBS ? option_fallback(row, verb) : NULL;
	char name[64], text[400];
	int n = printf("  %s%s", row->letter ? "" : "    ", page_option(row, name, sizeof(name)));

	snprintf(text, sizeof(text), fallback ? "%s (default: %s)" : "%s", row->help, fallback);
	if (n >= OPTION_COL) {
		putchar('\n');
		n = 0;
	}
	printf("%*s", OPTION_COL - n, "");
	page_wrap(text, OPTION_COL, OPTION_COL);
}

static void print_group(enum option_group group, enum verb verb)
{
	bool titled = false;

	for (const struct option_row *row = option_rows; row->name; row++) {
		if (row->group != group || (verb < VERBS && !(row->commands & VERB_BIT(verb))))
			continue;
		if (!titled)
			printf("\n%s:\n", option_group_titles[group]);
		titled = true;
		print_option(row, verb);
	}
}

static void print_examples(enum verb verb, int count)
{
	const struct command_row *row = &command_rows[verb];

	for (int i = 0; i < count && row->example[i].line; i++)
		printf("  %s\n%*s%s\n", row->example[i].line, EXAMPLE_COL, "",
		       row->example[i].text);
}

static void print_main(void)
{
	char text[80];

	puts("Usage: xdploop [OPTION...] COMMAND [PORT...]\n");
	page_wrap(page_about, 0, 0);
	puts("\nCommands (xdploop COMMAND --help tells more):");
	for (int verb = 0; verb < VERBS; verb++) {
		command_synopsis(text, sizeof(text), (enum verb)verb, 1);
		printf("  %-*s", COMMAND_COL - 2, text + strlen(PAGE_NAME) + 1);
		page_wrap(command_rows[verb].summary, COMMAND_COL, COMMAND_COL);
	}
	putchar('\n');
	page_wrap(page_ports, 0, 0);
	print_group(GROUP_GLOBAL, VERBS);
	print_group(GROUP_BUILD, VERBS);
	puts("\nExit status:");
	for (const struct exit_status_row *row = exit_status_rows; row->text; row++) {
		printf("  %2d  ", row->status);
		page_wrap(row->text, 6, 6);
	}
	puts("\nExamples:");
	print_examples(VERB_DEMO, 1);
	print_examples(VERB_BENCH, 2);
	print_examples(VERB_MONITOR, 1);
}

void help_print(enum verb verb)
{
	char text[80];

	if (verb == VERBS) {
		print_main();
		return;
	}
	printf("Usage: %s\n\n", command_synopsis(text, sizeof(text), verb, 0));
	page_wrap(command_rows[verb].text, 0, 0);
	for (int group = 0; group < GROUP_BUILD; group++)
		print_group((enum option_group)group, verb);
	puts("\nExamples:");
	print_examples(verb, COMMAND_EXAMPLES);
}

void options_print(void)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		printf("--%s\t%s\t", row->name, row->metavar ? row->metavar : "-");
		for (int verb = 0; verb < VERBS; verb++)
			if (row->commands & VERB_BIT(verb))
				printf("%s ", command_rows[verb].name);
		putchar('\n');
	}
}
