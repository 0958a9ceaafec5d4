/* SPDX-License-Identifier: MIT */
/*
 * Messages to people, on stderr, one line each, from any thread; errors begin with "xdploop: ",
 * warnings with "xdploop: warning: ". libbpf and libxdp are routed here, one level down.
 * While a full-screen monitor is shown, lines are held back and printed when it ends.
 */
#ifndef IO_LOG_H
#define IO_LOG_H

#include <stdbool.h>

enum log_level { LOG_ERROR_LEVEL, LOG_WARN_LEVEL, LOG_INFO_LEVEL, LOG_DEBUG_LEVEL };

void log_set_level(enum log_level level); /* default: info; -q: warn; -v: debug */
void log_hold(bool hold);		  /* the last 256 lines are kept; printed when released */

__attribute__((format(printf, 1, 2))) void log_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_warn(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_debug(const char *format, ...);

/*
 * What libbpf and libxdp print goes to log_debug, their warnings too: what matters of them is said
 * again in our own words. Their debug lines are dropped.
 */
void log_route_libraries(void);

#endif
