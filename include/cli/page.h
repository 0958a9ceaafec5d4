/* SPDX-License-Identifier: MIT */
/* Texts made from the rows of commands and options. All go to standard output. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli/command.h"

#define PAGE_NAME  "xdploop"
#define PAGE_TITLE "what a network card can really do: generate, reflect, count, watch"
#define PAGE_COLS  80

/* Sentences that help and man page share; '\n' between paragraphs. */
extern const char page_about[], page_ports[];

/* Text broken at blanks: starts at column at, goes on at indent, ends before PAGE_COLS. */
void page_wrap(const char *text, int at, int indent);

/* "--rate RATE", "-v, --verbose". Returns text. */
struct option_row;
const char *page_option(const struct option_row *row, char *text, unsigned size);

void help_print(enum verb verb); /* VERBS: the main help */
void man_print(void);
void completion_print(void);
void options_print(void);

#endif
