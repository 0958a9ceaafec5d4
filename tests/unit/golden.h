/* SPDX-License-Identifier: MIT */
/*
 * Golden files: what a report or a view looked like when somebody last looked at it and approved.
 * They lie in tests/golden (or $GOLDEN_DIR); tests run from the top of the tree. On a mismatch the
 * test shows a unified diff and leaves what it got in build/golden (or $GOLDEN_ACTUAL), from where
 * tools/bless.sh takes it with a reason.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stddef.h>

/* Fail the running test unless the file called name holds exactly these bytes. */
void golden_check(const char *name, const char *actual, size_t size);

#endif
