/* SPDX-License-Identifier: MIT */
/*
 * A place of its own for a test: network namespace, mounts, an empty /run. What is made there ends
 * with the process.
 */
#ifndef TESTS_NET_SANDBOX_H
#define TESTS_NET_SANDBOX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* NULL, or why it can't be. Call it before there are threads. */
const char *sandbox_enter(void);

/* Run a shell command here, or in a namespace; its exit status. Its messages go to /dev/null. */
__attribute__((format(printf, 1, 2))) int shell(const char *format, ...);
__attribute__((format(printf, 2, 3))) int shell_in(int netns, const char *format, ...);

/* What the program says on stderr from said_start on; said ends it. The text is static. */
void said_start(void);
const char *said(void);

/* Fork, call fn there, return what it returns (0..255; 254: it died). */
int in_child(int (*fn)(void *), void *arg);

/*
 * For each test: t0 and its other end t1, both up. Afterwards they are gone, and as many
 * descriptors open as before.
 */
int port_setup(void **state);
int port_teardown(void **state);

/* When to give up waiting for something that is bound to happen. */
uint64_t deadline(void);

/* A smallest XDP program, loaded: its descriptor. */
int program_load(const char *name);

#define assert_says(text, word)                                             \
	do {                                                                \
		if (!strstr(text, word))                                    \
			fail_msg("\"%s\" does not say \"%s\"", text, word); \
	} while (0)

#endif
