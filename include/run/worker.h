/* SPDX-License-Identifier: MIT */
/*
 * A worker serves one (port, queue): it alone touches the queue's four rings, its counters, its
 * windows and its histograms, so there are no locks. A crew thread serves one or more workers.
 *
 * Per burst: one clock read, one submit, one kick if the kernel asks. Nothing per frame but
 * arithmetic and stores.
 */
#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#include "abi/counters.h"
#include "abi/flow.h"
#include "abi/hist.h"
#include "abi/swap.h"
#include "abi/window.h"
#include "core/frame.h"
#include "core/rate.h"
#include "io/inside.h"
#include "io/queue.h"
#include "run/config.h"

/* What a worker shall do in a trial; constant while it runs. */
struct plan {
	enum tx_role tx;
	enum rx_role rx;
	uint16_t run;
	bool any_run; /* take whatever run comes first (count alone), or all (reflect alone) */
	uint8_t send_flags;   /* STAMP_* that we set */
	uint8_t expect_flags; /* STAMP_* of the frames we count */
	uint8_t ignore_flags; /* STAMP_* that may be as they like (count alone) */
	uint32_t burst;
	uint32_t rx_flows; /* flows that may arrive: windows are kept for as many; 0: none expected
			    */
	uint32_t window_bits;
	bool verify_full;
	bool no_time;	     /* latency is not measured */
	const uint8_t *macs; /* for verify_full: first 12 bytes of every frame; NULL: not known */
	enum swap swap;
	bool set_reply; /* a reflector marks what it sends back, a bump in the wire does not */
	const struct match_config *match; /* for frames without metadata */
	/* generator */
	const struct frame *frame;
	uint32_t flows, tx_index, tx_queues; /* our place in the round robin */
	double pps;			     /* of this queue; 0: as fast as possible */
	uint32_t stamp_every;
	bool shares_cpu;    /* with another stream: waiting is sleeping */
	uint32_t in_flight; /* frames on their way out at most; 0: no limit */
	uint64_t limit;	    /* frames of this queue; UINT64_MAX: no limit */
};

#define THREAD_NONE UINT32_MAX

struct worker {
	/* set once */
	struct queue *queue;	       /* received from */
	struct queue *out;	       /* sends on: queue itself; port to port: the other port's */
	struct worker_counters *count; /* of queue */
	struct worker_counters *out_count; /* of out: submitted, completed, kicks */
	struct hist *latency, *lateness;
	uint32_t port, slot, thread; /* THREAD_NONE: nothing is left to do in user space */
	/* kernel engine: the program does the work; a thread stays in the call that sends */
	struct prog *inside;
	bool sends;
	uint32_t place;	       /* of its CPU among those allowed */
	struct stream *stream; /* of the thread's CPU; NULL: this queue does not send */
	uint32_t batch;

	/* per trial */
	struct plan plan;
	struct pacer pacer;
	struct flow_walk walk;
	uint64_t stamp_head;
	uint32_t burst_sum; /* of the stamps of this burst: what is the same for all */
	uint32_t window_mask, window_stride;
	char *windows; /* rx_flows x (struct window, bitmap) */
	size_t windows_bytes;
	uint32_t *
		run_seen; /* shared by the workers of a port when plan.any_run: 0, or 1<<16 | run */

	/* loop state */
	uint64_t now;	     /* of this round */
	uint64_t burst_at;   /* stamp of the last burst, 0: its span is known */
	uint64_t burst_span; /* longest so far */
	uint64_t kicked_at;
	uint64_t sent_at; /* last burst that was submitted */
	bool sending;	  /* a generator that has not reached its limit */
	int error;	  /* fatal: -errno of a kick */

	struct frame_example example; /* for verify_full */
};

/* Prepare for a trial. -ENOMEM, said. The queue must be quiet. */
int worker_prepare(struct worker *w, const struct plan *plan);

/* The schedule of a generator begins at start_ns and ends at stop_ns (UINT64_MAX: never). */
static inline void worker_start(struct worker *w, uint64_t start_ns, uint64_t stop_ns)
{
	w->pacer.start_ns = start_ns;
	w->pacer.stop_ns = stop_ns;
	if (w->stream) {
		w->stream->due_ns = start_ns;
		w->stream->stop_ns = stop_ns;
	}
}

/* One round, rx first. Returns frames handled. generate false: the generator rests. */
uint32_t worker_round(struct worker *w, uint64_t now, bool generate);

/* When it has to do something by itself: next frame due; UINT64_MAX: only when frames arrive. */
uint64_t worker_next_ns(const struct worker *w, bool generate);

/* Window of a flow; NULL when nothing was kept for it. */
const struct window *worker_window(const struct worker *w, uint32_t flow);
void worker_done(struct worker *w); /* frees the windows; NULL-safe */

/* The roles: one burst each, frames handled returned. */
uint32_t role_generate(struct worker *w);
uint32_t role_count(struct worker *w);
uint32_t role_reflect(struct worker *w);

/* Kernel engine: set the stream up for a trial; run it for a while (frames sent are returned). */
void stream_prepare(struct worker *w);
uint32_t role_stream(struct worker *w, uint64_t now);
uint64_t stream_next_ns(const struct worker *w); /* when it wants to run */

/* Kick what is on the TX ring of out, as often as the kernel says "again". */
void worker_kick(struct worker *w);

#endif
