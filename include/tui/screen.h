/* SPDX-License-Identifier: MIT */
/*
 * The monitor on a terminal (curses) or as plain text lines. Fed with snapshots by whoever has
 * them: a run in this process, or another process's live socket. One at a time, since curses is
 * global; all calls from one thread.
 */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "core/snapshot.h"

struct screen;

/*
 * plain, or a terminal that curses does not know: no curses; a block of rows on stdout every
 * interval_ns. Facts are copied. Totals count from the start of the run. NULL: no memory.
 */
struct screen *screen_open(const struct facts *facts, bool plain, uint64_t interval_ns);
void screen_close(struct screen *s); /* restores the terminal and frees; NULL-safe */

/* Facts changed (a mode was stepped down, queues appeared). */
void screen_facts(struct screen *s, const struct facts *facts);

/*
 * A new snapshot: copied, and drawn about five times a second. Counters that went backwards begin
 * a new baseline. The last one (snap->final) ends a pause and stays the picture of the end.
 */
void screen_show(struct screen *s, const struct snapshot *snap);

/* Keys waiting on stdin: act on them. True: the user asked to quit, or the terminal is gone. */
bool screen_keys(struct screen *s);

/* Descriptor to poll for keys; -1: none (plain, or stdin is no terminal). */
int screen_fd(const struct screen *s);

#endif
