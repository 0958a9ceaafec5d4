/* SPDX-License-Identifier: MIT */
/* A command line as it would be typed, for the tests of the command line. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include "cli/option.h"
#include "unit.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WORDS_MAX 24

static struct options o;
static char line_text[512];

/* Cut a line at its blanks, without quotes, up to a pipe or redirection; then parse it. */
static inline int parse(const char *line)
{
	char *argv[WORDS_MAX + 1] = {"xdploop"}, *to = line_text;
	int argc = 1;

	assert_true(strlen(line) < sizeof(line_text));
	while (*line == ' ')
		line++;
	while (*line && *line != '|' && *line != '>') {
		assert_true(argc < WORDS_MAX);
		argv[argc++] = to;
		while (*line && *line != ' ') {
			if (*line == '\'') {
				for (line++; *line != '\''; line++)
					*to++ = *line;
				line++;
			} else {
				*to++ = *line++;
			}
		}
		*to++ = '\0';
		while (*line == ' ')
			line++;
	}
	argv[argc] = NULL;
	return options_parse(argc, argv, &o);
}

static inline void parse_fine(const char *line)
{
	if (parse(line))
		fail_msg("%s: %s", line, o.error);
}

#endif
