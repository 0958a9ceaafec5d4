/* SPDX-License-Identifier: MIT */
#include "run/messages.h"
#include "io/log.h"
#include <stdarg.h>
#include <stdio.h>

#define LINE_SIZE 512

void messages_start(int verbosity)
{
	static const enum log_level level[] = {LOG_WARN_LEVEL, LOG_INFO_LEVEL, LOG_DEBUG_LEVEL};

	log_set_level(level[verbosity + 1]);
	log_route_libraries();
}

void messages_hold(bool hold)
{
	log_hold(hold);
}

void messages_info(const char *format, ...)
{
	char line[LINE_SIZE];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	log_info("%s", line);
}

void messages_error(const char *format, ...)
{
	char line[LINE_SIZE];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	log_error("%s", line);
}
