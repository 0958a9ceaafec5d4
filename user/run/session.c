/* SPDX-License-Identifier: MIT */
#include "run/session.h"
#include "io/clock.h"
#include "io/host.h"
#include "io/log.h"
#include "io/netns.h"
#include "report/report.h"
#include "run/state.h"
#include "version.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_FINE = 0, STATUS_CANNOT = 1, STATUS_VERDICT = 3, STATUS_MACHINE = 77 };

/* --- set-up --- */

/*
 * Ports begin at CPUs as far apart as can be. veth delivers what CPU n sends to queue n modulo the
 * queues there are: where only the first of them are driven, the first streams keep to theirs.
 */
static uint32_t first_place(const struct ports *p, int i, uint32_t ncpus)
{
	const struct run_port *port = &p->port[i];
	uint32_t place = (uint32_t)i * ncpus / (uint32_t)p->n;

	return port->queues < port->nic.tx_queues ? place - place % port->nic.tx_queues : place;
}

void session_workers(struct session *s)
{
	struct ports *p = &s->ports;
	cpu_set_t cpus;
	uint32_t ncpus = host_cpus(s->config->have_cpus ? &s->config->cpus : NULL, &cpus);

	memset(&s->crew, 0, sizeof(s->crew));
	s->nworkers = 0;
	for (int i = 0; i < p->n; i++) {
		struct run_port *port = &p->port[i];

		port->streams = port->queues;
		if (p->engine == ENGINE_KERNEL && port->streams > ncpus)
			port->streams = ncpus;
		for (uint32_t q = 0; q < port->queues; q++) {
			struct worker *w = &s->worker[s->nworkers++];
			uint32_t slot = port->first_slot + q;

			*w = (struct worker){
				.queue = &port->queue[q],
				.count = &p->maps.slot[slot].worker,
				.latency = &p->maps.hist[slot * HIST_KINDS + HIST_LATENCY],
				.lateness = &p->maps.hist[slot * HIST_KINDS + HIST_LATENESS],
				.port = (uint32_t)i,
				.slot = slot,
				.run_seen = &s->run_seen[i],
			};
			if (p->engine != ENGINE_KERNEL)
				continue;
			w->inside = &port->prog;
			w->run_seen = &port->prog.inside->plan->run_seen;
			w->sends = ports_generate(p) && q < port->streams;
			w->place = (first_place(p, i, ncpus) + q) % ncpus;
		}
	}
	if (p->engine == ENGINE_KERNEL)
		crew_assign_streams(&s->crew, s->worker, s->nworkers, &cpus);
	else
		crew_assign(&s->crew, s->worker, s->nworkers, (uint32_t)p->n, p->bridge,
			    s->config->have_cpus ? &s->config->cpus : NULL);
	s->crew.spin = s->config->spin;
}

static void session_title(struct session *s)
{
	static const char *const names[] = {
		[COMMAND_SEND] = "send",
		[COMMAND_REFLECT] = "reflect",
		[COMMAND_COUNT] = "count",
		[COMMAND_BENCH] = "bench",
	};
	const struct config *config = s->config;
	struct facts *f = &s->facts;
	char frames[32] = "";

	snprintf(f->command, sizeof(f->command), "%s", names[config->command]);
	snprintf(s->result->command, sizeof(s->result->command), "%s", f->command);
	if (config->command == COMMAND_SEND || config->command == COMMAND_BENCH) {
		f->frame_bytes = config->frame_bytes;
		snprintf(frames, sizeof(frames), ", %u-byte frames", config->frame_bytes);
	}
	snprintf(f->title, sizeof(f->title), "%s %.24s%s%.24s%s", f->command, config->port[0],
		 config->nports > 1 ? " " : "", config->nports > 1 ? config->port[1] : "", frames);
	f->pid = getpid();
	f->start_ns = clock_now();
	f->run = s->run;
}

static int session_snapshots(struct session *s)
{
	size_t size = snapshot_size(s->ports.maps.nslots);

	s->now = calloc(1, size);
	s->tick = calloc(1, size);
	s->start = calloc(1, size);
	return s->now && s->tick && s->start ? 0 : -ENOMEM;
}

static int session_open(struct session *s)
{
	int err = events_open(s);

	if (!err)
		err = ports_open(&s->ports, s->config, &s->stop);
	if (!err)
		err = session_snapshots(s);
	if (err)
		return err;
	session_workers(s);
	return 0;
}

static int session_show(struct session *s)
{
	session_title(s);
	ports_facts(&s->ports, &s->facts);
	ports_describe(&s->ports, s->result);
	s->hello = report_hello(&s->facts);
	if (!s->hello)
		return -ENOMEM;
	live_open(&s->live, s->hello);
	if (s->watch->start)
		s->watch->start(s->watch->ctx, &s->facts);
	return 0;
}

static void session_close(struct session *s)
{
	crew_join(&s->crew);
	kin_stop(&s->kin);
	for (uint32_t i = 0; i < s->nworkers; i++)
		worker_done(&s->worker[i]);
	live_close(&s->live);
	ports_close(&s->ports);
	events_close(s);
	free(s->hello);
	free(s->now);
	free(s->tick);
	free(s->start);
}

/* --- trials --- */

static int session_phases(struct session *s)
{
	const struct config *config = s->config;
	struct result *result = s->result;
	const struct phase *phase;
	uint32_t repeat = config->repeat ? config->repeat : 1;
	struct trial_spec spec = {
		.duration_ns = config->duration_ns,
		.frames = config->frames,
		.rate = config->rate,
	};
	int err = 0;

	result->trial = calloc(repeat * DIRECTIONS_MAX, sizeof(*result->trial));
	if (!result->trial)
		return -ENOMEM;
	for (uint32_t r = 0; r < repeat && !err && !s->stop; r++) {
		for (phase = phases_of(config); phase->name && !err && !s->stop; phase++) {
			if (!phase_wanted(config, phase))
				continue;
			spec.phase = phase;
			s->trial_index = result->ntrials;
			err = session_trial(s, &spec, &result->trial[result->ntrials++]);
		}
	}
	return err;
}

static void session_last_words(struct session *s)
{
	s->now->final = 1;
	live_send(&s->live, s->now);
	if (s->watch->sample)
		s->watch->sample(s->watch->ctx, s->now);
}

static void result_begin(const struct config *config, struct result *result)
{
	memset(result, 0, sizeof(*result));
	snprintf(result->version, sizeof(result->version), "%s", XDPLOOP_VERSION);
	snprintf(result->command_line, sizeof(result->command_line), "%s", config->command_line);
	host_time(result->started, sizeof(result->started));
	host_describe(&result->host);
}

static int status_of(int err)
{
	return err == -ENOSYS || err == -EAFNOSUPPORT ? STATUS_MACHINE : STATUS_CANNOT;
}

static int session_leaves_or_steps_down(struct session *s)
{
	int err = session_leaves(s);

	if (err != -EOPNOTSUPP || s->config->engine != ENGINE_AUTO)
		return err;
	err = ports_step_down(&s->ports, "the kernel engine can't send here");
	if (!err)
		session_workers(s);
	return err;
}

static int session_work(struct session *s)
{
	int crossed = 1, err = session_open(s);

	if (!err && s->ports.engine == ENGINE_KERNEL)
		err = session_leaves_or_steps_down(s);
	if (!err && s->config->command == COMMAND_BENCH) {
		crossed = session_prove(s);
		err = crossed < 0 ? crossed : 0;
	}
	if (!err && s->ports.bridge)
		err = session_faces(s);
	/* Nobody has seen the proof's frames: totals begin with the first trial. */
	if (!err)
		memset(s->ports.maps.slot, 0, s->ports.maps.slot_bytes);
	if (!err)
		err = session_show(s);
	if (!err && s->config->command == COMMAND_COUNT)
		kin_start(&s->kin, s->worker[0].run_seen);
	if (!err && crossed)
		err = session_phases(s);
	if (!err)
		session_last_words(s);
	if (!err && !crossed) {
		log_error("nothing sent by %s arrived at %s, nor back: are the two ports cabled to "
			  "each other?",
			  s->config->port[0], s->config->port[1]);
		s->result->verdict.status = STATUS_VERDICT;
		snprintf(s->result->verdict.text, sizeof(s->result->verdict.text),
			 "no traffic on the wire");
	}
	return err;
}

int session_run(const struct config *config, const struct session_watch *watch, struct result *out)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	result_begin(config, out);
	if (!s) {
		log_error("no memory");
		return STATUS_CANNOT;
	}
	s->config = config;
	s->watch = watch;
	s->result = out;
	s->signal_fd = s->timer_fd = s->live.listen_fd = s->live.epoll_fd = -1;
	s->run = host_random16();
	err = session_work(s);
	session_close(s);
	free(s);
	if (out->verdict.status)
		return out->verdict.status;
	verdict_judge(out, config->limit, config->nlimits);
	if (err) {
		out->verdict.status = status_of(err);
		snprintf(out->verdict.text, sizeof(out->verdict.text), "could not be done: %s",
			 strerror(-err));
	}
	return out->verdict.status;
}

void session_result_free(struct result *result)
{
	for (uint32_t i = 0; i < result->ntrials; i++)
		session_trial_free(&result->trial[i]);
	free(result->trial);
	memset(result, 0, sizeof(*result));
}
