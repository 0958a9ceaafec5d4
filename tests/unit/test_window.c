/* SPDX-License-Identifier: MIT */
/* The sequence window of abi/window.h against vectors, corner cases and a naive model. */
#include "abi/window.h"
#include "unit.h"
#include <stdlib.h>
#include <string.h>

struct flow_state {
	struct window w;
	__u64 bits[WINDOW_BITS_MAX / 64];
	uint32_t mask;
};

static struct flow_state flow_from(uint32_t first, uint32_t nbits)
{
	return (struct flow_state){.w = {.base = first, .next = first}, .mask = nbits - 1};
}

static enum window_verdict note(struct flow_state *f, uint32_t seq)
{
	return window_note(&f->w, f->bits, f->mask, seq);
}

static void note_range(struct flow_state *f, uint32_t from, uint32_t n)
{
	for (; n; n--, from++)
		assert_int_equal(note(f, from), WINDOW_IN_ORDER);
}

struct vector {
	const char *name;
	uint32_t first;
	uint32_t arrivals[16]; /* 0 ends */
	const char *verdicts;  /* . in order, r reordered, d duplicate */
	uint32_t missing;
};

static const struct vector vectors[] = {
	{"late copies, far from their originals", 1, {1, 2, 3, 2, 6, 4, 5, 5, 7}, "...d.rrd.", 0},
	{"one copy, one lost", 1, {1, 1, 2, 4}, ".d..", 1},
	{"RFC 4737 7.1", 1, {1, 2, 3, 5, 6, 7, 8, 4, 9, 10}, ".......r..", 0},
	{"RFC 4737 7.2", 1, {1, 2, 3, 4, 7, 5, 6, 8, 9, 10}, ".....rr...", 0},
	{"RFC 4737 7.3", 1, {1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11}, ".......rrr.", 0},
	{"RFC 5236 without loss", 1, {1, 4, 2, 5, 3, 6, 7, 8}, "..r.r...", 0},
	{"RFC 5236 with loss", 1, {1, 2, 4, 5, 6, 7}, "......", 1},
	{"first of all lost", 1, {2, 3}, "..", 1},
	{"reordered, then its copy", 1, {2, 1, 1, 2, 3}, ".rdd.", 0},
};

static char verdict_letter(enum window_verdict v)
{
	static const char letters[WINDOW_VERDICTS] = {'.', 'r', 'j', 'd', 'l'};

	return letters[v];
}

static void run_vector(const struct vector *v, uint32_t shift)
{
	struct flow_state f = flow_from(v->first + shift, 64);
	uint32_t letters[128] = {0};
	int i;

	for (i = 0; v->arrivals[i]; i++) {
		char got = verdict_letter(note(&f, v->arrivals[i] + shift));

		letters[(int)got]++;
		if (got != v->verdicts[i])
			print_error("%s: arrival %d\n", v->name, i);
		assert_int_equal(got, v->verdicts[i]);
	}
	assert_int_equal(v->verdicts[i], 0);
	assert_int_equal(f.w.reordered, letters['r']);
	assert_int_equal(f.w.duplicate, letters['d']);
	assert_int_equal(f.w.unique, letters['.'] + letters['r']);
	assert_int_equal(f.w.too_late, 0);
	assert_int_equal(window_missing(&f.w), v->missing);
}

static void published_vectors_are_counted_right(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(vectors); i++)
		run_vector(&vectors[i], 0);
}

static void vectors_are_the_same_at_each_place_around_the_wrap(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(vectors); i++)
		for (uint32_t shift = UINT32_MAX - 20; shift != 70; shift++)
			run_vector(&vectors[i], shift);
}

static void a_gap_is_counted_once(void **state)
{
	struct flow_state f = flow_from(0, 64);

	note_range(&f, 0, 10);
	assert_int_equal(note(&f, 15), WINDOW_IN_ORDER);
	assert_int_equal(window_missing(&f.w), 5);
	note_range(&f, 16, 100);
	assert_int_equal(window_missing(&f.w), 5);
	assert_int_equal(f.w.unique, 111);
}

static void the_window_ends_exactly_nbits_behind(void **state)
{
	struct flow_state f = flow_from(0, 64);

	note(&f, 0);
	assert_int_equal(note(&f, 60), WINDOW_IN_ORDER);
	note_range(&f, 61, 40); /* next is 101: the window holds 37..100 */
	assert_int_equal(note(&f, 37), WINDOW_REORDERED);
	assert_int_equal(note(&f, 37), WINDOW_DUPLICATE);
	assert_int_equal(note(&f, 36), WINDOW_TOO_LATE);
	assert_int_equal(f.w.too_late, 1);
	assert_int_equal(f.w.reordered, 1);
	assert_int_equal(f.w.next, 101);
	assert_int_equal(window_missing(&f.w), 57); /* 1..59 but for 37 and the late one */
}

static void an_old_mark_is_forgotten_when_its_place_is_used_again(void **state)
{
	struct flow_state f = flow_from(0, 64);

	note_range(&f, 0, 64);				  /* every bit is set */
	assert_int_equal(note(&f, 127), WINDOW_IN_ORDER); /* a jump of exactly mask */
	for (uint32_t seq = 64; seq < 127; seq++)
		assert_int_equal(note(&f, seq), WINDOW_REORDERED);
	assert_int_equal(window_missing(&f.w), 0);
	assert_int_equal(note(&f, 100), WINDOW_DUPLICATE);
}

static void a_jump_beyond_the_window_clears_it(void **state)
{
	for (uint32_t jump = 64; jump < 200; jump++) {
		struct flow_state f = flow_from(0, 64);

		note_range(&f, 0, 64);
		assert_int_equal(note(&f, 64 + jump), WINDOW_IN_ORDER);
		assert_int_equal(window_missing(&f.w), jump);
		assert_int_equal(note(&f, 64 + jump - 63), WINDOW_REORDERED);
		assert_int_equal(note(&f, 64 + jump - 64), WINDOW_TOO_LATE);
		assert_int_equal(note(&f, 64 + jump), WINDOW_DUPLICATE);
	}
}

static void joining_late_invents_no_loss(void **state)
{
	struct flow_state f = flow_from(0, 64);

	assert_int_equal(note(&f, 5000), WINDOW_JOINED);
	assert_int_equal(f.w.base, 5000);
	assert_int_equal(window_missing(&f.w), 0);
	assert_int_equal(note(&f, 5001), WINDOW_IN_ORDER);
	assert_int_equal(note(&f, 5003), WINDOW_IN_ORDER);
	assert_int_equal(window_missing(&f.w), 1);
	assert_int_equal(note(&f, 4999), WINDOW_TOO_LATE); /* never expected */
	assert_int_equal(note(&f, 5002), WINDOW_REORDERED);
	assert_int_equal(window_missing(&f.w), 0);
}

static void a_head_gap_within_the_window_is_loss(void **state)
{
	struct flow_state f = flow_from(0, 64);

	assert_int_equal(note(&f, 63), WINDOW_IN_ORDER);
	assert_int_equal(window_missing(&f.w), 63);
	f = flow_from(0, 64);
	assert_int_equal(note(&f, 64), WINDOW_JOINED);
	assert_int_equal(window_missing(&f.w), 0);
}

static void numbers_below_the_first_are_too_late(void **state)
{
	struct flow_state f = flow_from(10, 64);

	assert_int_equal(note(&f, 9), WINDOW_TOO_LATE);
	note_range(&f, 10, 3);
	assert_int_equal(note(&f, 9), WINDOW_TOO_LATE);
	assert_int_equal(f.w.unique, 3);
	assert_int_equal(f.w.too_late, 2);
}

/* 2^31 frames are 144 s at 14.88 Mpps: what is behind then must not look like before the start. */
static void reordering_is_seen_after_2_31_and_2_32_frames(void **state)
{
	static const uint64_t passed[] = {1ull << 31,	    (1ull << 31) + 7, 3ull << 30,
					  (1ull << 32) - 1, 1ull << 32,	      (1ull << 32) + 3};

	for (size_t i = 0; i < ARRAY_LEN(passed); i++) {
		struct flow_state f = flow_from(0, 64);
		uint32_t next = (uint32_t)passed[i];

		memset(f.bits, 0xff, sizeof(f.bits));
		f.w.next = next;
		f.w.unique = passed[i];
		assert_int_equal(note(&f, next + 2), WINDOW_IN_ORDER);
		assert_int_equal(note(&f, next), WINDOW_REORDERED);
		assert_int_equal(note(&f, next), WINDOW_DUPLICATE);
		assert_int_equal(note(&f, next - 5), WINDOW_DUPLICATE);
		assert_int_equal(window_missing(&f.w), 1);
	}
}

static void half_the_number_space_away_is_too_late(void **state)
{
	struct flow_state f = flow_from(0, 64);

	note_range(&f, 0, 5);
	assert_int_equal(note(&f, 5 + 0x80000000u), WINDOW_TOO_LATE);
	assert_int_equal(note(&f, 5 + 0x80000001u), WINDOW_TOO_LATE);
	assert_int_equal(note(&f, 5), WINDOW_IN_ORDER);
}

static void damaged_and_late_frames_fill_gaps(void **state)
{
	struct flow_state f = flow_from(0, 64);

	note_range(&f, 0, 10);
	f.w.corrupt++; /* number 10 came damaged */
	note_range(&f, 12, 1);
	assert_int_equal(window_missing(&f.w), 1);
	note_range(&f, 13, 100);
	assert_int_equal(note(&f, 11), WINDOW_TOO_LATE);
	assert_int_equal(window_missing(&f.w), 0);
	assert_int_equal(note(&f, 11), WINDOW_TOO_LATE); /* a copy: still none */
	assert_int_equal(window_missing(&f.w), 0);
}

/* What came, without a window: numbers relative to base, as a set. */
struct model {
	uint8_t seen[8192];
	uint32_t next, unique, duplicate, reordered, too_late;
};

static enum window_verdict model_note(struct model *m, uint32_t nbits, uint32_t seq)
{
	if (seq >= m->next) {
		m->next = seq + 1;
		m->unique++;
		m->seen[seq] = 1;
		return WINDOW_IN_ORDER;
	}
	if (m->next - seq > nbits) {
		m->too_late++;
		return WINDOW_TOO_LATE;
	}
	if (m->seen[seq]) {
		m->duplicate++;
		return WINDOW_DUPLICATE;
	}
	m->seen[seq] = 1;
	m->reordered++;
	m->unique++;
	return WINDOW_REORDERED;
}

static void compare_with_model(uint64_t *seed, uint32_t nbits, uint32_t shift)
{
	struct flow_state f = flow_from(shift, nbits);
	struct model m = {0};
	uint32_t at = 0, spread = 1u << next_random(seed) % 9, distinct = 0;

	model_note(&m, nbits, 0);
	note(&f, shift);
	while (at < 7000) {
		uint32_t back = (uint32_t)(next_random(seed) % (2 * spread));
		uint32_t seq = at + spread > back ? at + spread - back : 0;

		if (next_random(seed) % 100 == 0)
			at += (uint32_t)(next_random(seed) % 300);
		assert_int_equal(note(&f, seq + shift), model_note(&m, nbits, seq));
		at += (uint32_t)(next_random(seed) & 1);
	}
	for (uint32_t i = 0; i < m.next; i++)
		distinct += m.seen[i];
	assert_int_equal(f.w.unique, distinct);
	assert_int_equal(f.w.unique, m.unique);
	assert_int_equal(f.w.next, m.next + shift);
	assert_int_equal(f.w.duplicate, m.duplicate);
	assert_int_equal(f.w.reordered, m.reordered);
	assert_int_equal(f.w.too_late, m.too_late);
}

static void random_arrivals_agree_with_a_naive_model(void **state)
{
	static const uint32_t widths[] = {64, 128, 1024, 4096};
	uint64_t seed = 42;

	for (int round = 0; round < 100; round++)
		compare_with_model(&seed, widths[round % 4],
				   round % 2 ? (uint32_t)next_random(&seed) : 0u - 3000);
}

/* Every frame once, in any order within the window: all unique, and reordered as RFC 4737 says. */
static void permutations_lose_and_repeat_nothing(void **state)
{
	uint64_t seed = 7;

	for (int round = 0; round < 200; round++) {
		struct flow_state f = flow_from(0xfffffff0, 64);
		uint32_t order[64], highest = 0, reordered = 0;

		for (uint32_t i = 0; i < 64; i++) {
			uint32_t j = (uint32_t)(next_random(&seed) % (i + 1));

			order[i] = order[j];
			order[j] = i;
		}
		for (uint32_t i = 0; i < 64; i++) {
			note(&f, 0xfffffff0 + order[i]);
			if (i && order[i] < highest)
				reordered++;
			else
				highest = order[i];
		}
		assert_int_equal(f.w.unique, 64);
		assert_int_equal(f.w.reordered, reordered);
		assert_int_equal(f.w.duplicate + f.w.too_late, 0);
		assert_int_equal(window_missing(&f.w), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_vectors_are_counted_right),
		cmocka_unit_test(vectors_are_the_same_at_each_place_around_the_wrap),
		cmocka_unit_test(a_gap_is_counted_once),
		cmocka_unit_test(the_window_ends_exactly_nbits_behind),
		cmocka_unit_test(an_old_mark_is_forgotten_when_its_place_is_used_again),
		cmocka_unit_test(a_jump_beyond_the_window_clears_it),
		cmocka_unit_test(joining_late_invents_no_loss),
		cmocka_unit_test(a_head_gap_within_the_window_is_loss),
		cmocka_unit_test(numbers_below_the_first_are_too_late),
		cmocka_unit_test(reordering_is_seen_after_2_31_and_2_32_frames),
		cmocka_unit_test(half_the_number_space_away_is_too_late),
		cmocka_unit_test(damaged_and_late_frames_fill_gaps),
		cmocka_unit_test(random_arrivals_agree_with_a_naive_model),
		cmocka_unit_test(permutations_lose_and_repeat_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
