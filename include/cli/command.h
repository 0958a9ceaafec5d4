/* SPDX-License-Identifier: MIT */
/* The commands of xdploop, their options and exit statuses. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

enum exit_status {
	EXIT_FINE = 0,
	EXIT_CANNOT = 1,   /* could not do what was asked, with this port, mode or size */
	EXIT_USAGE = 2,	   /* the command line is wrong */
	EXIT_VERDICT = 3,  /* ran, but a limit, the wire proof or the ledger failed */
	EXIT_MACHINE = 77, /* this machine can't do the command on any port */
};

/* Words of the command line that name a command, in the order of the help. */
enum verb {
	VERB_DEMO,
	VERB_SEND,
	VERB_REFLECT,
	VERB_COUNT,
	VERB_BENCH,
	VERB_MONITOR,
	VERB_HELP,
	VERBS, /* none */
};

#define VERB_BIT(verb)	(1u << (verb))
#define VERB_ALL	(VERB_BIT(VERBS) - 1)
#define VERB_TRAFFIC	(VERB_BIT(VERB_MONITOR) - 1) /* those that run frames */
#define VERB_BENCHES	(VERB_BIT(VERB_DEMO) | VERB_BIT(VERB_BENCH))
#define VERB_GENERATORS (VERB_BENCHES | VERB_BIT(VERB_SEND))

/* Sections of the help, in its order. */
enum option_group {
	GROUP_PORT,
	GROUP_SEND,
	GROUP_TURN,
	GROUP_CHECK,
	GROUP_RUN,
	GROUP_OUTPUT,
	GROUP_GLOBAL,
	GROUP_BUILD,
	OPTION_GROUPS,
};

#define COMMAND_WORDS	 2
#define COMMAND_EXAMPLES 3

struct command_row {
	const char *name;
	const char *word[COMMAND_WORDS];  /* names of the words it takes */
	int needs;			  /* of these */
	const char *summary;		  /* a line of the list of commands */
	const char *text;		  /* paragraphs, '\n' between them */
	const char *lacks[OPTION_GROUPS]; /* why it has none of these options */
	struct {
		const char *line, *text;
	} example[COMMAND_EXAMPLES];
};

extern const struct command_row command_rows[VERBS];
extern const char *const option_group_titles[OPTION_GROUPS];

struct exit_status_row {
	enum exit_status status;
	const char *text;
};
extern const struct exit_status_row exit_status_rows[]; /* NULL text at the end */

/* VERBS: no such command. */
enum verb command_find(const char *name);

/* "xdploop send [OPTION...] PORT [PORT2]", without the options when brief. Returns text. */
const char *command_synopsis(char *text, unsigned size, enum verb verb, int brief);

/* The whole program: returns the exit status. */
int command_main(int argc, char **argv);

#endif
