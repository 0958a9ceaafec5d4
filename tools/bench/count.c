/* SPDX-License-Identifier: MIT */
/*
 * count: full verification of every frame against only giving it back, on one socket behind one
 * program. The feeder sends as much as the RX ring holds, then the receiver's thread takes it: so
 * neither waits for the other while it is measured, and no frame is lost. Both on one CPU, as with
 * a card whose interrupts come where the worker runs, and on two: there each frame that is looked
 * at costs two cache lines that the other CPU has written.
 */
#include "bench.h"
#include "feed.h"
#include "io/clock.h"
#include "io/log.h"
#include "stand.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>

#define AT_ONCE	   256
#define FRAMES	   (ROUND_FRAMES / AT_ONCE * AT_ONCE)
#define STALLED_NS 2000000000ull

struct receiver {
	struct stand *stand;
	pthread_t thread;
	sem_t go, done;
	bool verify, stop;
	int err;
	uint64_t cpu_ns; /* used to receive */
	uint64_t taken;	 /* without verification */
};

static int product_take(struct worker *w)
{
	uint64_t last = w->count->received + AT_ONCE, now = clock_now();
	uint64_t give_up = now + STALLED_NS;

	while (w->count->received < last) {
		worker_round(w, now, false);
		now = clock_now();
		if (now > give_up)
			return -ETIMEDOUT;
	}
	return 0;
}

static int bare_take(struct queue *q)
{
	uint32_t index, n;

	for (uint32_t taken = 0; taken < AT_ONCE; taken += n) {
		n = queue_rx_peek(q, STAND_BURST, &index);
		if (!n)
			return -EIO; /* they were all there */
		queue_rx_recycle(q, index, n);
	}
	return 0;
}

static void *receive(void *arg)
{
	struct receiver *r = arg;

	for (sem_wait(&r->go); !r->stop; sem_wait(&r->go)) {
		uint64_t before = clock_thread_cpu(pthread_self());

		r->err = r->verify ? product_take(&r->stand->worker[FAR])
				   : bare_take(&r->stand->queue[FAR]);
		r->cpu_ns += clock_thread_cpu(pthread_self()) - before;
		sem_post(&r->done);
	}
	return NULL;
}

/* The calling thread to the first CPU it may use, the receiver to the same or the second. */
static void place(pthread_t receiver, bool apart)
{
	cpu_set_t allowed, one;
	int found = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!found)
			(void)pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
		if (found == apart)
			(void)pthread_setaffinity_np(receiver, sizeof(one), &one);
		found++;
	}
}

/* Wait until the kernel has delivered them all. */
static int delivered(struct stand *stand)
{
	uint64_t give_up = clock_now() + STALLED_NS;
	struct queue_gauges gauges;

	do {
		queue_gauges(&stand->queue[FAR], &gauges);
		if (gauges.rx_ring == AT_ONCE)
			return 0;
	} while (clock_now() < give_up);
	log_error("count: of %d frames %u came", AT_ONCE, gauges.rx_ring);
	return -EIO;
}

static int round_of(struct receiver *r, struct feed *feed, bool verify, double *receiving,
		    double *path)
{
	uint64_t fed = 0;

	r->verify = verify;
	r->cpu_ns = 0;
	for (uint32_t sent = 0; sent < FRAMES; sent += AT_ONCE) {
		uint64_t before = clock_thread_cpu(pthread_self());
		int err = feed_send(feed, AT_ONCE);

		fed += clock_thread_cpu(pthread_self()) - before;
		if (!err)
			err = delivered(r->stand);
		if (err)
			return err;
		sem_post(&r->go);
		sem_wait(&r->done);
		if (r->err)
			return r->err;
	}
	*receiving = (double)r->cpu_ns / FRAMES;
	*path = (double)(r->cpu_ns + fed) / FRAMES;
	return 0;
}

static int rounds(struct receiver *r, struct feed *feed, struct row *receive_row, struct row *path)
{
	double unused;
	int err = round_of(r, feed, true, &unused, &unused);

	if (!err)
		err = round_of(r, feed, false, &unused, &unused);
	for (int i = 0; i < ROUNDS && !err; i++) {
		err = round_of(r, feed, true, &receive_row->ours[i], &path->ours[i]);
		if (!err)
			err = round_of(r, feed, false, &receive_row->reference[i],
				       &path->reference[i]);
	}
	return err;
}

/* What was measured must have been the real thing: every frame a match. */
static int all_matched(const struct stand *stand, int times)
{
	const struct worker_counters *c = stand->worker[FAR].count;
	uint64_t frames = times * (ROUNDS + 1) * (uint64_t)FRAMES;

	if (c->matched == frames && c->received == frames && !c->user_stamped)
		return 0;
	log_error("count: of %llu frames %llu matched, %llu are corrupt",
		  (unsigned long long)frames, (unsigned long long)c->matched,
		  (unsigned long long)c->corrupt);
	return -EIO;
}

static int measure(struct stand *stand, struct feed *feed, bool apart, struct row *receive_row,
		   struct row *path)
{
	struct receiver r = {.stand = stand};
	cpu_set_t before;
	int err;

	(void)sched_getaffinity(0, sizeof(before), &before);
	sem_init(&r.go, 0, 0);
	sem_init(&r.done, 0, 0);
	err = -pthread_create(&r.thread, NULL, receive, &r);
	if (err)
		return err;
	place(r.thread, apart);
	err = rounds(&r, feed, receive_row, path);
	r.stop = true;
	sem_post(&r.go);
	pthread_join(r.thread, NULL);
	(void)sched_setaffinity(0, sizeof(before), &before);
	return err;
}

int bench_count(struct row *together, struct row *apart, struct row *path)
{
	struct stand stand;
	struct plan plan = {
		.rx = RX_COUNT,
		.run = STAND_RUN,
		.burst = STAND_BURST,
		.rx_flows = 1,
		.window_bits = WINDOW_BITS_MAX,
		.verify_full = true,
		.match = &stand.match[FAR],
	};
	const struct feed_spec spec = {FEED_STAMPED, &stand.frame, 0, STAND_RUN};
	struct feed feed = {};
	int err = stand_open(&stand, 1);

	if (err)
		return err;
	err = worker_prepare(&stand.worker[FAR], &plan);
	if (!err)
		err = prog_set_socket(&stand.prog[FAR], 0, queue_fd(&stand.queue[FAR]));
	if (!err)
		err = feed_open(&feed, &spec, &stand.nic[NEAR], &stand.spare);
	prog_set_phase(&stand.prog[FAR], STEER_COUNT);
	if (!err)
		err = measure(&stand, &feed, true, apart, path);
	if (!err)
		err = measure(&stand, &feed, false, together, path);
	if (!err)
		err = all_matched(&stand, 2);
	if (err)
		log_error("count: %s", strerror(-err));
	together->done = apart->done = path->done = !err;
	feed_close(&feed);
	stand_close(&stand);
	return err;
}
