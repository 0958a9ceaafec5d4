/* SPDX-License-Identifier: MIT */
/* xdploop monitor: the live view of a run in another process. */
#include "cli/output.h"
#include "run/attach.h"
#include "run/messages.h"
#include "tui/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { POLL_RUN, POLL_SIGNAL, POLL_KEYS, POLLS };

/* Ctrl-C becomes readable: the terminal is put right before the totals are printed. */
static int signals_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Until the run ends, q, or Ctrl-C. *last: 1 when a->snap holds a snapshot. 0 or -errno, said. */
static int watch(struct attach *a, struct screen *screen, int signal_fd, bool *seen)
{
	struct pollfd poll_fd[POLLS] = {
		[POLL_RUN] = {.fd = a->fd, .events = POLLIN},
		[POLL_SIGNAL] = {.fd = signal_fd, .events = POLLIN},
		[POLL_KEYS] = {.fd = screen_fd(screen), .events = POLLIN},
	};

	for (;;) {
		int ret, n = poll(poll_fd, POLLS, -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && poll_fd[POLL_SIGNAL].revents)
			return 0;
		/* Also after an interruption: the size of the terminal may have changed. */
		if ((n < 0 || poll_fd[POLL_KEYS].revents) && screen_keys(screen))
			return 0;
		if (n < 0 || !poll_fd[POLL_RUN].revents)
			continue;
		ret = attach_next(a, 0);
		if (ret == -ECONNRESET)
			return 0;
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		*seen = true;
		screen_show(screen, a->snap);
		if (ferror(stdout))
			return -EPIPE;
	}
}

/* One line for each port, for scripts: all trials so far; "-" when nothing is known. */
static void print_totals(const struct attach *a, bool seen)
{
	for (uint32_t p = 0; p < a->facts.nports; p++) {
		const struct facts_port *port = &a->facts.port[p];
		struct worker_counters sum = {0};

		if (!seen) {
			printf("total %s submitted - completed - received - matched -\n",
			       port->name);
			continue;
		}
		for (uint32_t q = 0; q < port->queues; q++) {
			const struct worker_counters *w =
				&a->snap->queue[port->first_slot + q].worker;

			sum.submitted += w->submitted;
			sum.completed += w->completed;
			sum.received += w->received;
			sum.matched += w->matched;
		}
		printf("total %s submitted %llu completed %llu received %llu matched %llu\n",
		       port->name, sum.submitted, sum.completed, sum.received, sum.matched);
	}
}

int run_monitor(struct options *o)
{
	bool full_screen = isatty(STDOUT_FILENO) && isatty(STDIN_FILENO), seen = false;
	struct screen *screen;
	struct attach a;
	int signal_fd, ret;

	if (attach_open(&a, o->run))
		return EXIT_CANNOT;
	signal_fd = signals_open();
	messages_hold(full_screen);
	screen = screen_open(&a.facts, !full_screen, o->config.interval_ns);
	ret = signal_fd < 0 ? signal_fd : screen ? 0 : -ENOMEM;
	if (!ret)
		ret = watch(&a, screen, signal_fd, &seen);
	screen_close(screen);
	messages_hold(false);
	if (ret == -EPROTO)
		messages_error("the run sends what it did not promise: is it another version?");
	else if (ret)
		messages_error("the live view ended: %s", strerror(-ret));
	else
		print_totals(&a, seen);
	if (!ret && fflush(stdout)) {
		messages_error("the totals can't be written to standard output: %s",
			       strerror(errno));
		ret = -EIO;
	}
	if (signal_fd >= 0)
		close(signal_fd);
	attach_close(&a);
	return ret ? EXIT_CANNOT : EXIT_FINE;
}
