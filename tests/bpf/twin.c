/* SPDX-License-Identifier: MIT */
#include "twin.h"
#include "io/clock.h"
#include "io/queue_io.h"
#include "vectors.h"
#include <errno.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdlib.h>

#define RUN	 0x1234 /* of the vectors' stamps */
#define FRAME_AT 256	/* in the area */

/* --- the program -------------------------------------------------------------------------------
 */

static int load(struct twin_pair *t, const struct twin_spec *spec)
{
	struct rig *rig = &t->rig;
	uint8_t slot_of[QUEUES_MAX];
	struct inside_spec inside = {
		.prog = {.maps = &rig->maps,
			 .first_slot = 1,
			 .queues = spec->queues ? spec->queues : RIG_QUEUES,
			 .slot_of = slot_of,
			 .match = vector_match,
			 .atomic = spec->atomic,
			 .untimed = spec->untimed},
		.swap = spec->swap,
		.bridge = spec->bridge,
		.other_first_slot = TWIN_OTHER,
		.then_pass = spec->then_pass,
		.flows = t->plan.rx_flows,
		.window_bits = t->plan.window_bits,
	};

	memset(slot_of, 0xff, sizeof(slot_of));
	slot_of[0] = 0;
	slot_of[1] = 1;
	inside.prog.match.mode = spec->mode;
	rig->match = inside.prog.match;
	assert_int_equal(prog_maps_open(&rig->maps, TWIN_SLOTS), 0);
	return inside_open(&rig->prog, &inside);
}

static void plan_program(struct twin_pair *t)
{
	const struct plan *plan = &t->plan;

	*t->rig.prog.inside->plan = (struct receive_plan){
		.flows = plan->rx_flows,
		.run = plan->run,
		.any_run = plan->any_run,
		.set_reply = plan->set_reply,
		.expect = plan->expect_flags,
		.ignore = plan->ignore_flags,
	};
	prog_set_phase(&t->rig.prog, t->phase);
}

/* --- the worker --------------------------------------------------------------------------------
 */

static void plan_worker(struct twin_pair *t, const struct twin_spec *spec)
{
	t->phase = spec->phase;
	t->then_pass = spec->then_pass;
	t->bridge = spec->bridge;
	t->by_cpu = spec->atomic;
	t->plan = (struct plan){
		.rx = spec->phase == STEER_REFLECT ? RX_REFLECT : RX_COUNT,
		.run = RUN,
		.any_run = spec->any_run,
		.expect_flags = spec->expect,
		.ignore_flags = spec->ignore,
		.burst = 64,
		.rx_flows = spec->flows ? spec->flows : 8,
		.window_bits = spec->window_bits ? spec->window_bits : 64,
		.no_time = spec->untimed,
		.swap = spec->swap,
		.set_reply = spec->set_reply,
		.match = &t->rig.match,
	};
}

static void open_workers(struct twin_pair *t)
{
	t->in.io = calloc(1, sizeof(*t->in.io));
	t->out.io = calloc(1, sizeof(*t->out.io));
	for (uint32_t i = 0; i < TWIN_PLACES; i++) {
		struct worker *w = &t->worker[i];

		w->queue = &t->in.queue;
		w->out = t->bridge ? &t->out.queue : &t->in.queue;
		w->latency = &t->latency[i];
		w->lateness = &t->lateness;
		w->run_seen = &t->run_seen;
		assert_int_equal(worker_prepare(w, &t->plan), 0);
	}
}

/* Empty rings, but for one received frame. */
static void lay_rings(struct twin_pair *t, struct twin_rings *r)
{
	struct queue_io *io = r->io;

	memset(r->producer, 0, sizeof(r->producer));
	memset(r->consumer, 0, sizeof(r->consumer));
	io->rx = (struct xsk_ring_cons){
		0,     0,	    TWIN_RING - 1, TWIN_RING, &r->producer[0], &r->consumer[0],
		r->rx, &r->flags[0]};
	io->tx = (struct xsk_ring_prod){0,	   TWIN_RING,	    TWIN_RING - 1,
					TWIN_RING, &r->producer[1], &r->consumer[1],
					r->tx,	   &r->flags[1]};
	io->fill = (struct xsk_ring_prod){0,	     TWIN_RING,	      TWIN_RING - 1,
					  TWIN_RING, &r->producer[2], &r->consumer[2],
					  r->fill,   &r->flags[2]};
	io->completion = (struct xsk_ring_cons){0,
						0,
						TWIN_RING - 1,
						TWIN_RING,
						&r->producer[3],
						&r->consumer[3],
						r->completion,
						&r->flags[3]};
	r->queue = (struct queue){
		.area = t->area,
		.rx_desc = r->rx,
		.tx_desc = r->tx,
		.rx_mask = TWIN_RING - 1,
		.tx_mask = TWIN_RING - 1,
		.free = r->free,
		.part_size = sizeof(t->area),
		.owner = {&t->in.queue, &t->in.queue},
		.io = io,
	};
}

/* Through the worker, and whether it is sent on. What it looks like then is in the area. */
static bool pass_worker(struct twin_pair *t, const uint8_t *data, uint32_t len, uint32_t place,
			const struct frame_meta *meta)
{
	struct worker *w = &t->worker[t->by_cpu ? (uint32_t)sched_getcpu() : place];

	lay_rings(t, &t->in);
	lay_rings(t, &t->out);
	memcpy(t->area + FRAME_AT - sizeof(*meta), meta, sizeof(*meta));
	memcpy(t->area + FRAME_AT, data, len);
	t->in.rx[0] = (struct xdp_desc){.addr = FRAME_AT, .len = len};
	t->in.producer[0] = 1;
	w->count = &t->want[1 + place].worker;
	w->out_count = t->bridge ? &t->want[TWIN_OTHER + place].worker : w->count;
	w->latency = &t->latency[place];
	w->now = clock_now();
	assert_int_equal(t->phase == STEER_REFLECT ? role_reflect(w) : role_count(w), 1);
	w->out_count->completed = w->out_count->submitted;
	return t->in.producer[1] || t->out.producer[1];
}

/* --- both --------------------------------------------------------------------------------------
 */

static const size_t refused_at[REFUSALS] = {
	[REFUSE_SHORT] = offsetof(struct program_counters, refused_short),
	[REFUSE_MULTICAST] = offsetof(struct program_counters, refused_multicast),
	[REFUSE_LINK_LOCAL] = offsetof(struct program_counters, refused_link_local),
	[REFUSE_NEIGHBOUR] = offsetof(struct program_counters, refused_neighbour),
	[REFUSE_SOURCE] = offsetof(struct program_counters, refused_source),
	[REFUSE_REPLY] = offsetof(struct program_counters, refused_reply),
};

/* What becomes of it, foretold; the worker is asked about what a worker would get. */
static int foretell(struct twin_pair *t, const uint8_t *data, uint32_t len, uint32_t queue)
{
	struct program_counters *c = &t->want[queue < RIG_QUEUES ? 1 + queue : TWIN_REST].program;
	struct frame_meta meta = {.time_ns = clock_now(), .magic = FRAME_META_MAGIC};
	uint32_t offset;
	enum match_kind kind = match_frame(&t->rig.match, data, data + len, &offset);
	enum refusal refusal = match_refusal(&t->rig.match, data, data + len, offset);

	memcpy(t->area + FRAME_AT, data, len);
	if (t->phase == STEER_CLOSED)
		return XDP_PASS;
	c->seen++;
	c->seen_bytes += len;
	if (kind == MATCH_NONE ||
	    (t->phase == STEER_REFLECT && kind != MATCH_LOOKALIKE && refusal != REFUSE_NOT)) {
		c->passed++;
		if (kind != MATCH_NONE)
			*(uint64_t *)((char *)c + refused_at[refusal]) += 1;
		return XDP_PASS;
	}
	if (queue >= RIG_QUEUES) {
		c->no_socket++;
		return kind == MATCH_ASKED ? XDP_PASS : XDP_DROP;
	}
	meta.kind = (uint16_t)kind;
	meta.stamp_offset = (uint16_t)offset;
	if (t->phase == STEER_REFLECT)
		meta.kind = (uint16_t)match_reflect_kind(kind, data, data + len, offset);
	if (pass_worker(t, data, len, queue, &meta))
		return t->bridge ? XDP_REDIRECT : XDP_TX;
	return t->phase == STEER_COUNT && t->then_pass ? XDP_PASS : XDP_DROP;
}

/* For the message: the first counter that is another. */
static void fail_counters(const struct twin_pair *t, const char *name)
{
	for (uint32_t slot = 0; slot < TWIN_SLOTS; slot++) {
		const struct counter_slot *want = &t->want[slot], *is = &t->rig.maps.slot[slot];

#define COMPARE_WORKER(row, text)                                                        \
	if (want->worker.row != is->worker.row)                                          \
		fail_msg("%s, slot %u: worker's " #row " is %llu, not %llu", name, slot, \
			 is->worker.row, want->worker.row);
#define COMPARE_PROGRAM(row, text)                                                        \
	if (want->program.row != is->program.row)                                         \
		fail_msg("%s, slot %u: program's " #row " is %llu, not %llu", name, slot, \
			 is->program.row, want->program.row);
		WORKER_COUNTERS(COMPARE_WORKER)
		PROGRAM_COUNTERS(COMPARE_PROGRAM)
	}
	fail_msg("%s: other bytes of the counters", name);
}

void twin_pass(struct twin_pair *t, const uint8_t *data, uint32_t len, uint32_t queue,
	       const char *name)
{
	struct pass pass = {.data = data, .len = len, .queue = queue};
	int action = foretell(t, data, len, queue), err = rig_pass(&t->rig, &pass);
	bool sent = action == XDP_TX || action == XDP_REDIRECT;

	if (err)
		fail_msg("%s (%u bytes): %s", name, len, strerror(-err));
	if (pass.action != action)
		fail_msg("%s (%u bytes): action %d, not %d", name, len, pass.action, action);
	if (pass.out_len != len || ((sent || action == XDP_PASS) &&
				    memcmp(pass.out, sent ? t->area + FRAME_AT : data, len) != 0))
		fail_msg("%s (%u bytes): not the frame that it should be", name, len);
	if (memcmp(t->want, t->rig.maps.slot, sizeof(t->want)) != 0)
		fail_counters(t, name);
}

void twin_check_windows(const struct twin_pair *t)
{
	const struct inside *in = t->rig.prog.inside;

	/* A reflector has none that anybody reads. */
	for (uint32_t set = 0; set < in->window_sets && t->phase == STEER_COUNT; set++)
		for (uint32_t flow = 0; flow < in->window_flows; flow++) {
			static const uint8_t zero[1024];
			const void *want = zero;

			if (set < TWIN_PLACES)
				want = worker_window(&t->worker[set], flow);
			if (memcmp(inside_window(in, set, flow), want, in->window_stride) != 0)
				fail_msg("set %u, flow %u: another window", set, flow);
		}
	for (uint32_t i = 0; i < TWIN_PLACES; i++) {
		const struct hist *is = &t->rig.maps.hist[(1 + i) * HIST_KINDS + HIST_LATENCY];
		const struct hist *want = &t->latency[i];

		assert_int_equal(is->count + is->negative, want->count + want->negative);
	}
}

void twin_pin(uint32_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

int twin_open(struct twin_pair *t, const struct twin_spec *spec)
{
	int err;

	memset(t, 0, sizeof(*t));
	err = rig_open_lab(&t->rig, 66);
	if (err)
		return err;
	plan_worker(t, spec);
	assert_int_equal(load(t, spec), 0);
	if (t->bridge)
		assert_int_equal(inside_set_out(&t->rig.prog, OUT_OTHER, &t->rig.nic), 0);
	open_workers(t);
	plan_program(t);
	return 0;
}

void twin_close(struct twin_pair *t)
{
	for (uint32_t i = 0; i < TWIN_PLACES; i++)
		worker_done(&t->worker[i]);
	free(t->in.io);
	free(t->out.io);
	rig_close(&t->rig);
}
