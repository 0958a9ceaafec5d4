/* SPDX-License-Identifier: MIT */
/*
 * The XDP program steer, frame by frame: action, frame and counters, and that the kernel's side and
 * gcc's side of abi/match.h never disagree.
 */
#include "fate.h"
#include <stdio.h>

#define RANDOM_FRAMES 20000

static void gcc_side_agrees_with_the_table(void **state)
{
	for (enum match_mode mode = MATCH_STAMPED; mode <= MATCH_ALL; mode++) {
		struct match_config match = vector_match;

		match.mode = mode;
		for (size_t i = 0; i < VECTORS; i++) {
			const struct vector *v = &vectors[i];
			uint8_t data[VECTOR_MAX];
			uint32_t len = vector_bytes(v, data);
			struct fate fate;

			ask_gcc(&match, data, len, &fate);
			if (fate.kind != vector_kind(v, mode) || fate.refusal != v->refusal ||
			    fate.stamp_offset != (uint32_t)v->stamp_offset)
				fail_msg("%s, %s: kind %d, stamp at %u, refusal %d", v->name,
					 match_mode_names[mode], fate.kind, fate.stamp_offset,
					 fate.refusal);
		}
	}
}

static void program_agrees_with_the_table(void **state)
{
	for (enum match_mode mode = MATCH_STAMPED; mode <= MATCH_ALL; mode++) {
		struct rig rig = {};

		rig_open(&rig, &vector_match, mode, RIG_METADATA);
		for (enum steer_phase phase = STEER_CLOSED; phase <= STEER_REFLECT; phase++) {
			prog_set_phase(&rig.prog, phase);
			check_vectors(&rig, phase, false);
		}
		rig_close(&rig);
	}
}

static void program_redirects_the_same_frames_to_a_socket(void **state)
{
	for (enum match_mode mode = MATCH_STAMPED; mode <= MATCH_ALL; mode++) {
		struct rig rig = {};

		if (rig_open_lab(&rig, 2)) {
			print_message("no lab on this machine\n");
			skip();
		}
		rig_open(&rig, &vector_match, mode, RIG_METADATA);
		rig_attach(&rig);
		for (enum steer_phase phase = STEER_CLOSED; phase <= STEER_REFLECT; phase++) {
			prog_set_phase(&rig.prog, phase);
			check_vectors(&rig, phase, true);
		}
		prog_set_phase(&rig.prog, STEER_COUNT);
		assert_int_equal(prog_set_socket(&rig.prog, 0, -1), 0);
		check_vectors(&rig, STEER_COUNT, false);
		rig_close(&rig);
	}
}

/* Cut short anywhere, a frame with a whole stamp is ours and any other is not. */
static void truncated_frames_are_judged_by_what_is_left(void **state)
{
	for (enum match_mode mode = MATCH_STAMPED; mode <= MATCH_ALL; mode++) {
		struct rig rig = {};

		rig_open(&rig, &vector_match, mode, RIG_METADATA);
		prog_set_phase(&rig.prog, STEER_REFLECT);
		for (size_t i = 0; i < VECTORS; i++) {
			uint8_t data[VECTOR_MAX];
			uint32_t len = vector_bytes(&vectors[i], data);

			for (uint32_t cut = 0; cut < len; cut++) {
				struct pass pass = {.data = data, .len = cut};
				uint32_t stamp_end = (uint32_t)vectors[i].stamp_offset + STAMP_LEN;
				struct fate fate = {.phase = STEER_REFLECT};

				ask_gcc(&rig.match, data, cut, &fate);
				if (vectors[i].kind == MATCH_STAMP)
					assert_int_equal(fate.kind == MATCH_STAMP,
							 cut >= stamp_end);
				if (cut >= ETH_HDR_LEN)
					check_fate(&rig, &fate, &pass, 1, vectors[i].name);
				else
					assert_int_equal(fate.refusal, REFUSE_SHORT);
			}
		}
		rig_close(&rig);
	}
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void damaged_frames_are_judged_alike_by_both_compilers(void **state)
{
	uint64_t seed = 1;
	struct rig rig = {};

	rig_open(&rig, &vector_match, MATCH_UDP, RIG_METADATA);
	prog_set_phase(&rig.prog, STEER_REFLECT);
	for (int i = 0; i < RANDOM_FRAMES; i++) {
		const struct vector *v = &vectors[next_random(&seed) % VECTORS];
		struct fate fate = {.phase = STEER_REFLECT};
		uint8_t data[VECTOR_MAX];
		struct pass pass = {.data = data, .len = vector_bytes(v, data)};

		for (uint64_t n = 1 + next_random(&seed) % 3; n; n--)
			data[next_random(&seed) % pass.len] ^= 1 << next_random(&seed) % 8;
		ask_gcc(&rig.match, data, pass.len, &fate);
		check_fate(&rig, &fate, &pass, 1, v->name);
	}
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gcc_side_agrees_with_the_table),
		cmocka_unit_test(program_agrees_with_the_table),
		cmocka_unit_test(program_redirects_the_same_frames_to_a_socket),
		cmocka_unit_test(truncated_frames_are_judged_by_what_is_left),
		cmocka_unit_test(damaged_frames_are_judged_alike_by_both_compilers),
	};
	const char *reason = rig_reason();

	for (size_t i = 0; reason && i < sizeof(tests) / sizeof(tests[0]); i++)
		printf("skip - %s: %s\n", tests[i].name, reason);
	return reason ? 0 : cmocka_run_group_tests_name("steer", tests, NULL, NULL);
}
