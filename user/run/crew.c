/* SPDX-License-Identifier: MIT */
#include "run/crew.h"
#include "io/clock.h"
#include "io/host.h"
#include "io/log.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define IDLE_ROUNDS   64	/* empty rounds before a thread sleeps */
#define IDLE_MAX_NS   1000000u	/* and for how long at most, while frames are on their way out */
#define REST_NS	      10000000u /* and while there are none: what arrives wakes it at once */
#define NAP_NS	      50000u
#define NAP_WHILE_NS  2000000u /* frames came not longer ago than this */
#define SPIN_BELOW_NS 5000u    /* a wait so short is not worth a system call */

static int crew_state(const struct crew *crew)
{
	return __atomic_load_n(&crew->state, __ATOMIC_ACQUIRE);
}

/*
 * Until frames arrive, the next one is due, or some milliseconds have passed. While a counter's
 * frames keep coming it naps instead: nobody waits for it, and a sleeper in poll costs whoever
 * delivers the frames (on veth: the sender) a wake-up for every batch.
 */
static void crew_sleep(struct crew_thread *t, uint64_t now, bool generate)
{
	struct pollfd fds[2 * QUEUES_MAX];
	struct timespec ts = {};
	uint64_t wait = REST_NS;
	bool nap = now - t->busy_at < NAP_WHILE_NS;

	for (uint32_t i = 0; i < t->nworkers; i++) {
		uint64_t next = worker_next_ns(t->worker[i], generate);

		fds[i] = (struct pollfd){.fd = queue_fd(t->worker[i]->queue), .events = POLLIN};
		if (next <= now)
			return;
		if (t->worker[i]->out->outstanding && wait > IDLE_MAX_NS)
			wait = IDLE_MAX_NS;
		if (next - now < wait)
			wait = next - now;
		nap &= t->worker[i]->plan.rx == RX_COUNT;
	}
	if (wait < SPIN_BELOW_NS)
		return;
	if (nap && wait > NAP_NS)
		wait = NAP_NS;
	ts.tv_nsec = (long)wait;
	if (nap)
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	else
		(void)ppoll(fds, t->nworkers, &ts, NULL);
	t->ran_on = sched_getcpu();
}

static void crew_rounds(struct crew_thread *t)
{
	uint32_t idle = 0;
	int state;

	while ((state = crew_state(t->crew)) != CREW_STOP) {
		uint64_t now = clock_now();
		uint32_t handled = 0;

		for (uint32_t i = 0; i < t->nworkers; i++)
			if (!t->worker[i]->error)
				handled += worker_round(t->worker[i], now, state == CREW_RUN);
		if (handled) {
			idle = 0;
			t->busy_at = now;
			continue;
		}
		if (++idle < IDLE_ROUNDS || t->crew->spin)
			continue;
		crew_sleep(t, now, state == CREW_RUN);
	}
}

/* Streams: the work is done inside one long call. */
static void crew_streams(struct crew_thread *t)
{
	struct worker *w = t->worker[0];
	int state;

	while ((state = crew_state(t->crew)) != CREW_STOP) {
		uint64_t now = clock_now(), wait = IDLE_MAX_NS;
		bool run = state == CREW_RUN && w->sending && !w->error;

		if (run && role_stream(w, now))
			continue;
		if (run && w->sending && stream_next_ns(w) < now + wait)
			wait = stream_next_ns(w) > now ? stream_next_ns(w) - now : 0;
		if (wait)
			clock_sleep(wait);
	}
}

static void *crew_main(void *arg)
{
	struct crew_thread *t = arg;

	prctl(PR_SET_TIMERSLACK, 1UL);
	t->ran_on = sched_getcpu();
	while (crew_state(t->crew) == CREW_WAIT)
		clock_sleep(50000);
	if (t->crew->streams)
		crew_streams(t);
	else
		crew_rounds(t);
	t->cpu_ns = clock_thread_cpu(pthread_self());
	return NULL;
}

static int nth_cpu(const cpu_set_t *cpus, uint32_t n)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus) && !n--)
			return cpu;
	return -1;
}

void crew_assign(struct crew *crew, struct worker *workers, uint32_t n, uint32_t nports, bool pairs,
		 const cpu_set_t *cpus)
{
	cpu_set_t allowed;
	uint32_t units = pairs ? n / 2 : n, groups = pairs ? 1 : nports;
	uint32_t ncpus = host_cpus(cpus, &allowed);

	crew->nthreads = ncpus > 1 ? ncpus - 1 : 1;
	if (cpus)
		crew->nthreads = ncpus;
	if (crew->nthreads < groups)
		crew->nthreads = groups;
	crew->nthreads -= crew->nthreads % groups;
	if (crew->nthreads > units)
		crew->nthreads = units;
	for (uint32_t i = 0; i < crew->nthreads; i++)
		crew->thread[i] = (struct crew_thread){
			.crew = crew,
			.index = i,
			.pin = cpus			? nth_cpu(cpus, i % ncpus)
			       : crew->nthreads < ncpus ? nth_cpu(&allowed, i + 1)
							: -1,
		};
	for (uint32_t i = 0; i < units; i++) {
		/* Neighbours share a thread, so the queues of two ports never do. */
		struct crew_thread *t = &crew->thread[(uint64_t)i * crew->nthreads / units];

		t->worker[t->nworkers++] = &workers[i];
		workers[i].thread = t->index;
		if (pairs) {
			t->worker[t->nworkers++] = &workers[units + i];
			workers[units + i].thread = t->index;
		}
	}
}

void crew_assign_streams(struct crew *crew, struct worker *workers, uint32_t n,
			 const cpu_set_t *cpus)
{
	crew->streams = true;
	for (uint32_t i = 0; i < n; i++) {
		struct worker *w = &workers[i];
		struct crew_thread *t = &crew->thread[crew->nthreads];

		w->thread = THREAD_NONE;
		if (!w->sends)
			continue;
		*t = (struct crew_thread){
			.crew = crew,
			.index = crew->nthreads,
			.pin = nth_cpu(cpus, w->place),
			.nworkers = 1,
			.worker = {w},
		};
		w->thread = crew->nthreads++;
		w->stream = &w->inside->inside->stream[t->pin];
	}
}

int crew_start(struct crew *crew)
{
	__atomic_store_n(&crew->state, CREW_WAIT, __ATOMIC_RELEASE);
	for (crew->started = 0; crew->started < crew->nthreads; crew->started++) {
		struct crew_thread *t = &crew->thread[crew->started];
		int err = pthread_create(&t->id, NULL, crew_main, t);

		if (err) {
			log_error("no thread: %s", strerror(err));
			crew_join(crew);
			return -err;
		}
		if (t->pin >= 0) {
			cpu_set_t set;

			CPU_ZERO(&set);
			CPU_SET(t->pin, &set);
			if (pthread_setaffinity_np(t->id, sizeof(set), &set))
				log_warn("CPU %d is not for us: thread %u runs anywhere", t->pin,
					 t->index);
		}
	}
	return 0;
}

void crew_set(struct crew *crew, enum crew_state state)
{
	__atomic_store_n(&crew->state, state, __ATOMIC_RELEASE);
}

void crew_join(struct crew *crew)
{
	crew_set(crew, CREW_STOP);
	while (crew->started)
		pthread_join(crew->thread[--crew->started].id, NULL);
}

uint64_t crew_cpu_ns(const struct crew *crew, uint32_t thread)
{
	const struct crew_thread *t = &crew->thread[thread];

	return thread < crew->started ? clock_thread_cpu(t->id) : t->cpu_ns;
}
