/* SPDX-License-Identifier: MIT */
/*
 * Inside the report room: a page of text for people. It is written with fprintf and finished in one
 * go: lines are broken at PAGE_COLS columns and lose trailing blanks.
 *
 * Two characters steer the breaking: PAGE_HANG sets the column at which the rest of a broken line
 * goes on, PAGE_GLUE is a blank where no line is broken ("12.3 us").
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/report.h"
#include <stdio.h>

#define PAGE_COLS 80
#define PAGE_HANG "\t"
#define PAGE_GLUE "\v"

struct page {
	FILE *file;
	char *raw;
	size_t size;
};

int page_open(struct page *page);

/* Finish, send and free. Returns what write returned, or -ENOMEM. */
int page_send(struct page *page, const struct report_out *out);

#endif
