/* SPDX-License-Identifier: MIT */
/* xdploop from the first word to the exit status. */
#include "cli/output.h"
#include "cli/page.h"
#include "run/messages.h"
#include "version.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <string.h>

static int (*const runs[VERBS])(struct options *o) = {
	[VERB_DEMO] = run_traffic,  [VERB_SEND] = run_traffic,	[VERB_REFLECT] = run_traffic,
	[VERB_COUNT] = run_traffic, [VERB_BENCH] = run_traffic, [VERB_MONITOR] = run_monitor,
};

/* The command line as it was, for the result; what does not fit is left out. */
static void keep_command_line(struct config *config, int argc, char **argv)
{
	size_t used = 0;

	for (int i = 0; i < argc && used < sizeof(config->command_line); i++)
		used += (size_t)snprintf(config->command_line + used,
					 sizeof(config->command_line) - used, "%s%s", i ? " " : "",
					 i ? argv[i] : PAGE_NAME);
}

static int print_page(const struct options *o)
{
	switch (o->action) {
	case ACTION_HELP:
		help_print(o->verb);
		break;
	case ACTION_VERSION:
		puts(PAGE_NAME " " XDPLOOP_VERSION);
		break;
	case ACTION_PRINT_MAN:
		man_print();
		break;
	case ACTION_PRINT_COMPLETION:
		completion_print();
		break;
	default:
		options_print();
		break;
	}
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_FINE;
	messages_error("can't write to standard output: %s", strerror(errno ? errno : EIO));
	return EXIT_CANNOT;
}

int command_main(int argc, char **argv)
{
	static struct options options; /* large; the command line lives as long */

	setlocale(LC_CTYPE, "");  /* for the bars of the monitor; numbers stay as they are */
	signal(SIGPIPE, SIG_IGN); /* a run ends in order when its reader has gone */
	if (options_parse(argc, argv, &options)) {
		fprintf(stderr, PAGE_NAME ": %s\n", options.error);
		return EXIT_USAGE;
	}
	messages_start(options.verbosity);
	if (options.action != ACTION_RUN)
		return print_page(&options);
	keep_command_line(&options.config, argc, argv);
	return runs[options.verb](&options);
}
