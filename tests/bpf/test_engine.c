/* SPDX-License-Identifier: MIT */
/*
 * The XDP program engine, frames that come in: it does and counts what steer and the workers of the
 * xsk engine do together.
 */
#include "fate.h"
#include "io/clock.h"
#include "twin.h"
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <unistd.h>

#define RANDOM_FRAMES 6000
#define RUN	      0x1234

static void open_or_skip(struct twin_pair *t, const struct twin_spec *spec)
{
	if (twin_open(t, spec)) {
		print_message("no lab on this machine\n");
		skip();
	}
}

/* --- the table ---------------------------------------------------------------------------------
 */

static void pass_vectors(struct twin_pair *t, uint32_t queue)
{
	for (size_t i = 0; i < VECTORS; i++) {
		uint8_t data[VECTOR_MAX];
		uint32_t len = vector_bytes(&vectors[i], data);

		twin_pass(t, data, len, queue, vectors[i].name);
	}
}

/* The same spec in every match mode, every vector on a queue of each kind. */
static void try_vectors(const struct twin_spec *spec)
{
	static struct twin_pair t;

	for (enum match_mode mode = MATCH_STAMPED; mode <= MATCH_ALL; mode++) {
		struct twin_spec one = *spec;

		one.mode = mode;
		open_or_skip(&t, &one);
		pass_vectors(&t, 0);
		pass_vectors(&t, 1);
		pass_vectors(&t, 2);
		pass_vectors(&t, 65);
		twin_check_windows(&t);
		twin_close(&t);
	}
}

static void counting_does_what_a_worker_does(void **state)
{
	const struct twin_spec drop = {.phase = STEER_COUNT};
	const struct twin_spec pass = {.phase = STEER_COUNT,
				       .then_pass = true,
				       .ignore = STAMP_REPLY};

	try_vectors(&drop);
	try_vectors(&pass);
}

static void reflecting_does_what_a_worker_does(void **state)
{
	for (enum swap swap = SWAP_L2; swap <= SWAP_L4; swap++) {
		const struct twin_spec spec = {
			.phase = STEER_REFLECT, .swap = swap, .set_reply = true, .any_run = true};

		try_vectors(&spec);
	}
}

/* --then pass is of counters: what a reflector refuses to take in stays refused. */
static void port_to_port_does_what_a_worker_does(void **state)
{
	const struct twin_spec spec = {.phase = STEER_REFLECT,
				       .swap = SWAP_NONE,
				       .bridge = true,
				       .any_run = true,
				       .then_pass = true};

	try_vectors(&spec);
}

static void closed_program_touches_nothing(void **state)
{
	static const struct counter_slot zero[TWIN_SLOTS];
	const struct twin_spec spec = {.phase = STEER_CLOSED, .mode = MATCH_ALL};
	static struct twin_pair t;

	open_or_skip(&t, &spec);
	pass_vectors(&t, 0);
	assert_memory_equal(t.rig.maps.slot, zero, sizeof(zero));
	twin_check_windows(&t);
	twin_close(&t);
}

/* Without a place to send to nothing is counted as sent. */
static void a_bridge_without_its_other_port_drops(void **state)
{
	const struct twin_spec spec = {.phase = STEER_REFLECT, .any_run = true};
	struct inside_spec inside = {
		.bridge = true, .other_first_slot = TWIN_OTHER, .flows = 1, .window_bits = 64};
	static struct twin_pair t;
	uint8_t data[VECTOR_MAX], slot_of[QUEUES_MAX] = {0, 1};
	struct pass pass = {.data = data, .len = vector_bytes(&vectors[0], data)};

	open_or_skip(&t, &spec);
	prog_close(&t.rig.prog);
	inside.prog = (struct prog_spec){.maps = &t.rig.maps,
					 .first_slot = 1,
					 .queues = 2,
					 .slot_of = slot_of,
					 .match = vector_match};
	assert_int_equal(inside_open(&t.rig.prog, &inside), 0);
	t.rig.prog.inside->plan->any_run = 1;
	prog_set_phase(&t.rig.prog, STEER_REFLECT);
	assert_int_equal(rig_pass(&t.rig, &pass), 0);
	assert_int_equal(pass.action, XDP_DROP);
	assert_int_equal(t.rig.maps.slot[1].worker.dropped_by_us, 1);
	assert_int_equal(t.rig.maps.slot[TWIN_OTHER].worker.submitted, 0);
	twin_close(&t);
}

/* --- long sequences ----------------------------------------------------------------------------
 */

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static bool one_in(uint64_t *seed, uint32_t n)
{
	return next_random(seed) % n == 0;
}

/* Ours, with what happens to frames on a bad way. */
static uint32_t random_frame(uint64_t *seed, uint32_t flows, uint32_t next[], uint8_t *data)
{
	uint32_t len =
		vector_bytes(&vectors[one_in(seed, 10) ? 4 + next_random(seed) % 3 : 0], data);
	uint32_t at = len == 64 ? 46 : 42, flow = (uint32_t)(next_random(seed) % flows);
	uint32_t seq = next[flow]++;
	uint16_t run = one_in(seed, 20) ? RUN + 1 : RUN;
	uint8_t flags = one_in(seed, 5) ? (uint8_t)(next_random(seed) % 16) : 0;
	uint64_t now = clock_now(), head = stamp_head(run, flags);

	if (one_in(seed, 4)) /* again, or late, or too late */
		seq -= (uint32_t)(next_random(seed) % 100);
	if (one_in(seed, 30)) /* a gap, sometimes a wide one */
		seq = next[flow] += (uint32_t)(next_random(seed) % (one_in(seed, 3) ? 5000 : 40));
	if (one_in(seed, 30))
		flow = flows + (uint32_t)(next_random(seed) % 3);
	if (one_in(seed, 9))
		now += 1000000000; /* sent after it came */
	stamp_put(data + at, head, stamp_burst_sum(head, now & STAMP_TIME_MASK), flow, seq, now);
	if (one_in(seed, 12))
		data[next_random(seed) % len] ^= 1 << next_random(seed) % 8;
	return len;
}

static void try_sequence(const struct twin_spec *spec, uint64_t seed, uint32_t cpus)
{
	static struct twin_pair t;
	uint32_t next[1100] = {}, flows = spec->flows ? spec->flows : 8;

	open_or_skip(&t, spec);
	for (uint32_t i = 0; i < flows; i++) /* some are joined late, some numbers go round */
		next[i] = i % 3 == 1 ? 1000 : i % 3 == 2 ? 0xfffffff0u : 0;
	for (uint32_t i = 0; i < RANDOM_FRAMES; i++) {
		uint8_t data[VECTOR_MAX];
		uint32_t len = random_frame(&seed, flows, next, data);
		char name[32];

		if (cpus > 1 && i % 50 == 0)
			twin_pin((uint32_t)(next_random(&seed) % cpus));
		snprintf(name, sizeof(name), "frame %u", i);
		twin_pass(&t, data, len, one_in(&seed, 8), name);
	}
	twin_check_windows(&t);
	twin_close(&t);
}

static void random_frames_are_counted_as_by_a_worker(void **state)
{
	const struct twin_spec small = {.phase = STEER_COUNT};
	const struct twin_spec large = {
		.phase = STEER_COUNT, .flows = 1000, .window_bits = 256, .then_pass = true};
	const struct twin_spec any = {.phase = STEER_COUNT,
				      .any_run = true,
				      .ignore = STAMP_REPLY | STAMP_FROM_B,
				      .window_bits = 4096,
				      .flows = 1};
	const struct twin_spec untimed = {.phase = STEER_COUNT,
					  .untimed = true,
					  .expect = STAMP_REPLY,
					  .ignore = STAMP_FROM_B};

	try_sequence(&small, 1, 1);
	try_sequence(&large, 2, 1);
	try_sequence(&any, 3, 1);
	try_sequence(&untimed, 4, 1);
}

static void random_frames_are_sent_back_as_by_a_worker(void **state)
{
	const struct twin_spec ours = {
		.phase = STEER_REFLECT, .swap = SWAP_L4, .set_reply = true, .mode = MATCH_UDP};
	const struct twin_spec all = {
		.phase = STEER_REFLECT, .swap = SWAP_L3, .any_run = true, .mode = MATCH_ALL};
	const struct twin_spec bridge = {.phase = STEER_REFLECT, .bridge = true};

	try_sequence(&ours, 5, 1);
	try_sequence(&all, 6, 1);
	try_sequence(&bridge, 7, 1);
}

/* In generic mode CPUs meet on a queue: windows are the CPU's own, counters are the queue's. */
static void in_generic_mode_each_cpu_has_windows(void **state)
{
	const struct twin_spec count = {.phase = STEER_COUNT, .atomic = true};
	const struct twin_spec reflect = {
		.phase = STEER_REFLECT, .swap = SWAP_L4, .atomic = true, .any_run = true};
	cpu_set_t before;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		print_message("needs two CPUs\n");
		skip();
	}
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	twin_pin(0);
	try_sequence(&count, 8, TWIN_PLACES);
	try_sequence(&reflect, 9, TWIN_PLACES);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* --- frames of all heights ---------------------------------------------------------------------
 */

/* Swaps with IP options, IPv6, tags, later fragments, and cut anywhere. */
static void headers_of_all_kinds_are_turned_round(void **state)
{
	static const char *const frames[] = {
		A_TO_B "0800 47 00 0036 0000 4000 4011 0000 " OTHERS
		       "94040000 01010101 3039 1388 001a 0000 " ZERO18,
		A_TO_B "0800 4f 00 0056 0000 4000 4006 0000 " OTHERS ZERO18 ZERO18
		       "00000000 3039 1388 001a 0000 " ZERO18,
		A_TO_B "0800 44 00 0056 0000 4000 4011 0000 " OTHERS "3039 1388 001a 0000 " ZERO18,
		A_TO_B S_VLAN VLAN TO_PORT("1388"),
		A_TO_B IPV4_OF("45", "0010", "11", OTHERS) UDP("3039 1388") ZERO18,
		A_TO_B IPV4_OF("45", "2000", "11", OTHERS) UDP("3039 1388") ZERO18,
		A_TO_B IPV6("11", "13"),
		A_TO_B VLAN IPV6("06", "13"),
		A_TO_B IPV6("3a", "80"),
		A_TO_B "88b5 " ZERO18 ZERO18,
	};
	static struct twin_pair t;

	for (enum swap swap = SWAP_L2; swap <= SWAP_L4; swap++) {
		const struct twin_spec spec = {
			.phase = STEER_REFLECT, .swap = swap, .any_run = true, .mode = MATCH_ALL};

		open_or_skip(&t, &spec);
		for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
			const struct vector v = {"a header", frames[i], MATCH_NONE, 0, 0, 0};
			uint8_t data[VECTOR_MAX];
			uint32_t len = vector_bytes(&v, data);

			for (uint32_t cut = len; cut >= ETH_HDR_LEN; cut--)
				twin_pass(&t, data, cut, 0, frames[i]);
		}
		assert_true(t.want[1].worker.submitted > 300);
		twin_close(&t);
	}
}

/* --- any run, latency, no windows --------------------------------------------------------------
 */

static void stamp_vector(uint8_t *data, uint16_t run, uint32_t flow, uint32_t seq, uint64_t time)
{
	uint64_t head = stamp_head(run, 0);

	stamp_put(data + 42, head, stamp_burst_sum(head, time & STAMP_TIME_MASK), flow, seq, time);
}

static void the_first_run_that_comes_is_counted(void **state)
{
	const struct twin_spec spec = {.phase = STEER_COUNT, .any_run = true};
	static const uint16_t runs[] = {0, 7, 0, 0xffff, 0};
	static struct twin_pair t;
	uint8_t data[VECTOR_MAX];
	uint32_t len = vector_bytes(&vectors[0], data);

	open_or_skip(&t, &spec);
	assert_int_equal(t.rig.prog.inside->plan->run_seen, 0);
	for (uint32_t i = 0; i < 5; i++) {
		stamp_vector(data, runs[i], 0, i, clock_now());
		twin_pass(&t, data, len, i % 2, "of some run");
	}
	assert_int_equal(t.want[1].worker.matched + t.want[2].worker.matched, 3);
	assert_int_equal(t.want[1].worker.stale + t.want[2].worker.stale, 2);
	assert_int_equal(t.rig.prog.inside->plan->run_seen, 1 << 16);
	twin_close(&t);
}

/* Ages from 0 to beyond the range: each in its bucket, or in none. */
static void check_latency(bool atomic)
{
	static const int64_t ages[] = {0,	  300,	      5000,	   70000,	1000000,
				       123456789, 9900000000, 10100000000, 60000000000, -2000000};
	const struct twin_spec spec = {.phase = STEER_COUNT, .atomic = atomic, .flows = 1};
	static struct twin_pair t;
	uint8_t data[VECTOR_MAX];
	uint32_t len = vector_bytes(&vectors[0], data), in_buckets = 0;
	const struct hist *h;
	uint64_t least = 0;

	open_or_skip(&t, &spec);
	if (atomic)
		twin_pin(0);
	for (uint32_t i = 0; i < 10; i++) {
		stamp_vector(data, RUN, 0, i, clock_now() - (uint64_t)ages[i]);
		twin_pass(&t, data, len, 1, "of some age");
		least += ages[i] > 0 ? (uint64_t)ages[i] : 0;
	}
	h = &t.rig.maps.hist[2 * HIST_KINDS + HIST_LATENCY];
	assert_int_equal(h->count, 9);
	assert_int_equal(h->negative, 1);
	assert_int_equal(h->over, 2);
	assert_in_range(h->sum, least, least + 9 * 10000000ull);
	assert_in_range(h->max, ages[8], ages[8] + 10000000);
	assert_in_range(h->min, 1, 299 + 10000000);
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		in_buckets += (uint32_t)h->bucket[i];
	assert_int_equal(in_buckets, 7);
	/* 1 % is the width of a bucket; the call itself takes some microseconds. */
	for (uint32_t i = 4; i < 6; i++) {
		uint32_t from = hist_index((uint64_t)ages[i]);
		uint32_t to = hist_index((uint64_t)ages[i] + 10000000), n = 0;

		for (uint32_t b = from; b <= to; b++)
			n += (uint32_t)h->bucket[b];
		assert_true(n >= 1);
	}
	for (uint32_t slot = 0; slot < TWIN_SLOTS; slot++)
		if (slot != 2)
			assert_int_equal(t.rig.maps.hist[slot * HIST_KINDS].count, 0);
	twin_close(&t);
}

static void latency_is_noted_in_its_bucket(void **state)
{
	cpu_set_t before;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	check_latency(false);
	check_latency(true);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* Flows that would need too much memory are only counted. */
static void flows_beyond_the_memory_are_only_counted(void **state)
{
	const struct twin_spec spec = {
		.phase = STEER_COUNT, .flows = 1 << 20, .window_bits = 1024, .queues = 7};
	static const uint32_t numbers[] = {5, 6, 6, 2, 900000, 3};
	uint8_t data[VECTOR_MAX];
	uint32_t len = vector_bytes(&vectors[0], data);
	struct pass pass = {.data = data, .len = len};
	static struct twin_pair t;
	const struct worker_counters *c;
	const struct window *w;
	const struct inside *in;

	open_or_skip(&t, &spec);
	in = t.rig.prog.inside;
	assert_int_equal(in->window_mask, 0);
	assert_int_equal(in->window_sets, 1);
	assert_true(in->windows_bytes <= 256u << 20);
	for (uint32_t i = 0; i < 6; i++) {
		pass.queue = i % 2;
		stamp_vector(data, RUN, (1 << 20) - 1, numbers[i], clock_now());
		assert_int_equal(rig_pass(&t.rig, &pass), 0);
		assert_int_equal(pass.action, XDP_DROP);
	}
	data[50] ^= 1;
	assert_int_equal(rig_pass(&t.rig, &pass), 0);
	w = inside_window(in, 0, (1 << 20) - 1);
	assert_int_equal(w->unique, 6);
	assert_int_equal(w->next, 900001);
	assert_int_equal(w->duplicate + w->reordered + w->too_late, 0);
	assert_int_equal(inside_window(in, 0, 5)->corrupt, 1); /* its ports tell flow 5 */
	for (uint32_t slot = 1; slot <= 2; slot++) {
		c = &t.rig.maps.slot[slot].worker;
		assert_int_equal(c->matched, 3);
		assert_int_equal(c->duplicate + c->reordered + c->too_late + c->joined_late, 0);
		assert_int_equal(c->received, slot == 2 ? 4 : 3);
		assert_int_equal(t.rig.maps.hist[slot * HIST_KINDS].count, 3);
	}
	assert_null(inside_window(in, 1, 0));
	assert_null(inside_window(in, 0, 1 << 20));
	inside_clear(t.rig.prog.inside);
	assert_int_equal(w->unique, 0);
	twin_close(&t);
}

/* As many bits as fit, for as many flows as asked. */
static void windows_shrink_before_they_go(void **state)
{
	const struct twin_spec spec = {.phase = STEER_COUNT, .flows = 1 << 20, .window_bits = 4096};
	static struct twin_pair t;

	open_or_skip(&t, &spec);
	assert_true(t.rig.prog.inside->window_mask >= 63);
	assert_true(t.rig.prog.inside->window_mask < 4095);
	assert_int_equal(t.rig.prog.inside->window_sets, 2);
	assert_in_range(t.rig.prog.inside->windows_bytes, 128u << 20, 256u << 20);
	twin_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counting_does_what_a_worker_does),
		cmocka_unit_test(reflecting_does_what_a_worker_does),
		cmocka_unit_test(port_to_port_does_what_a_worker_does),
		cmocka_unit_test(closed_program_touches_nothing),
		cmocka_unit_test(a_bridge_without_its_other_port_drops),
		cmocka_unit_test(random_frames_are_counted_as_by_a_worker),
		cmocka_unit_test(random_frames_are_sent_back_as_by_a_worker),
		cmocka_unit_test(in_generic_mode_each_cpu_has_windows),
		cmocka_unit_test(headers_of_all_kinds_are_turned_round),
		cmocka_unit_test(the_first_run_that_comes_is_counted),
		cmocka_unit_test(latency_is_noted_in_its_bucket),
		cmocka_unit_test(flows_beyond_the_memory_are_only_counted),
		cmocka_unit_test(windows_shrink_before_they_go),
	};
	const char *reason = rig_reason();

	for (size_t i = 0; reason && i < sizeof(tests) / sizeof(tests[0]); i++)
		printf("skip - %s: %s\n", tests[i].name, reason);
	return reason ? 0 : cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
