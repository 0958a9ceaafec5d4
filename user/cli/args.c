/* SPDX-License-Identifier: MIT */
/*
 * The command line. argp (glibc) cuts it into options and words; what they mean is decided when
 * all are known, so options may stand before the command. argp itself prints nothing: when it
 * gives up, the words are looked through again to say what is wrong in one line.
 */
#include "cli/option.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIVEN_MAX 128
#define WORDS_MAX 8
#define ROWS_MAX  64
#define KEY_BASE  0x200 /* keys of options without a letter: no character has one */

/* What argp found. */
struct args {
	int ngiven, nwords;
	struct {
		int row;
		const char *word;
	} given[GIVEN_MAX];
	const char *word[WORDS_MAX];
};

int options_error(struct options *o, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(o->error, sizeof(o->error), format, list);
	va_end(list);
	for (char *c = o->error; *c; c++) /* one line, and nothing that moves a cursor */
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return -EINVAL;
}

static const char *option_name(int i)
{
	return option_rows[i].name;
}

static const char *verb_name(int i)
{
	return i < VERBS ? command_rows[i].name : NULL;
}

static int row_key(int i)
{
	return option_rows[i].letter ? option_rows[i].letter : KEY_BASE + i;
}

static error_t args_note(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	if (key == ARGP_KEY_ARG) {
		if (a->nwords == WORDS_MAX)
			return ENOSPC;
		a->word[a->nwords++] = arg;
		return 0;
	}
	for (int i = 0; option_rows[i].name; i++) {
		if (row_key(i) != key)
			continue;
		if (a->ngiven == GIVEN_MAX)
			return ENOSPC;
		a->given[a->ngiven].row = i;
		a->given[a->ngiven++].word = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int args_cut(int argc, char **argv, struct args *a)
{
	struct argp_option table[ROWS_MAX + 1] = {{0}};
	struct argp argp = {.options = table, .parser = args_note};

	for (int i = 0; option_rows[i].name; i++) {
		table[i].name = option_rows[i].name;
		table[i].key = row_key(i);
		table[i].arg = option_rows[i].metavar;
	}
	return -argp_parse(&argp, argc, argv, ARGP_SILENT | ARGP_IN_ORDER, NULL, a);
}

static int unknown_option(struct options *o, const char *word, const char *name)
{
	const char *near = nearest_name(name, option_name);

	if (near)
		return options_error(o, "%.80s: no such option (did you mean --%s?)", word, near);
	return options_error(o, "%.80s: no such option (xdploop --help shows where to look)", word);
}

/* Rows that a long option may mean: as getopt, exactly or by its beginning. *row: the first. */
static int rows_meant(const char *name, size_t n, const struct option_row **row)
{
	int count = 0;

	for (int i = 0; option_rows[i].name; i++) {
		if (strncmp(option_rows[i].name, name, n))
			continue;
		if (!count++)
			*row = &option_rows[i];
		if (!option_rows[i].name[n]) {
			*row = &option_rows[i];
			return 1;
		}
	}
	return count;
}

/* A long option that argp may have refused. Returns 0 and how many words it took, or -EINVAL. */
static int check_long(struct options *o, char **word, int left, int *took)
{
	const char *name = word[0] + 2, *value = strchr(name, '=');
	size_t n = value ? (size_t)(value - name) : strlen(name);
	const struct option_row *row = NULL;
	char text[128], bare[40];
	int meant = rows_meant(name, n, &row);

	snprintf(bare, sizeof(bare), "%.*s", (int)(n < 39 ? n : 39), name);
	if (!meant)
		return unknown_option(o, word[0], bare);
	if (meant > 1)
		return options_error(o, "--%s: could mean several options (one: --%s)", bare,
				     row->name);
	if (value && !row->metavar)
		return options_error(o, "%.80s: --%s takes no value (write: --%s)", word[0],
				     row->name, row->name);
	*took = row->metavar && !value ? 2 : 1;
	if (*took > left)
		return options_error(o, "--%s: %s is missing (%s: %s)", row->name, row->metavar,
				     row->word ? "one of" : "examples",
				     option_values(row, text, sizeof(text)));
	return 0;
}

static int check_letters(struct options *o, const char *word)
{
	for (const char *c = word + 1; *c; c++) {
		bool known = false;
		char name[2] = {*c};

		for (int i = 0; option_rows[i].name; i++)
			known |= option_rows[i].letter == *c;
		if (!known)
			return unknown_option(o, word, word[2] ? word + 1 : name);
	}
	return 0;
}

/* argp gave up: find out where and say why. */
static int args_explain(struct options *o, int argc, char **argv)
{
	int ret = 0;

	for (int i = 1, took; !ret && i < argc; i += took) {
		took = 1;
		if (!strcmp(argv[i], "--"))
			break;
		if (!strncmp(argv[i], "--", 2))
			ret = check_long(o, argv + i, argc - i, &took);
		else if (argv[i][0] == '-' && argv[i][1])
			ret = check_letters(o, argv[i]);
	}
	return ret ? ret : options_error(o, "can't understand the command line (xdploop --help)");
}

/* The rest of the sentence why a command has no such option. */
static int refuse_option(struct options *o, const struct option_row *row)
{
	const struct command_row *command = &command_rows[o->verb];
	char text[128] = "";
	size_t used = 0;

	if (command->lacks[row->group])
		return options_error(o, "%s has no --%s: %s (xdploop %s --help lists what it has)",
				     command->name, row->name, command->lacks[row->group],
				     command->name);
	for (int verb = 0; verb < VERBS; verb++)
		if (row->commands & VERB_BIT(verb))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 used ? ", " : "", command_rows[verb].name);
	return options_error(o,
			     "%s has no --%s: it is an option of %s (xdploop %s --help lists "
			     "what %s has)",
			     command->name, row->name, text, command->name, command->name);
}

static int refuse_value(struct options *o, const struct option_row *row, const char *word, int why)
{
	const char *lead = row->word ? "one of" : "examples";
	char values[128], range[64];

	option_values(row, values, sizeof(values));
	snprintf(range, sizeof(range), "%llu to %llu", (unsigned long long)row->low,
		 (unsigned long long)row->high);
	if (!*word)
		return options_error(o, "--%s '': empty, not %s (%s: %s)", row->name, row->noun,
				     lead, values);
	if (why == -ERANGE)
		return options_error(o, "--%s %.80s: outside %s (%s: %s)", row->name, word,
				     row->range ? row->range : range, lead, values);
	if (why == -ENOSPC)
		return options_error(o,
				     "--%s %.80s: one too many (examples of the %d that can be "
				     "given: %s)",
				     row->name, word, LIMITS_MAX, values);
	return options_error(o, "--%s %.80s: not %s (%s: %s)", row->name, word, row->noun, lead,
			     values);
}

static void apply_fallbacks(struct options *o)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		for (int i = 0; i < OPTION_DEFAULTS; i++) {
			if (!(row->fallback[i].commands & VERB_BIT(o->verb)))
				continue;
			if (!row->fallback[i].said)
				row->parse(row, row->fallback[i].text, o);
			break;
		}
	}
}

/* Options that hold for every command: what they ask for may make the rest irrelevant. */
static void apply_globals(struct options *o, const struct args *a)
{
	for (int i = 0; i < a->ngiven; i++) {
		const struct option_row *row = &option_rows[a->given[i].row];

		o->given |= 1ull << a->given[i].row;
		if (row->commands == VERB_ALL)
			row->parse(row, NULL, o);
	}
}

static int apply_given(struct options *o, const struct args *a)
{
	for (int i = 0; i < a->ngiven; i++) {
		const struct option_row *row = &option_rows[a->given[i].row];
		int ret;

		if (!(row->commands & VERB_BIT(o->verb)))
			return refuse_option(o, row);
		ret = row->parse(row, a->given[i].word, o);
		if (ret)
			return refuse_value(o, row, a->given[i].word, ret);
	}
	return 0;
}

static int find_verb(struct options *o, const char *word)
{
	char list[128];
	size_t used = 0;
	const char *near;

	o->verb = command_find(word);
	if (o->verb != VERBS)
		return 0;
	near = nearest_name(word, verb_name);
	if (near)
		return options_error(o, "%.80s: no such command (did you mean %s?)", word, near);
	for (int i = 0; i < VERB_HELP; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 command_rows[i].name);
	return options_error(o, "%.80s: no such command (there are: %s)", word, list);
}

/* The command, or for whom the help is wanted. */
static int take_verb(struct options *o, const struct args *a)
{
	int ret;

	if (!a->nwords) {
		if (o->action == ACTION_HELP)
			return 0;
		return options_error(o, "COMMAND is missing (try: xdploop demo; xdploop --help)");
	}
	ret = find_verb(o, a->word[0]);
	if (ret || o->verb != VERB_HELP)
		return ret;
	if (o->action != ACTION_HELP && a->nwords > 2)
		return options_error(o,
				     "help %.80s: one word too many (usage: xdploop help "
				     "[COMMAND])",
				     a->word[2]);
	if (o->action == ACTION_HELP && a->nwords < 2)
		return 0; /* help --help */
	o->action = ACTION_HELP;
	if (a->nwords > 1)
		return find_verb(o, a->word[1]);
	o->verb = VERBS;
	return 0;
}

int options_parse(int argc, char **argv, struct options *out)
{
	struct args a = {0};
	int ret;

	/* What a command has no option for is still there: one trial, and so on. */
	*out = (struct options){
		.verb = VERBS,
		.config = {.flows = 1, .burst = 64, .repeat = 1, .rate.unit = RATE_MAX},
	};
	ret = args_cut(argc, argv, &a);
	if (ret == -ENOSPC)
		return options_error(out, "too many words (xdploop --help shows what would do)");
	if (ret)
		return args_explain(out, argc, argv);
	apply_globals(out, &a);
	if (out->action > ACTION_HELP)
		return 0;
	ret = take_verb(out, &a);
	if (ret || out->action == ACTION_HELP)
		return ret;
	apply_fallbacks(out);
	ret = apply_given(out, &a);
	if (ret)
		return ret;
	return options_check(out, a.word + 1, a.nwords - 1);
}
