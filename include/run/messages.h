/* SPDX-License-Identifier: MIT */
/* Messages to people, as the command line wants them; see io/log.h. */
#ifndef RUN_MESSAGES_H
#define RUN_MESSAGES_H

#include <stdbool.h>

/* verbosity: -1 warnings and errors, 0, 1 everything. Takes over what libraries print. */
void messages_start(int verbosity);

/* While a full screen is shown, lines are kept, and printed when it has gone. */
void messages_hold(bool hold);

__attribute__((format(printf, 1, 2))) void messages_info(const char *format, ...);
__attribute__((format(printf, 1, 2))) void messages_error(const char *format, ...);

#endif
