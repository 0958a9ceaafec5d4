// SPDX-License-Identifier: MIT
/* The real threads of a crew over the fake wire, which has a thread of its own. */
#include "io/clock.h"
#include "rig.h"
#include "run/crew.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>

#define QUEUES	   2
#define WORKERS	   (2 * QUEUES)
#define LOOK_NS	   200000
#define LOOKS_MAX  100000 /* 20 s: something hangs */
#define PUMP_SLEEP 20000

static struct crew crew;
static struct worker workers[WORKERS];

/* --- the wire's thread --- */

struct pump {
	struct rig *rig;
	pthread_t id;
	bool stop; /* atomic */
};

static void *pump_main(void *arg)
{
	struct pump *p = arg;

	while (!__atomic_load_n(&p->stop, __ATOMIC_RELAXED))
		if (!fake_wire_pump(&p->rig->wire))
			clock_sleep(PUMP_SLEEP);
	return NULL;
}

static void pump_start(struct pump *p, struct rig *r)
{
	*p = (struct pump){.rig = r};
	assert_int_equal(pthread_create(&p->id, NULL, pump_main, p), 0);
}

static void pump_stop(struct pump *p)
{
	__atomic_store_n(&p->stop, true, __ATOMIC_RELAXED);
	pthread_join(p->id, NULL);
}

/* --- a run --- */

/* The workers of a crew lie in one array, grouped by port. */
static struct rig *open_both_ways(uint64_t limit, double pps, bool driver_polls)
{
	struct rig_spec spec = {.queues = QUEUES, .flows = 20};
	struct rig *r = rig_open(&spec);

	fake_clock_use_real(true);
	for (uint32_t port = 0; port < 2; port++) {
		struct plan plan = rig_plan(r, port);

		plan.tx = TX_GENERATE;
		plan.limit = limit;
		plan.pps = pps;
		rig_prepare(r, port, &plan);
		for (uint32_t q = 0; q < QUEUES; q++) {
			r->queue[port][q].io->driver_polls = driver_polls;
			workers[port * QUEUES + q] = r->worker[port][q];
		}
	}
	memset(&crew, 0, sizeof(crew));
	return r;
}

static void close_both_ways(struct rig *r)
{
	for (uint32_t i = 0; i < WORKERS; i++)
		r->worker[i / QUEUES][i % QUEUES] = workers[i];
	for (uint32_t port = 0; port < 2; port++) {
		struct worker_counters c = rig_count(r, port);

		assert_int_equal(c.completed, c.submitted);
		rig_check_truth(r, port);
	}
	fake_clock_use_real(false);
	rig_close(r);
}

static void start(void)
{
	assert_int_equal(crew_start(&crew), 0);
	for (uint32_t i = 0; i < WORKERS; i++)
		worker_start(&workers[i], clock_now(), UINT64_MAX);
	crew_set(&crew, CREW_RUN);
}

static void wait_until(bool (*done)(struct rig *r), struct rig *r)
{
	uint32_t looks = 0;

	while (!done(r)) {
		clock_sleep(LOOK_NS);
		assert_true(++looks < LOOKS_MAX);
	}
}

static bool all_sent(struct rig *r)
{
	bool sending = false;

	for (uint32_t i = 0; i < WORKERS; i++)
		sending |= __atomic_load_n(&workers[i].sending, __ATOMIC_ACQUIRE);
	return !sending;
}

static bool ring_empty(const struct fake_ring *ring)
{
	return ring->producer == ring->consumer;
}

static bool rings_empty(struct rig *r)
{
	bool empty = true;

	fake_lock();
	for (uint32_t i = 0; i < WORKERS; i++) {
		const struct queue_io *io = r->queue[i / QUEUES][i % QUEUES].io;

		empty &= ring_empty(&io->rx) && ring_empty(&io->tx) && ring_empty(&io->sent) &&
			 ring_empty(&io->completion);
	}
	fake_unlock();
	return empty;
}

static void run_and_drain(struct rig *r)
{
	struct pump pump;

	pump_start(&pump, r);
	start();
	wait_until(all_sent, r);
	crew_set(&crew, CREW_DRAIN);
	wait_until(rings_empty, r);
	crew_join(&crew);
	pump_stop(&pump);
}

static void run_threads(uint32_t nthreads, bool driver_polls)
{
	struct rig *r = open_both_ways(10000, 0, driver_polls);
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (uint32_t i = 0; i < nthreads; i++)
		CPU_SET(i, &cpus);
	crew_assign(&crew, workers, WORKERS, 2, false, &cpus);
	assert_int_equal(crew.nthreads, nthreads);
	for (uint32_t i = 0; i < nthreads; i++)
		crew.thread[i].pin = -1; /* there may be fewer CPUs than threads here */
	run_and_drain(r);
	for (uint32_t port = 0; port < 2; port++)
		assert_int_equal(rig_count(r, port).submitted, QUEUES * 10000);
	close_both_ways(r);
}

static void all_frames_are_accounted_for_with_any_number_of_threads(void **state)
{
	run_threads(2, false);
	run_threads(4, false);
	run_threads(2, true);
	run_threads(4, true);
}

/* Slow enough for the threads to sleep between frames, and to be woken by what arrives. */
static void sleeping_threads_wake_for_their_frames(void **state)
{
	struct rig *r = open_both_ways(100, 5000, false);

	crew_assign(&crew, workers, WORKERS, 2, false, NULL);
	run_and_drain(r);
	for (uint32_t port = 0; port < 2; port++) {
		assert_int_equal(rig_count(r, port).submitted, QUEUES * 100);
		assert_int_equal(rig_count(r, port).wanted,
				 QUEUES * 100 + rig_count(r, port).given_up_late);
	}
	close_both_ways(r);
}

static void stopped_while_sending_everything_comes_home(void **state)
{
	struct rig *r = open_both_ways(UINT64_MAX, 0, true);
	struct pump pump;

	crew_assign(&crew, workers, WORKERS, 2, false, NULL);
	pump_start(&pump, r);
	start();
	clock_sleep(5000000);
	crew_set(&crew, CREW_DRAIN);
	wait_until(rings_empty, r);
	crew_join(&crew);
	crew_join(&crew); /* again: nothing happens */
	pump_stop(&pump);
	for (uint32_t port = 0; port < 2; port++)
		for (uint32_t q = 0; q < QUEUES; q++)
			assert_int_equal(r->queue[port][q].nfree, r->spec.tx_frames);
	close_both_ways(r);
}

static void a_worker_that_can_not_send_leaves_the_others_alone(void **state)
{
	struct rig *r = open_both_ways(2000, 0, false);
	struct pump pump;
	uint32_t looks = 0;

	r->queue[0][1].io->kick_error = -ENXIO;
	r->queue[0][1].io->kick_errors = UINT32_MAX;
	crew_assign(&crew, workers, WORKERS, 2, false, NULL);
	pump_start(&pump, r);
	start();
	while (__atomic_load_n(&workers[0].sending, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&workers[2].sending, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&workers[3].sending, __ATOMIC_ACQUIRE)) {
		clock_sleep(LOOK_NS);
		assert_true(++looks < LOOKS_MAX);
	}
	crew_join(&crew);
	pump_stop(&pump);
	assert_int_equal(workers[1].error, -ENXIO);
	assert_int_equal(workers[0].error | workers[2].error | workers[3].error, 0);
	assert_int_equal(r->slot[0][0].worker.submitted, 2000);
	assert_int_equal(r->slot[0][1].worker.submitted, 64);
	for (uint32_t i = 0; i < WORKERS; i++)
		r->worker[i / QUEUES][i % QUEUES] = workers[i];
	fake_clock_use_real(false);
	rig_drain(r);
	rig_close(r);
}

/* --- who serves whom --- */

static void assign(uint32_t n, uint32_t nports, bool pairs, uint32_t ncpus)
{
	static struct worker many[16];
	cpu_set_t cpus;

	memset(&crew, 0, sizeof(crew));
	CPU_ZERO(&cpus);
	for (uint32_t i = 0; i < ncpus; i++)
		CPU_SET(2 * i, &cpus);
	crew_assign(&crew, many, n, nports, pairs, &cpus);
	for (uint32_t i = 0; i < n; i++)
		assert_true(many[i].thread < crew.nthreads);
	for (uint32_t i = 0; pairs && i < n / 2; i++)
		assert_int_equal(many[i].thread, many[i + n / 2].thread);
	for (uint32_t i = 0; !pairs && i < n / nports; i++)
		for (uint32_t j = n / nports; j < n; j++)
			assert_int_not_equal(many[i].thread, many[j].thread);
}

static void queues_of_two_ports_never_share_a_thread(void **state)
{
	for (uint32_t ncpus = 1; ncpus < 12; ncpus++)
		for (uint32_t n = 2; n <= 16; n += 2)
			assign(n, 2, false, ncpus);
}

static void both_ends_of_a_bridged_queue_share_one(void **state)
{
	for (uint32_t ncpus = 1; ncpus < 12; ncpus++)
		for (uint32_t n = 2; n <= 16; n += 2)
			assign(n, 2, true, ncpus);
}

static void named_cpus_are_used_in_their_order(void **state)
{
	assign(4, 1, false, 3);
	assert_int_equal(crew.nthreads, 3);
	assert_int_equal(crew.thread[0].pin, 0);
	assert_int_equal(crew.thread[1].pin, 2);
	assert_int_equal(crew.thread[2].pin, 4);
	assign(2, 2, false, 1); /* a thread per port, though there is but one CPU */
	assert_int_equal(crew.nthreads, 2);
	assert_int_equal(crew.thread[1].pin, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_frames_are_accounted_for_with_any_number_of_threads),
		cmocka_unit_test(sleeping_threads_wake_for_their_frames),
		cmocka_unit_test(stopped_while_sending_everything_comes_home),
		cmocka_unit_test(a_worker_that_can_not_send_leaves_the_others_alone),
		cmocka_unit_test(queues_of_two_ports_never_share_a_thread),
		cmocka_unit_test(both_ends_of_a_bridged_queue_share_one),
		cmocka_unit_test(named_cpus_are_used_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
