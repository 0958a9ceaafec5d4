/* SPDX-License-Identifier: MIT */
/* Text for people: lines that fit the page. */
#include "report/page.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int page_open(struct page *page)
{
	*page = (struct page){0};
	page->file = open_memstream(&page->raw, &page->size);
	return page->file ? 0 : -ENOMEM;
}

/* Does a column begin at this byte? (UTF-8: all but continuation bytes) */
static bool is_column(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* A line to be finished: what was read of it and where it goes. */
struct line {
	const char *from, *end;
	size_t hang; /* column at which broken lines go on */
};

/*
 * How much of the line fits into cols columns: up to the last blank where it may be broken, or, for
 * one endless word, as much as there is room for.
 */
static const char *line_break(const struct line *line, size_t cols)
{
	const char *blank = NULL, *s = line->from;
	bool text = false;

	for (size_t col = 0; s < line->end; s++) {
		if (*s == *PAGE_HANG)
			continue;
		if (is_column(*s) && col++ == cols)
			return *s == ' ' || !blank ? s : blank;
		if (*s != ' ')
			text = true;
		else if (text)
			blank = s;
	}
	return line->end;
}

/* Copy what fits on one line of the page, with its newline; steering characters are resolved. */
static char *line_put(struct line *line, char *to, size_t indent)
{
	const char *stop = line_break(line, PAGE_COLS - indent);
	char *start = to;
	size_t col = indent;

	memset(to, ' ', indent);
	to += indent;
	for (const char *s = line->from; s < stop; s++) {
		if (*s == *PAGE_HANG) {
			line->hang = col < PAGE_COLS / 2 ? col : PAGE_COLS / 2;
			continue;
		}
		*to++ = *s == *PAGE_GLUE ? ' ' : *s;
		col += is_column(*s);
	}
	while (to > start && to[-1] == ' ')
		to--;
	*to++ = '\n';
	while (stop < line->end && *stop == ' ')
		stop++;
	line->from = stop;
	return to;
}

/*
 * A broken line goes on behind an indent of at most PAGE_COLS / 2, and any two lines that follow
 * each other hold more columns of text than that, so four times the text is room enough.
 */
static char *page_finish(const struct page *page, size_t *out_size)
{
	char *text = malloc(4 * page->size + PAGE_COLS), *to = text;
	const char *s = page->raw, *end = page->raw + page->size;

	while (text && s < end) {
		const char *newline = memchr(s, '\n', (size_t)(end - s));
		struct line line = {.from = s, .end = newline ? newline : end};

		if (line.from == line.end)
			*to++ = '\n';
		for (size_t indent = 0; line.from < line.end; indent = line.hang)
			to = line_put(&line, to, indent);
		s = newline ? newline + 1 : end;
	}
	*out_size = (size_t)(to - text);
	return text;
}

int page_send(struct page *page, const struct report_out *out)
{
	bool failed = ferror(page->file);
	char *text = NULL;
	size_t size;
	int err = -ENOMEM;

	failed |= fclose(page->file) != 0;
	if (!failed)
		text = page_finish(page, &size);
	if (text)
		err = out->write(out->ctx, text, size);
	free(text);
	free(page->raw);
	return err < 0 ? err : 0;
}
