// SPDX-License-Identifier: MIT
#include "fake_io.h"
#include "io/clock.h"
#include "io/log.h"
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static uint64_t now_ns;
static bool use_real;
static void (*sleep_hook)(uint64_t until);
static char log_text[512];

void fake_clock_set(uint64_t ns)
{
	now_ns = ns;
}

void fake_clock_advance(uint64_t ns)
{
	now_ns += ns;
}

void fake_clock_use_real(bool real)
{
	use_real = real;
}

void fake_clock_on_sleep(void (*sleep)(uint64_t until))
{
	sleep_hook = sleep;
}

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts = {};

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t clock_now(void)
{
	return use_real ? read_clock(CLOCK_MONOTONIC) : now_ns;
}

uint64_t clock_thread_cpu(pthread_t thread)
{
	clockid_t id;

	return use_real && !pthread_getcpuclockid(thread, &id) ? read_clock(id) : 0;
}

void clock_sleep(uint64_t ns)
{
	struct timespec ts = {.tv_nsec = (long)ns};

	if (use_real)
		(void)nanosleep(&ts, NULL);
	else if (sleep_hook)
		sleep_hook(now_ns + ns);
	else
		now_ns += ns;
}

const char *fake_log_text(void)
{
	return log_text;
}

void fake_log_clear(void)
{
	log_text[0] = '\0';
}

static void keep(const char *format, va_list args)
{
	vsnprintf(log_text, sizeof(log_text), format, args);
}

#define LOG_FUNCTION(name)                 \
	void name(const char *format, ...) \
	{                                  \
		va_list args;              \
                                           \
		va_start(args, format);    \
		keep(format, args);        \
		va_end(args);              \
	}

LOG_FUNCTION(log_error)
LOG_FUNCTION(log_warn)

void log_info(const char *format, ...)
{
}

void log_debug(const char *format, ...)
{
}
