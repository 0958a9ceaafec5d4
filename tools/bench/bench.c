/* SPDX-License-Identifier: MIT */
/*
 * bench [PROGRAM [JSON]]: what the kernel-side paths cost, on the embedded lab. Exit status 1 when
 * something could not run; never because of a figure.
 */
#include "bench.h"
#include "io/log.h"
#include <stdio.h>

enum { SEND, RECEIVE, ACROSS, PATH, IDLE, ROWS };

static struct row rows[ROWS] = {
	[SEND] = {.name = "send",
		  .text = "send, 64 bytes, copy",
		  .unit = "ns/frame",
		  .reference_text = "a bare loop of constant frames with libxdp's defaults",
		  .judged = JUDGED_RATIO,
		  .target = 1},
	[RECEIVE] = {.name = "count_receiver",
		     .text = "count, receiving thread, one CPU",
		     .unit = "ns/frame",
		     .reference_text = "the same socket, frames only given back",
		     .judged = JUDGED_DIFFERENCE,
		     .target = 10},
	[ACROSS] = {.name = "count_receiver_across",
		    .text = "count, receiving thread, two CPUs",
		    .unit = "ns/frame",
		    .reference_text = "the same, frames only given back",
		    .judged = JUDGED_DIFFERENCE,
		    .target = 10},
	[PATH] = {.name = "count_path",
		  .text = "count, with feeder and copy",
		  .unit = "ns/frame",
		  .reference_text = "the same, frames only given back"},
	[IDLE] = {.name = "reflect_idle",
		  .text = "reflect, idle",
		  .unit = "% of CPU",
		  .judged = JUDGED_VALUE,
		  .target = 5},
};

int main(int argc, char **argv)
{
	int failed = 0;

	log_set_level(LOG_WARN_LEVEL);
	log_route_libraries();
	failed |= bench_send(&rows[SEND]);
	failed |= bench_count(&rows[RECEIVE], &rows[ACROSS], &rows[PATH]);
	if (argc > 1)
		failed |= bench_idle(&rows[IDLE], argv[1]);
	table_print(rows, ROWS);
	if (argc > 2)
		failed |= table_save(rows, ROWS, argv[2]);
	return failed ? 1 : 0;
}
