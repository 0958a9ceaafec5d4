/* SPDX-License-Identifier: MIT */
#include "heat.h"
#include "ground.h"
#include "io/clock.h"
#include "io/log.h"
#include "outside.h"
#include "present.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define START_NS  10000000000ull
#define SETTLE_NS 100000000ull
#define WARM_NS	  150000000ull
#define WINDOW_NS 400000000ull
#define POLL_NS	  5000000ull
#define STARTED	  1000 /* frames that arrived: it runs */

/* One measurement: a subject on its ground. */
struct attempt {
	const struct course *course;
	struct cell *cell;
	struct ground ground;
	struct outside outside;
	bool has_process;
};

struct reading {
	uint64_t time_ns, cpu_ns;
	struct arrivals arrivals;
};

static int fail(struct attempt *a, int err, const char *what)
{
	char words[80] = "";

	if (a->has_process)
		outside_words(&a->outside, words, sizeof(words));
	snprintf(a->cell->why, sizeof(a->cell->why), "%s%s%s", what, words[0] ? ": " : "", words);
	return err;
}

static int start(struct attempt *a)
{
	const struct subject *s = a->cell->subject;
	struct ground *g = &a->ground;
	struct outside_spec spec = {
		.netns = ground_port(g)->netns,
		.root = s->kind == PEER ? a->course->root : NULL,
		.command = a->cell->command,
	};
	int err;

	if (s->kind == FEED_ALONE || s->kind == BARE_ALONE)
		return 0;
	CPU_ZERO(&spec.cpus);
	for (uint32_t i = 0; i < g->queues; i++)
		CPU_SET(a->course->worker_cpus[i], &spec.cpus);
	err = outside_start(&a->outside, &spec);
	a->has_process = !err;
	return err;
}

/* A receiver has its program on the port before the first frame comes, and a while for the rest. */
static int wait_for_program(struct attempt *a)
{
	uint64_t deadline = clock_now() + START_NS;

	while (!nic_xdp_program(ground_port(&a->ground), NULL, 0)) {
		if (outside_ended(&a->outside))
			return fail(a, -ECHILD, "it ended at once");
		if (clock_now() > deadline)
			return fail(a, -ETIMEDOUT, "no program on the port in time");
		clock_sleep(POLL_NS);
	}
	clock_sleep(SETTLE_NS);
	return 0;
}

static int wait_for_frames(struct attempt *a)
{
	uint64_t deadline = clock_now() + START_NS;
	struct arrivals arrivals = {};

	while (arrivals.frames < STARTED) {
		int err = ground_arrivals(&a->ground, &arrivals);

		if (err)
			return fail(a, err, "its frames can't be counted");
		if (a->has_process && outside_ended(&a->outside))
			return fail(a, -ECHILD, "it ended at once");
		if (ground_feed_error(&a->ground))
			return fail(a, -EIO, "the feeder stopped");
		if (clock_now() > deadline)
			return fail(a, -ETIMEDOUT, "no frame arrived in time");
		clock_sleep(POLL_NS);
	}
	return 0;
}

static int read_all(struct attempt *a, struct reading *r)
{
	r->time_ns = clock_now();
	r->cpu_ns = ground_feed_cpu(&a->ground) + kernel_softirq_cpu();
	if (a->has_process)
		r->cpu_ns += outside_cpu(&a->outside);
	return ground_arrivals(&a->ground, &r->arrivals);
}

static int window(struct attempt *a, int round)
{
	struct cell *cell = a->cell;
	struct reading before, after;
	double frames, lost;
	int err;

	clock_sleep(WARM_NS);
	if (a->has_process)
		outside_find(&a->outside);
	err = read_all(a, &before);
	clock_sleep(WINDOW_NS);
	if (!err)
		err = read_all(a, &after);
	if (err)
		return fail(a, err, "its frames can't be counted");
	if (a->has_process && outside_ended(&a->outside))
		return fail(a, -ECHILD, "it ended while it was measured");
	if (after.arrivals.frames == before.arrivals.frames)
		return fail(a, -EIO, "no frame arrived while it was measured");
	frames = (double)(after.arrivals.frames - before.arrivals.frames);
	lost = (double)(after.arrivals.lost - before.arrivals.lost);
	cell->ns[round] = (double)(after.cpu_ns - before.cpu_ns) / frames;
	cell->mpps[round] = frames * 1e3 / (double)(after.time_ns - before.time_ns);
	cell->lost[round] = lost / (frames + lost);
	if (after.arrivals.bytes > before.arrivals.bytes)
		cell->bytes = (double)(after.arrivals.bytes - before.arrivals.bytes) / frames;
	return 0;
}

static int run(struct attempt *a, int round)
{
	bool receives = a->cell->subject->work != SEND;
	int err = start(a);

	if (!err && a->has_process && receives)
		err = wait_for_program(a);
	if (!err)
		err = ground_feed(&a->ground);
	if (!err)
		err = wait_for_frames(a);
	return err ? err : window(a, round);
}

/* Nothing may be left on the port; what is left goes away with the lab all the same. */
static void stop(struct attempt *a)
{
	struct cell *cell = a->cell;

	ground_feed_stop(&a->ground);
	if (!a->has_process)
		return;
	if (outside_stop(&a->outside) && !cell->why[0])
		snprintf(cell->why, sizeof(cell->why), "did not stop by SIGINT, was killed");
	else if (nic_xdp_program(ground_port(&a->ground), NULL, 0) && !cell->why[0])
		snprintf(cell->why, sizeof(cell->why), "leaves its program on the port");
}

static int attempt(struct cell *cell, const struct heat *heat, const struct course *course,
		   int round)
{
	struct attempt a = {.course = course, .cell = cell};
	struct place place = {.program = course->program,
			      .queues = heat->queues,
			      .size = heat->size,
			      .cpus = course->worker_cpus};
	int err = ground_open(&a.ground, cell->subject, heat->queues, heat->size,
			      course->feeder_cpus);

	if (err)
		return fail(&a, err, "no lab to run it in");
	place.port = ground_port(&a.ground)->name;
	memcpy(place.mac, a.ground.nic[GROUND_D0].mac, sizeof(place.mac));
	if (cell->subject->command)
		subject_command(cell->subject, &place, cell->command, sizeof(cell->command));
	err = run(&a, round);
	stop(&a);
	ground_close(&a.ground);
	return err;
}

/* Once more before a subject is given up: on a busy machine a start may take too long. */
static void measure(struct cell *cell, const struct heat *heat, const struct course *course,
		    int round)
{
	char odd[sizeof(cell->why)];

	if (cell->rounds < round)
		return;
	memcpy(odd, cell->why, sizeof(odd));
	cell->why[0] = '\0';
	if (attempt(cell, heat, course, round)) {
		cell->why[0] = '\0';
		if (attempt(cell, heat, course, round))
			return;
	}
	cell->rounds++;
	if (!cell->why[0])
		memcpy(cell->why, odd, sizeof(odd));
}

void heat_run(struct heat *heat, const struct course *course)
{
	for (int i = 0; i < heat->ncells; i++)
		if (present(heat->cell[i].subject, course, heat->queues, heat->cell[i].why,
			    sizeof(heat->cell[i].why)))
			heat->cell[i].rounds = HEAT_ABSENT;
	for (int round = 0; round < heat->rounds; round++)
		for (int i = 0; i < heat->ncells; i++)
			measure(&heat->cell[i], heat, course, round);
}

const struct cell *heat_cell(const struct heat *heat, const char *name)
{
	for (int i = 0; i < heat->ncells; i++)
		if (!strcmp(heat->cell[i].subject->name, name))
			return heat->cell[i].rounds == heat->rounds ? &heat->cell[i] : NULL;
	return NULL;
}
