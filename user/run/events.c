/* SPDX-License-Identifier: MIT */
/* What comes from outside while a run lives: signals, keys, watchers, the sampling timer. */
#include "io/clock.h"
#include "io/log.h"
#include "run/state.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define SAMPLE_NS 100000000 /* 10 snapshots a second */

int events_open(struct session *s)
{
	struct itimerspec every = {.it_interval.tv_nsec = SAMPLE_NS, .it_value.tv_nsec = SAMPLE_NS};
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, NULL); /* threads inherit it */
	s->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->signal_fd < 0 || s->timer_fd < 0 || timerfd_settime(s->timer_fd, 0, &every, NULL)) {
		log_error("no timer or signal descriptor: %s", strerror(errno));
		return -errno;
	}
	return 0;
}

void events_close(struct session *s)
{
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	if (s->timer_fd >= 0)
		close(s->timer_fd);
}

static void take_signals(struct session *s)
{
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof(info)) == sizeof(info))
		s->stop = s->stop + 1;
}

static void show_interval(struct session *s)
{
	const struct session_watch *watch = s->watch;

	if (s->now->time_ns < s->next_interval)
		return;
	s->next_interval += s->config->interval_ns;
	if (watch->interval)
		watch->interval(watch->ctx, s->trial_name, s->trial_start, s->now, s->tick);
	memcpy(s->tick, s->now, snapshot_size(s->now->nslots));
}

static void show(struct session *s)
{
	session_sample(s, s->now);
	s->now->trial = s->trial_index;
	if (!s->trial_name)
		return;
	live_send(&s->live, s->now);
	if (s->watch->sample)
		s->watch->sample(s->watch->ctx, s->now);
	show_interval(s);
}

void session_attend(struct session *s, uint64_t deadline)
{
	struct pollfd fds[] = {
		{.fd = s->signal_fd, .events = POLLIN},
		{.fd = s->timer_fd, .events = POLLIN},
		{.fd = s->live.epoll_fd, .events = POLLIN},
		{.fd = s->watch->fd, .events = POLLIN},
	};
	uint64_t now = clock_now(), ticks;
	struct timespec wait = {};

	if (deadline > now) {
		uint64_t ns = deadline - now < 1000000000ull ? deadline - now : 1000000000ull;

		wait.tv_sec = (time_t)(ns / 1000000000);
		wait.tv_nsec = (long)(ns % 1000000000);
	}
	if (ppoll(fds, sizeof(fds) / sizeof(fds[0]), &wait, NULL) <= 0)
		return;
	if (fds[0].revents)
		take_signals(s);
	if (fds[1].revents && read(s->timer_fd, &ticks, sizeof(ticks)) == sizeof(ticks))
		show(s);
	if (fds[2].revents)
		live_serve(&s->live);
	if (fds[3].revents && s->watch->keys && s->watch->keys(s->watch->ctx))
		s->stop = s->stop + 1;
}
