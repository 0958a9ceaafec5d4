/* SPDX-License-Identifier: MIT */
/*
 * The completion for bash, from the same rows as the help. It needs nothing but bash: the package
 * bash-completion only loads it when it is wanted.
 */
#include "cli/option.h"
#include "cli/page.h"

#include <stdio.h>
#include <string.h>

/* How a value is completed: by words, by files, or not at all (NULL). */
static const char *value_words(const struct option_row *row, char *text, size_t size)
{
	const char *name;
	size_t used = 0;

	if (!strcmp(row->metavar, "FILE"))
		return "-f";
	if (!strcmp(row->name, "match"))
		return "-W 'stamped all'"; /* udp:PORTS is left to the user */
	for (int i = 0; row->word && (name = row->word(i)); i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "-W '", name);
	if (!used)
		return NULL;
	snprintf(text + used, size - used, "'");
	return text;
}

/* Options with a value: all, or only those that can't be completed. */
static void put_value_options(bool all)
{
	const char *bar = "";
	char text[128];

	for (const struct option_row *row = option_rows; row->name; row++) {
		if (!row->metavar || (!all && value_words(row, text, sizeof(text))))
			continue;
		printf("%s--%s", bar, row->name);
		bar = " | ";
	}
}

static void put_values(void)
{
	puts("\tcase $prev in");
	for (const struct option_row *row = option_rows; row->name; row++) {
		char text[128];
		const char *words = row->metavar ? value_words(row, text, sizeof(text)) : NULL;

		if (words)
			printf("\t--%s)\n\t\tmapfile -t COMPREPLY < <(compgen %s -- \"$cur\")\n"
			       "\t\treturn\n\t\t;;\n",
			       row->name, words);
	}
	fputs("\t", stdout);
	put_value_options(false);
	puts(")\n\t\treturn\n\t\t;;\n\tesac");
}

static void put_options_of_commands(void)
{
	puts("\tcase $command in");
	for (int verb = 0; verb <= VERBS; verb++) {
		if (verb < VERBS)
			printf("\t%s) options='", command_rows[verb].name);
		else
			fputs("\t*) options='", stdout);
		for (const struct option_row *row = option_rows; row->name; row++)
			if (verb < VERBS
				    ? row->commands & VERB_BIT(verb) && row->group != GROUP_BUILD
				    : row->commands == VERB_ALL)
				printf("--%s ", row->name);
		puts("' ;;");
	}
	puts("\tesac");
}

void completion_print(void)
{
	puts("# SPDX-License-Identifier: MIT\n"
	     "# bash completion for xdploop, made by xdploop --print-completion\n"
	     "_xdploop()\n{\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev='' command='' options i words\n"
	     "\tCOMPREPLY=()\n"
	     "\t((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	     "\t# bash cuts --mode=copy into three words\n"
	     "\tif [[ $cur == '=' ]]; then\n\t\tcur=\n"
	     "\telif [[ $prev == '=' ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi");
	put_values();
	puts("\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	     "\t\tcase ${COMP_WORDS[i]} in");
	fputs("\t\t", stdout);
	put_value_options(true);
	puts(")\n"
	     "\t\t\t[[ ${COMP_WORDS[i + 1]-} != '=' ]] || ((++i))\n"
	     "\t\t\t((++i))\n"
	     "\t\t\t;;\n"
	     "\t\t-* | '=') ;;\n"
	     "\t\t*) [[ $command ]] || command=${COMP_WORDS[i]} ;;\n"
	     "\t\tesac\n\tdone");
	put_options_of_commands();
	puts("\tif [[ $cur == -* ]]; then\n"
	     "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
	     "\t\treturn\n\tfi\n"
	     "\tcase $command in");
	fputs("\t'' | help) words='", stdout);
	for (int verb = 0; verb < VERBS; verb++)
		printf("%s%s", verb ? " " : "", command_rows[verb].name);
	puts("' ;;\n"
	     "\tdemo) words= ;;\n"
	     "\tmonitor) words=$(cd /run/xdploop 2>/dev/null && printf '%s\\n' *.sock) &&\n"
	     "\t\twords=${words//.sock/} ;;\n"
	     "\t*) words=$(cd /sys/class/net 2>/dev/null && printf '%s\\n' *) ;;\n"
	     "\tesac\n"
	     "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	     "}\n"
	     "complete -F _xdploop xdploop");
}
