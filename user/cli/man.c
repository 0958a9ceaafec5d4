/* SPDX-License-Identifier: MIT */
/* The man page xdploop(8), in troff with the man macros, from the same rows as the help. */
#include "cli/option.h"
#include "cli/page.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *path, *text;
} files[] = {
	{"/run/xdploop/PID.sock",
	 "The live socket of a run, which monitor reads: mode 0660, of the group xdploop if there "
	 "is one, else of the group of whoever started the run."},
	{"$XDG_RUNTIME_DIR/xdploop/PID.sock", "The same, where /run can't be written."},
	{"/run/netns/NETNS", "Network namespaces with a name, as ip netns add makes them."},
};

/* Text as it is: hyphens that can be copied, nothing taken for a request or an escape. */
static void put_plain(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '\\')
			fputs("\\e", stdout);
		else if (*c == '-')
			fputs("\\-", stdout);
		else if (*c == '\'')
			fputs("\\(aq", stdout);
		else if (*c == '~')
			fputs("\\(ti", stdout);
		else if (*c == '^')
			fputs("\\(ha", stdout);
		else if (*c == '\n')
			fputs("\n.PP\n", stdout);
		else if (*c == '.' && (c == text || c[-1] == '\n'))
			fputs("\\&.", stdout);
		else
			putchar(*c);
	}
}

static void put_line(const char *text)
{
	put_plain(text);
	putchar('\n');
}

/* A line in a font: 'B' or 'I', with a second part in italics. */
static void put_font(char font, const char *text, const char *italic)
{
	printf("\\f%c", font);
	put_plain(text);
	if (italic) {
		fputs("\\fR \\fI", stdout);
		put_plain(italic);
	}
	fputs("\\fR", stdout);
}

static void put_option_name(const struct option_row *row)
{
	char name[64];

	if (row->letter) {
		snprintf(name, sizeof(name), "-%c", row->letter);
		put_font('B', name, NULL);
		fputs(", ", stdout);
	}
	snprintf(name, sizeof(name), "--%s", row->name);
	put_font('B', name, row->metavar);
}

static void put_verbs(uint32_t set)
{
	const char *comma = "";

	for (int verb = 0; verb < VERBS; verb++) {
		if (!(set & VERB_BIT(verb)))
			continue;
		printf("%s%s", comma, command_rows[verb].name);
		comma = ", ";
	}
}

/* "Default: 1000pps (send), max (demo, bench)." Each command has the first that names it. */
static void put_fallbacks(const struct option_row *row)
{
	const char *lead = "Default: ";
	uint32_t left = row->commands;

	for (int i = 0; i < OPTION_DEFAULTS && row->fallback[i].commands; i++) {
		uint32_t these = row->fallback[i].commands & left;

		fputs(lead, stdout);
		put_plain(row->fallback[i].text);
		if (these != row->commands) {
			fputs(" (", stdout);
			put_verbs(these);
			putchar(')');
		}
		left &= ~these;
		lead = ", ";
	}
	if (left != row->commands)
		puts(".");
}

static void put_option(const struct option_row *row)
{
	puts(".TP");
	put_option_name(row);
	putchar('\n');
	put_plain(row->help);
	puts(".");
	put_fallbacks(row);
	if (row->examples) {
		fputs("Examples: ", stdout);
		put_plain(row->examples);
		puts(".");
	}
	if (row->commands != VERB_ALL) {
		fputs("For: ", stdout);
		put_verbs(row->commands);
		puts(".");
	}
}

static void put_command(enum verb verb)
{
	const struct command_row *row = &command_rows[verb];
	char text[80];
	bool first = true;

	command_synopsis(text, sizeof(text), verb, 1);
	fputs(".SS ", stdout);
	put_line(text + strlen(PAGE_NAME) + 1);
	put_line(row->text);
	for (const struct option_row *o = option_rows; o->name; o++) {
		if (!(o->commands & VERB_BIT(verb)) || o->commands == VERB_ALL)
			continue;
		fputs(first ? ".PP\nOptions: " : ",\n", stdout);
		put_option_name(o);
		first = false;
	}
	if (!first)
		puts(".");
}

static void put_examples(void)
{
	for (int verb = 0; verb < VERBS; verb++) {
		for (int i = 0; i < COMMAND_EXAMPLES && command_rows[verb].example[i].line; i++) {
			puts(".TP");
			put_font('B', command_rows[verb].example[i].line, NULL);
			putchar('\n');
			put_plain(command_rows[verb].example[i].text);
			puts(".");
		}
	}
}

static void put_options(void)
{
	puts(".SH OPTIONS\nThey may stand before or behind the command.");
	for (int group = 0; group < OPTION_GROUPS; group++) {
		printf(".SS %s\n", option_group_titles[group]);
		for (const struct option_row *row = option_rows; row->name; row++)
			if ((int)row->group == group)
				put_option(row);
	}
}

void man_print(void)
{
	puts(".\\\" SPDX-License-Identifier: MIT\n.\\\" Made by xdploop --print-man.");
	printf(".TH XDPLOOP 8 \"\" \"xdploop %s\" \"System administration\"\n.SH NAME\n",
	       XDPLOOP_VERSION);
	fputs(PAGE_NAME " \\- ", stdout);
	put_line(PAGE_TITLE);
	puts(".SH SYNOPSIS\n.B xdploop\n[\\fIOPTION\\fR...] \\fICOMMAND\\fR [\\fIPORT\\fR...]");
	puts(".SH DESCRIPTION");
	put_line(page_about);
	puts(".PP");
	put_line(page_ports);
	puts(".SH COMMANDS");
	for (int verb = 0; verb < VERBS; verb++)
		put_command((enum verb)verb);
	put_options();
	puts(".SH EXIT STATUS");
	for (const struct exit_status_row *row = exit_status_rows; row->text; row++) {
		printf(".TP\n.B %d\n", row->status);
		put_plain(row->text);
		puts(".");
	}
	puts(".SH FILES");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		puts(".TP");
		put_font('I', files[i].path, NULL);
		putchar('\n');
		put_line(files[i].text);
	}
	puts(".SH EXAMPLES");
	put_examples();
	puts(".SH SEE ALSO\n.BR ip (8),\n.BR ethtool (8),\n.BR bpftool (8),\n"
	     ".BR network_namespaces (7)");
}
