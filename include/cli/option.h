/* SPDX-License-Identifier: MIT */
/*
 * Options are data: one row each gives the parser, the errors, the help, the man page and the
 * completion. A command line becomes a struct options; nothing here prints or ends the program.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include "cli/command.h"
#include "run/config.h"

#define OPTION_DEFAULTS	  3
#define OPTION_ERROR_SIZE 512

enum action {
	ACTION_RUN,
	ACTION_HELP, /* of options.verb; VERBS: the main help */
	ACTION_VERSION,
	ACTION_PRINT_MAN,
	ACTION_PRINT_COMPLETION,
	ACTION_PRINT_OPTIONS,
};

/* A whole command line. Strings point into it. */
struct options {
	enum action action;
	enum verb verb;
	struct config config; /* port_netns is not the command line's: see run/demo.h */
	const char *format;   /* name of a report format */
	const char *json;     /* NULL: none; "-": standard output */
	const char *run;      /* monitor: NULL: the only one */
	uint32_t lab_queues;
	int verbosity; /* -1 quiet, 0, 1 */
	bool monitor;
	uint64_t given; /* bit i: option_rows[i] was on the command line */
	char error[OPTION_ERROR_SIZE];
};

struct option_row {
	const char *name;    /* without the dashes */
	char letter;	     /* 0: none */
	const char *metavar; /* NULL: it takes no value */
	const char *help;
	enum option_group group;
	uint32_t commands; /* set of VERB_BIT */

	/*
	 * -EINVAL: no such thing; -ERANGE: not within the range; -ENOSPC: given too often. Pure:
	 * out is changed on success only.
	 */
	int (*parse)(const struct option_row *row, const char *word, struct options *out);

	const char *noun;	    /* "a rate": for the error */
	const char *examples;	    /* values that would do */
	const char *(*word)(int i); /* or: the words that would do; NULL behind the last */
	uint64_t low, high;	    /* range of a number, both included */
	const char *range;	    /* the range in words, where low and high don't read well */
	struct {
		uint32_t commands;
		const char *text;
		bool said; /* only said in the help: absence of the option means it */
	} fallback[OPTION_DEFAULTS];
};

extern const struct option_row option_rows[]; /* NULL name at the end */

int option_index(const char *name); /* -1: no such row */
bool option_given(const struct options *o, const char *name);

/* What is in force for a command when the option is not given; NULL: nothing to say. */
const char *option_fallback(const struct option_row *row, enum verb verb);

/* Values that would do, as text: the examples, or the words with commas. Returns text. */
const char *option_values(const struct option_row *row, char *text, size_t size);

/*
 * Understand a command line. 0, or -EINVAL and out->error holds one line that names the word and
 * shows what would do.
 */
int options_parse(int argc, char **argv, struct options *out);

/* Words that belong together or exclude each other; the last step of options_parse. */
int options_check(struct options *o, const char *const *word, int nwords);

/* Says what is wrong in o->error, in one line whatever the words hold. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int options_error(struct options *o, const char *format, ...);

/* The candidate nearest to a mistyped word; NULL: none is near. name(i) is NULL behind the last. */
const char *nearest_name(const char *word, const char *(*name)(int i));

#endif
