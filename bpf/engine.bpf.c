// SPDX-License-Identifier: MIT
/*
 * engine: the kernel engine, all of a port's work inside the kernel. Attached to the port it counts
 * our frames or sends them back; run on live frames (BPF_F_TEST_XDP_LIVE_FRAMES), which come from
 * the loopback device, it makes each of them the next frame of a stream. It is one program because
 * the kernel takes a program that is not attached anywhere into its dispatcher and out again for
 * each such run, 25 ms each time.
 */
#include "program.h"

#include "abi/hist.h"
#include "abi/receive.h"
#include "abi/stream.h"
#include "abi/swap.h"

#define LOOPBACK_IFINDEX 1
#define PUBLISH_EVERY	 64
#define SPINS		 4096 /* clock readings while waiting for a frame to be due: 0.1 ms */

/* Set between open and load. */
const volatile __u8 swap = SWAP_NONE;
const volatile __u8 bridge = 0;	   /* what is reflected goes out of the other port */
const volatile __u8 then_pass = 0; /* what was counted goes on to the kernel */
const volatile __u8 timed = 1;	   /* latency is taken */
const volatile __u32 other_first_slot = 0;
const volatile __u32 window_flows = 1;
const volatile __u32 window_mask = 63; /* 0: only counts, no windows */
const volatile __u8 sets_by_cpu = 0;   /* CPUs may meet on a queue: each has windows of its own */
const volatile __u32 udp_sum = 0;
const volatile __u64 udp_rest = 0;
const volatile __u64 template[8] = {}; /* the first STREAM_BYTES of a frame */

struct receive_plan plan;

/* By CPU: a run's thread stays where it is, and of a run's frames only the CPU is known. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stream);
} streams SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct window_cell);
} windows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hist);
} hist SEC(".maps"); /* two for each slot: latency, lateness */

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, OUT_PORTS);
	__type(key, __u32);
	__type(value, __u32);
} out SEC(".maps");

#define TALLY(c, name, n) add(c, &(c)->slot->worker.name, n)

/* --- histograms --- */

/* Hidden from clang, which knows that it is in range and would spare the verifier the proof. */
static __always_inline __u64 bucket_of(__u64 ns)
{
	__u64 index = hist_index(ns);

	asm volatile("" : "+r"(index));
	return index;
}

static __always_inline void note(struct hist *h, __s64 ns)
{
	__u64 index;

	if ((__u64)ns > HIST_MAX_NS) {
		hist_note_outside(h, ns);
		return;
	}
	index = bucket_of((__u64)ns);
	if (index >= HIST_BUCKETS)
		return;
	if ((__u64)ns > h->max) {
		h->max = (__u64)ns;
		if (!h->count)
			h->min = (__u64)ns;
	} else if ((__u64)ns < h->min) {
		h->min = (__u64)ns;
	}
	h->count++;
	h->sum += (__u64)ns;
	h->bucket[index]++;
}

/* CPUs may meet here; only min and max can then miss one that came at the same instant. */
static __always_inline void note_shared(struct hist *h, __s64 ns)
{
	__u64 index;

	if (ns < 0) {
		__sync_fetch_and_add(&h->negative, 1);
		return;
	}
	if (!h->count || (__u64)ns < h->min)
		h->min = (__u64)ns;
	if ((__u64)ns > h->max)
		h->max = (__u64)ns;
	__sync_fetch_and_add(&h->count, 1);
	__sync_fetch_and_add(&h->sum, ns);
	index = bucket_of((__u64)ns);
	if ((__u64)ns > HIST_MAX_NS || index >= HIST_BUCKETS)
		__sync_fetch_and_add(&h->over, 1);
	else
		__sync_fetch_and_add(&h->bucket[index], 1);
}

static __always_inline struct hist *hist_at(__u32 slot, __u32 kind)
{
	__u32 key = slot * 2 + kind;

	return bpf_map_lookup_elem(&hist, &key);
}

/* --- send --- */

/* The whole header anew: a reflector that worked in the same memory has left it turned round. */
static __always_inline void write_frame(const struct stream *s, __u8 *data)
{
	__u64 flow = s->walk.flow, seq = s->walk.seq, time = s->now & STAMP_TIME_MASK;
	__u64 check = stamp_check_of(s->head_sum, flow, seq, time);

	ABI_STORE(__u64, data, template[0]);
	ABI_STORE(__u64, data + 8, template[1]);
	ABI_STORE(__u64, data + 16, template[2]);
	ABI_STORE(__u64, data + 24, template[3]);
	ABI_STORE(__u16, data + 32, template[4]);
	store_be64(data + FRAME_UDP_AT, frame_udp(udp_sum, udp_rest, flow));
	store_be64(data + STAMP_OFFSET, s->head | check << 32 | flow >> 8);
	store_be64(data + STAMP_OFFSET + 8, flow << 56 | seq << 24 | time >> 16);
	store_be16(data + STAMP_OFFSET + 16, time);
}

/* What was sent goes to the counters now and then; who runs the stream brings the rest. */
static __always_inline void publish(struct stream *s)
{
	struct counter_slot *slot = slot_at(s->slot);
	__u64 n = s->sent - s->published;

	if (!slot)
		return;
	slot->worker.wanted += n;
	slot->worker.submitted += n;
	slot->worker.submitted_bytes += n * s->len;
	slot->worker.completed += n;
	s->published = s->sent;
}

struct spin {
	__u64 until, now;
};

static long spin_once(__u32 i, void *ctx)
{
	struct spin *spin = ctx;

	spin->now = bpf_ktime_get_ns();
	return spin->now >= spin->until;
}

/* On a schedule: is a frame due? Waits a little for it. */
static __always_inline int due_by_schedule(struct stream *s)
{
	struct spin spin = {.until = s->due_ns, .now = bpf_ktime_get_ns()};
	enum stream_answer answer = stream_ask(s, spin.now);
	struct counter_slot *slot;
	struct hist *lateness;
	__u64 n;

	if (answer == STREAM_WAIT && s->bulk == 1) {
		bpf_loop(SPINS, spin_once, &spin, 0);
		answer = stream_ask(s, spin.now);
	}
	s->done = answer == STREAM_DONE;
	if (answer != STREAM_SEND)
		return 0;
	n = stream_give_up(s, spin.now);
	slot = slot_at(s->slot);
	if (n && slot) {
		slot->worker.given_up_late += n;
		slot->worker.wanted += n;
	}
	lateness = hist_at(s->slot, 1);
	if (lateness)
		note(lateness, (__s64)(spin.now - s->due_ns));
	stream_tick(s, spin.now);
	return 1;
}

/* As fast as possible: one clock reading for stamp_every frames. */
static __always_inline int due_at_once(struct stream *s)
{
	enum stream_answer answer;
	__u64 now;

	if (s->stamp_left) {
		s->done = s->sent >= s->limit;
		return !s->done;
	}
	now = bpf_ktime_get_ns();
	answer = stream_ask(s, now);
	s->done = answer == STREAM_DONE;
	if (answer != STREAM_SEND)
		return 0;
	stream_tick(s, now);
	return 1;
}

static __always_inline int generate(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 cpu = bpf_get_smp_processor_id();
	struct stream *s = bpf_map_lookup_elem(&streams, &cpu);

	if (!s || s->done || data + STREAM_BYTES > end)
		return XDP_DROP;
	if (s->raw)
		return (int)bpf_redirect_map(&out, OUT_HERE, XDP_DROP);
	if (!(stream_paced(s) ? due_by_schedule(s) : due_at_once(s)))
		return XDP_DROP;
	if (bpf_redirect_map(&out, OUT_HERE, XDP_DROP) != XDP_REDIRECT)
		return XDP_DROP;
	write_frame(s, data);
	stream_sent(s);
	if (!(s->sent & (PUBLISH_EVERY - 1)))
		publish(s);
	return XDP_REDIRECT;
}

/* --- count --- */

static __always_inline __u32 cell_key(__u32 set, __u32 flow)
{
	return window_mask ? set * window_flows + flow : flow;
}

static __always_inline struct window_cell *cell_of(__u32 set, __u32 flow)
{
	__u32 key = cell_key(set, flow);

	if (flow >= window_flows)
		return 0;
	return bpf_map_lookup_elem(&windows, &key);
}

/* Not the next number. A function of its own, not static: the verifier looks at it only once. */
__attribute__((noinline)) int count_out_of_order(__u32 key, __u32 seq)
{
	struct window_cell *cell = bpf_map_lookup_elem(&windows, &key);

	if (!cell || !window_mask)
		return WINDOW_TOO_LATE;
	return (int)window_note(&cell->window, cell->bits, window_mask, seq);
}

/* Is it a frame of the run that we count? The first run that comes is ours when any may come. */
static __always_inline int run_is_ours(__u16 run)
{
	if (!plan.any_run)
		return run == plan.run;
	if (!plan.run_seen)
		plan.run_seen = 1u << 16 | run;
	return (__u16)plan.run_seen == run;
}

/* Queues share the flow's cell: its frames are counted, and how far their numbers go. */
static __always_inline void count_only(const struct counts *c, struct window *w, __u32 seq)
{
	if ((__s32)(seq + 1 - w->next) > 0)
		w->next = seq + 1;
	__sync_fetch_and_add(&w->unique, 1);
	TALLY(c, matched, 1);
}

static __always_inline int count_number(const struct counts *c, struct window_cell *cell, __u32 key,
					__u32 seq)
{
	if (!window_mask) {
		count_only(c, &cell->window, seq);
		return 1;
	}
	if (seq == cell->window.next) {
		window_next(&cell->window, cell->bits, window_mask, seq);
		TALLY(c, matched, 1);
		return 1;
	}
	switch (count_out_of_order(key, seq)) {
	case WINDOW_DUPLICATE:
		TALLY(c, duplicate, 1);
		return 0;
	case WINDOW_TOO_LATE:
		TALLY(c, too_late, 1);
		return 0;
	case WINDOW_REORDERED:
		TALLY(c, reordered, 1);
		break;
	case WINDOW_JOINED:
		TALLY(c, joined_late, 1);
		break;
	default:
		break;
	}
	TALLY(c, matched, 1);
	return 1;
}

static __always_inline void count_stamped(const struct counts *c, const __u8 *at, __u32 offset,
					  __u32 slot, __u32 set)
{
	struct window_cell *cell;
	struct hist *latency;
	struct stamp stamp;
	__s64 age;

	stamp_get(at, &stamp);
	if (!run_is_ours(stamp.run)) {
		TALLY(c, stale, 1);
		return;
	}
	cell = cell_of(set, stamp.flow);
	if (!cell || stamp.flow >= plan.flows || (stamp.flags & ~plan.ignore) != plan.expect) {
		TALLY(c, foreign, 1);
		return;
	}
	if (offset != STAMP_OFFSET)
		TALLY(c, retagged, 1);
	if (!count_number(c, cell, cell_key(set, stamp.flow), stamp.seq) || !timed)
		return;
	latency = hist_at(slot, 0);
	if (!latency)
		return;
	age = stamp_age(bpf_ktime_get_ns(), stamp.time);
	if (c->shared)
		note_shared(latency, age);
	else
		note(latency, age);
}

/* Our addresses and ports, but the stamp is damaged. */
static __always_inline void count_damaged(const struct counts *c, const __u8 *data, const __u8 *end,
					  __u32 set)
{
	struct window_cell *cell;
	__u32 ethertype = 0;
	const __u8 *ip;

	TALLY(c, corrupt, 1);
	if (!match_header(data, end, &ethertype, &ip) || ip + 28 > end)
		return;
	cell = cell_of(set, frame_port_flow(ip + 20));
	if (cell)
		__sync_fetch_and_add(&cell->window.corrupt, 1);
}

/* --- reflect --- */

/* What left goes to the account of the port it left by. */
static __always_inline void count_sent(const struct counts *c, __u64 len)
{
	TALLY(c, submitted, 1);
	TALLY(c, submitted_bytes, len);
	TALLY(c, completed, 1);
}

static __always_inline int reflect(const struct counts *c, __u8 *data, const __u8 *end, __u8 *at,
				   __u64 len, __u32 place)
{
	struct counts other = {.slot = 0, .shared = c->shared};

	if (at) {
		if (!plan.any_run && load_be16(at + 4) != plan.run) {
			TALLY(c, stale, 1);
			return XDP_DROP;
		}
		if (plan.set_reply)
			stamp_set_reply(at);
	}
	swap_frame(data, end, swap);
	TALLY(c, matched, 1);
	if (!bridge) {
		count_sent(c, len);
		return XDP_TX;
	}
	other.slot = slot_at(other_first_slot + place);
	if (!other.slot || bpf_redirect_map(&out, OUT_OTHER, XDP_DROP) != XDP_REDIRECT) {
		TALLY(c, dropped_by_us, 1);
		return XDP_DROP;
	}
	count_sent(&other, len);
	return XDP_REDIRECT;
}

/* --- a frame that came in --- */

/* To be sent back, or left to the kernel. */
static __always_inline int receive_to_reflect(const struct counts *c, __u8 *data, const __u8 *end,
					      __u8 *at, __u32 offset, __u64 len, __u32 place)
{
	const struct match_config *cfg = (const struct match_config *)&match;

	asm volatile("" : "+r"(cfg));
	if (refuse(c, match_refusal(cfg, data, end, offset)))
		return XDP_PASS;
	if (!c->driven) {
		COUNT(c, no_socket, 1);
		return at ? XDP_DROP : XDP_PASS;
	}
	TALLY(c, received, 1);
	TALLY(c, received_bytes, len);
	return reflect(c, data, end, at, len, place);
}

/* Without a right stamp. */
static __always_inline int receive_unstamped(const struct counts *c, __u8 *data, const __u8 *end,
					     __u64 len, __u32 place, __u32 set)
{
	const struct match_config *cfg = (const struct match_config *)&match;
	enum match_kind kind;

	asm volatile("" : "+r"(cfg));
	kind = match_unstamped(cfg, data, end);
	if (kind == MATCH_NONE) {
		COUNT(c, passed, 1);
		return XDP_PASS;
	}
	if (phase == STEER_REFLECT && kind == MATCH_ASKED)
		return receive_to_reflect(c, data, end, 0, 0, len, place);
	if (!c->driven) {
		COUNT(c, no_socket, 1);
		return kind == MATCH_ASKED ? XDP_PASS : XDP_DROP;
	}
	TALLY(c, received, 1);
	TALLY(c, received_bytes, len);
	if (kind == MATCH_LOOKALIKE)
		count_damaged(c, data, end, set);
	else
		TALLY(c, foreign, 1);
	return then_pass && phase == STEER_COUNT ? XDP_PASS : XDP_DROP;
}

static __always_inline int receive(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end, *at;
	const struct match_config *cfg = (const struct match_config *)&match;
	__u32 queue = ctx->rx_queue_index, offset = 0, place, set;
	struct counts c;
	__u64 len;

	/* match is constant for clang, but not yet what it will be: hide where cfg points. */
	asm volatile("" : "+r"(cfg));
	if (phase == STEER_CLOSED || counts_of(&c, queue))
		return XDP_PASS;
	len = frame_len(ctx);
	COUNT(&c, seen, 1);
	COUNT(&c, seen_bytes, len);
	place = slot_of[queue & (PROGRAM_QUEUES - 1)]; /* of a driven queue; for others not used */
	set = sets_by_cpu ? bpf_get_smp_processor_id() : place;
	at = (__u8 *)match_stamp_find(cfg, data, end, &offset);
	if (!at)
		return receive_unstamped(&c, data, end, len, place, set);
	if (phase == STEER_REFLECT)
		return receive_to_reflect(&c, data, end, at, offset, len, place);
	if (!c.driven) {
		COUNT(&c, no_socket, 1);
		return XDP_DROP;
	}
	TALLY(&c, received, 1);
	TALLY(&c, received_bytes, len);
	count_stamped(&c, at, offset, first_slot + place, set);
	return then_pass ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int engine(struct xdp_md *ctx)
{
	if (ctx->ingress_ifindex == LOOPBACK_IFINDEX)
		return generate(ctx);
	return receive(ctx);
}
