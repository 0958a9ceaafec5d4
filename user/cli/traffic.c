/* SPDX-License-Identifier: MIT */
/* The commands that run frames: what is shown while they do, and the result at the end. */
#include "cli/option_parse.h"
#include "cli/output.h"
#include "run/demo.h"
#include "run/messages.h"
#include "tui/screen.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* What a running session is shown with. */
struct show {
	const struct options *options;
	const struct report_format *format;
	struct report_out out;
	struct facts facts;
	struct screen *screen;
	bool full_screen; /* on a terminal, with curses */
	bool lines;	  /* a line for each interval */
	int error;	  /* of standard output */
};

/* Nobody reads standard output any more: end the run as Ctrl-C does, with all that belongs to it.
 */
static void show_lost_output(struct show *s, int err)
{
	if (!s->error)
		raise(SIGTERM);
	s->error = err;
}

static void show_start(void *ctx, const struct facts *facts)
{
	struct show *s = ctx;

	s->facts = *facts;
	if (!s->options->monitor)
		return;
	if (s->screen) {
		screen_facts(s->screen, facts);
		return;
	}
	messages_hold(s->full_screen);
	s->screen = screen_open(facts, !s->full_screen, s->options->config.interval_ns);
	if (!s->screen) {
		messages_hold(false);
		messages_error("no live view: out of memory; the run goes on");
	}
}

static void show_sample(void *ctx, const struct snapshot *snap)
{
	struct show *s = ctx;

	if (s->screen)
		screen_show(s->screen, snap);
	if (s->screen && !s->full_screen && ferror(stdout))
		show_lost_output(s, -EPIPE);
}

static void show_interval(void *ctx, const char *trial, uint64_t since_ns,
			  const struct snapshot *now, const struct snapshot *before)
{
	struct show *s = ctx;
	struct report_interval interval = {
		.facts = &s->facts,
		.trial = trial,
		.now = now,
		.before = before,
		.since_ns = since_ns,
	};
	int ret;

	if (!s->lines || s->error)
		return;
	ret = s->format->interval(&interval, &s->out);
	if (ret)
		show_lost_output(s, ret);
}

static bool show_keys(void *ctx)
{
	struct show *s = ctx;
	char early[64];

	if (s->screen)
		return screen_keys(s->screen);
	/* Typed before there is a screen: taken, or the descriptor would stay readable. */
	if (read(STDIN_FILENO, early, sizeof(early)) < 0)
		return false;
	return false;
}

/* Interval lines go where somebody watches, or where lines are the format. */
static bool wants_lines(const struct options *o, const struct report_format *format)
{
	uint64_t duration = o->config.duration_ns;

	if (!format->interval || o->monitor)
		return false;
	if (strcmp(o->format, "text"))
		return true;
	if (duration != DURATION_UNTIL_STOPPED && duration <= o->config.interval_ns)
		return false;
	return isatty(STDOUT_FILENO) || o->verbosity > 0;
}

static void announce_demo(const struct options *o)
{
	char phases[64] = "";
	size_t used = 0;

	for (int i = 0; phase_word(i + 1); i++) /* but "all" */
		if (o->config.phases >> i & 1)
			used += (size_t)snprintf(phases + used, sizeof(phases) - used, "%s%s",
						 used ? ", " : "", phase_word(i));
	messages_info("demo makes two ports with %u queues each and a cable between them; no port "
		      "of this machine is touched.",
		      o->lab_queues);
	messages_info("Then it sends frames (%s), accounts for every one, and removes all it made.",
		      phases);
}

/* Result to standard output and into the JSON file; 0 or -errno. */
static int show_result(struct show *s, struct json_file *json, const struct result *result)
{
	int err;

	if (!result->ntrials) /* nothing was run: what stopped it has been said */
		return json_file_finish(json, NULL);
	if (!s->error)
		s->error = s->format->result(result, &s->out);
	if (s->error)
		messages_error("the result can't be written to standard output: %s",
			       strerror(-s->error));
	err = json_file_finish(json, result);
	return s->error ? s->error : err;
}

int run_traffic(struct options *o)
{
	struct show show = {
		.options = o,
		.format = report_find(o->format),
		.out = {.write = output_write, .ctx = stdout},
		.full_screen = o->monitor && isatty(STDOUT_FILENO),
	};
	struct session_watch watch = {
		.ctx = &show,
		.start = show_start,
		.sample = show_sample,
		.interval = show_interval,
		.keys = show_keys,
		.fd = show.full_screen && isatty(STDIN_FILENO) ? STDIN_FILENO : -1,
	};
	struct result result = {.ntrials = 0};
	struct json_file json;
	int status;

	show.lines = wants_lines(o, show.format);
	if (json_file_open(&json, o->json))
		return EXIT_CANNOT;
	if (o->verb == VERB_DEMO) {
		announce_demo(o);
		status = demo_run(&o->config, o->lab_queues, &watch, &result);
	} else {
		status = ports_run(&o->config, &watch, &result);
	}
	screen_close(show.screen);
	if (show.full_screen)
		messages_hold(false);
	if (show_result(&show, &json, &result) && status != EXIT_MACHINE)
		status = EXIT_CANNOT;
	session_result_free(&result);
	return status;
}
