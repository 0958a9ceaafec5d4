/* SPDX-License-Identifier: MIT */
/* What the option rows are made of: parse functions and lists of words. */
#ifndef CLI_OPTION_PARSE_H
#define CLI_OPTION_PARSE_H

#include "cli/option.h"

#define CPUS_MAX 1024 /* of cpu_set_t */

#define OPTION_PARSER(name) \
	int option_##name(const struct option_row *row, const char *word, struct options *out)

OPTION_PARSER(engine);
OPTION_PARSER(mode);
OPTION_PARSER(queues);
OPTION_PARSER(queue_ids);
OPTION_PARSER(lab_queues);
OPTION_PARSER(rx_ring);
OPTION_PARSER(tx_ring);
OPTION_PARSER(force);
OPTION_PARSER(size);
OPTION_PARSER(flows);
OPTION_PARSER(rate);
OPTION_PARSER(burst);
OPTION_PARSER(stamp_every);
OPTION_PARSER(frames);
OPTION_PARSER(dst_mac);
OPTION_PARSER(expect_return);
OPTION_PARSER(swap);
OPTION_PARSER(match);
OPTION_PARSER(verify);
OPTION_PARSER(stamp);
OPTION_PARSER(then);
OPTION_PARSER(expect);
OPTION_PARSER(duration);
OPTION_PARSER(repeat);
OPTION_PARSER(phases);
OPTION_PARSER(cpus);
OPTION_PARSER(spin);
OPTION_PARSER(latency_mode);
OPTION_PARSER(fail_if);
OPTION_PARSER(format);
OPTION_PARSER(json);
OPTION_PARSER(interval);
OPTION_PARSER(monitor);
OPTION_PARSER(verbose);
OPTION_PARSER(quiet);
OPTION_PARSER(action);

#undef OPTION_PARSER

const char *engine_word(int i);
const char *mode_word(int i);
const char *swap_word(int i);
const char *verify_word(int i);
const char *stamp_word(int i);
const char *then_word(int i);
const char *phase_word(int i);
const char *format_word(int i);

#endif
