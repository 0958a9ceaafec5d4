/* SPDX-License-Identifier: MIT */
/* Messages to people: one line each, on stderr, or kept back while a full screen is shown. */
#include "io/log.h"
#include <bpf/libbpf.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xdp/libxdp.h>

#define HELD_MAX 256

static const char *const prefix[] = {
	[LOG_ERROR_LEVEL] = "xdploop: ",
	[LOG_WARN_LEVEL] = "xdploop: warning: ",
	[LOG_INFO_LEVEL] = "",
	[LOG_DEBUG_LEVEL] = "",
};

static struct {
	pthread_mutex_t lock;
	enum log_level level;
	bool holding;
	unsigned long nheld; /* lines since the hold began; the last HELD_MAX are there */
	char *held[HELD_MAX];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .level = LOG_INFO_LEVEL};

void log_set_level(enum log_level level)
{
	pthread_mutex_lock(&state.lock);
	state.level = level;
	pthread_mutex_unlock(&state.lock);
}

static void held_print(void)
{
	unsigned long first = state.nheld > HELD_MAX ? state.nheld - HELD_MAX : 0;

	if (first)
		fprintf(stderr, "(%lu earlier messages were not kept)\n", first);
	for (unsigned long i = first; i < state.nheld; i++) {
		char **line = &state.held[i % HELD_MAX];

		fputs(*line, stderr);
		free(*line);
		*line = NULL;
	}
	state.nheld = 0;
}

void log_hold(bool hold)
{
	pthread_mutex_lock(&state.lock);
	state.holding = hold;
	if (!hold)
		held_print();
	pthread_mutex_unlock(&state.lock);
}

/* line: allocated, ends in a newline; taken over. */
static void line_keep(char *line)
{
	char **place = &state.held[state.nheld++ % HELD_MAX];

	free(*place);
	*place = line;
}

__attribute__((format(printf, 2, 0))) static void log_va(enum log_level level, const char *format,
							 va_list ap)
{
	char *text, *line;
	size_t n;

	pthread_mutex_lock(&state.lock);
	if (level > state.level || vasprintf(&text, format, ap) < 0)
		goto out;
	/* What libraries print has its own line end, ours has none. */
	for (n = strlen(text); n && text[n - 1] == '\n';)
		text[--n] = '\0';
	if (asprintf(&line, "%s%s\n", prefix[level], text) >= 0) {
		if (state.holding) {
			line_keep(line);
		} else {
			fputs(line, stderr);
			free(line);
		}
	}
	free(text);
out:
	pthread_mutex_unlock(&state.lock);
}

#define LOG_FUNCTION(name, level)          \
	void name(const char *format, ...) \
	{                                  \
		va_list ap;                \
                                           \
		va_start(ap, format);      \
		log_va(level, format, ap); \
		va_end(ap);                \
	}

LOG_FUNCTION(log_error, LOG_ERROR_LEVEL)
LOG_FUNCTION(log_warn, LOG_WARN_LEVEL)
LOG_FUNCTION(log_info, LOG_INFO_LEVEL)
LOG_FUNCTION(log_debug, LOG_DEBUG_LEVEL)

static int libbpf_print(enum libbpf_print_level level, const char *format, va_list ap)
{
	if (level != LIBBPF_DEBUG)
		log_va(LOG_DEBUG_LEVEL, format, ap);
	return 0;
}

static int libxdp_print(enum libxdp_print_level level, const char *format, va_list ap)
{
	if (level != LIBXDP_DEBUG)
		log_va(LOG_DEBUG_LEVEL, format, ap);
	return 0;
}

void log_route_libraries(void)
{
	libbpf_set_print(libbpf_print);
	libxdp_set_print(libxdp_print);
}
