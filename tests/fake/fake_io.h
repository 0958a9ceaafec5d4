/* SPDX-License-Identifier: MIT */
/* io/clock.h and io/log.h without a clock and without a terminal. */
#ifndef FAKE_IO_H
#define FAKE_IO_H

#include <stdbool.h>
#include <stdint.h>

/* The clock stands still until it is moved; true: the machine's own. */
void fake_clock_set(uint64_t ns);
void fake_clock_advance(uint64_t ns);
void fake_clock_use_real(bool real);

/* Called instead of sleeping, to let the world go on until then; NULL: the clock just jumps. */
void fake_clock_on_sleep(void (*sleep)(uint64_t until));

/* The last error or warning, "" when there was none since fake_log_clear. */
const char *fake_log_text(void);
void fake_log_clear(void);

#endif
