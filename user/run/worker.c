/* SPDX-License-Identifier: MIT */
#include "run/worker.h"
#include "io/log.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define RX_BURSTS_MAX 32
#define KICKS_MAX     16     /* per burst: 32 descriptors each on kernels without a budget */
#define TAIL_KICK_NS  20000u /* a wake-up flag can be missed: kick what waits longer */

static const struct {
	uint32_t (*burst)(struct worker *w);
} rx_roles[] = {
	[RX_COUNT] = {role_count},
	[RX_REFLECT] = {role_reflect},
};

/* Windows are reserved for every flow that may come, but pages come only with flows that do. */
static int worker_map_windows(struct worker *w)
{
	const struct plan *plan = &w->plan;
	void *mem;

	if (plan->rx != RX_COUNT || !plan->rx_flows || w->inside)
		return 0;
	w->window_mask = plan->window_bits - 1;
	w->window_stride = sizeof(struct window) + plan->window_bits / 8;
	w->windows_bytes = (size_t)w->window_stride * plan->rx_flows;
	mem = mmap(NULL, w->windows_bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem == MAP_FAILED) {
		log_error("no memory for the windows of %u flows (%zu MiB): use fewer --flows",
			  plan->rx_flows, w->windows_bytes >> 20);
		w->windows_bytes = 0;
		return -ENOMEM;
	}
	w->windows = mem;
	return 0;
}

/* One template, copied once into every frame of ours: a frame is then made by patching. */
static void worker_fill_frames(struct worker *w)
{
	const struct frame *frame = w->plan.frame;
	const struct queue *q = w->queue;

	for (uint32_t i = 0; i < q->nfree; i++) {
		uint8_t *data = q->area + q->free[i];

		memcpy(data, frame->data, frame->len);
		frame_set_flow(data, frame->udp_sum, frame->udp_rest, w->plan.tx_index);
	}
}

int worker_prepare(struct worker *w, const struct plan *plan)
{
	worker_done(w);
	w->plan = *plan;
	w->burst_at = w->burst_span = w->kicked_at = w->sent_at = 0;
	w->error = 0;
	w->example.len = 0;
	memset(w->latency, 0, sizeof(*w->latency));
	memset(w->lateness, 0, sizeof(*w->lateness));
	w->stamp_head = stamp_head(plan->run, STAMP_VERSION << 2 | plan->send_flags);
	w->sending = plan->tx == TX_GENERATE && plan->tx_index < plan->flows && plan->limit;
	if (plan->tx == TX_GENERATE) {
		pacer_init(&w->pacer, plan->pps, plan->burst, plan->limit, 0);
		flow_walk_init(&w->walk, plan->flows, plan->tx_index, plan->tx_queues);
		if (!w->inside)
			worker_fill_frames(w);
	}
	if (w->stream)
		stream_prepare(w);
	return worker_map_windows(w);
}

void worker_done(struct worker *w)
{
	if (w && w->windows)
		munmap(w->windows, w->windows_bytes);
	if (w) {
		w->windows = NULL;
		w->windows_bytes = 0;
	}
}

const struct window *worker_window(const struct worker *w, uint32_t flow)
{
	if (!w->windows || flow >= w->plan.rx_flows)
		return NULL;
	return (const struct window *)(w->windows + (size_t)flow * w->window_stride);
}

void worker_kick(struct worker *w)
{
	int err, tries = 0;

	do {
		w->out_count->kicks++;
		err = queue_kick(w->out);
		if (!err)
			break;
		w->out_count->kicks_again++;
	} while (err == -EAGAIN && ++tries < KICKS_MAX);
	w->kicked_at = w->now;
	switch (err) {
	case 0:
	case -EAGAIN:
	case -EBUSY:
	case -ENOBUFS:
	case -ENETDOWN:
		return;
	default:
		w->error = err;
	}
}

/* What is left on a TX ring must go out, and come back, though nothing new is sent. */
static uint32_t worker_look_after(struct worker *w)
{
	struct queue *q = w->out;
	uint32_t n;

	if (!q->outstanding)
		return 0;
	n = queue_reap(q);
	w->out_count->completed += n;
	if (n) /* it moves by itself */
		w->kicked_at = w->now;
	if (q->outstanding && w->now - w->kicked_at > TAIL_KICK_NS)
		worker_kick(w);
	return n;
}

/*
 * Receive until nothing is left, within bounds: a frame costs a hundredth of what sending one does
 * in copy mode, and what is not taken in time is lost.
 */
static uint32_t worker_receive(struct worker *w)
{
	uint32_t n, all = 0;

	for (int i = 0; i < RX_BURSTS_MAX; i++) {
		n = rx_roles[w->plan.rx].burst(w);
		all += n;
		if (n < w->plan.burst)
			break;
	}
	return all;
}

uint32_t worker_round(struct worker *w, uint64_t now, bool generate)
{
	uint32_t n;

	w->now = now;
	if (w->burst_at) {
		if (now - w->burst_at > w->burst_span)
			w->burst_span = now - w->burst_at;
		w->burst_at = 0;
	}
	n = worker_receive(w);
	if (w->sending && generate)
		n += role_generate(w);
	return n + worker_look_after(w);
}

uint64_t worker_next_ns(const struct worker *w, bool generate)
{
	return w->sending && generate ? pacer_next_ns(&w->pacer) : UINT64_MAX;
}
