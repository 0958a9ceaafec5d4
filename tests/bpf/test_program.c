/* SPDX-License-Identifier: MIT */
/* The XDP program steer as a whole: metadata, slots, phases, two CPUs at once, rights to load it.
 */
#include "fate.h"
#include "io/clock.h"
#include <bpf/bpf.h>
#include <cap-ng.h>
#include <errno.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define RAN_TWICE 300000u /* runs of each of two threads */

/* --- metadata, slots, phases ---------------------------------------------------------------- */

static const struct fate counted = {
	.kind = MATCH_STAMP, .stamp_offset = 42, .refusal = REFUSE_NOT, .phase = STEER_COUNT};

static void receive_time_is_taken_in_the_program(void **state)
{
	uint8_t data[VECTOR_MAX];
	struct pass pass = {.data = data, .len = vector_bytes(&vectors[0], data)};
	struct frame_meta meta;
	struct rig rig = {};
	uint64_t before;

	rig_open(&rig, &vector_match, MATCH_STAMPED, RIG_METADATA);
	prog_set_phase(&rig.prog, STEER_COUNT);
	before = clock_now();
	check_fate(&rig, &counted, &pass, 1, "stamped");
	memcpy(&meta, pass.out, sizeof(meta));
	assert_in_range(meta.time_ns, before, clock_now());
	rig_close(&rig);
}

static void without_metadata_the_frame_stays_as_it_was(void **state)
{
	uint8_t data[VECTOR_MAX];
	struct pass pass = {.data = data, .len = vector_bytes(&vectors[0], data)};
	struct rig rig = {};

	rig_open(&rig, &vector_match, MATCH_STAMPED, 0);
	prog_set_phase(&rig.prog, STEER_COUNT);
	check_fate(&rig, &counted, &pass, 1, "stamped");
	assert_int_equal(pass.out_len, pass.len);
	rig_close(&rig);
}

/* A driver that put as much in front of the frame as there may be leaves no room for ours. */
static void without_room_for_metadata_the_frame_is_taken_all_the_same(void **state)
{
	uint8_t data[256 + VECTOR_MAX] = {};
	struct rig rig = {};
	int err = -EINVAL;

	rig_open(&rig, &vector_match, MATCH_STAMPED, RIG_METADATA);
	prog_set_phase(&rig.prog, STEER_COUNT);
	for (uint32_t most = 256; most && err == -EINVAL; most -= 4) {
		struct pass pass = {.data = data, .in_front = most};

		pass.len = most + vector_bytes(&vectors[0], data + most);
		err = rig_pass(&rig, &pass);
		if (err)
			continue;
		assert_int_equal(pass.action, XDP_DROP);
		assert_int_equal(rig.maps.slot[1].program.no_socket, 1);
		assert_int_equal(pass.out_len, pass.len);
		assert_memory_equal(pass.out, data, pass.len);
	}
	assert_int_equal(err, 0);
	rig_close(&rig);
}

/* Queue 0 has a socket, queue 1 a slot, queue 2 neither; 65 is above what a slot can be for. */
static void queues_without_a_slot_count_in_the_rest_slot(void **state)
{
	static const struct {
		uint32_t queue, slot;
		bool socket;
	} rows[] = {{0, 1, true}, {1, 2, false}, {2, RIG_REST, false}, {65, RIG_REST, false}};
	uint8_t data[VECTOR_MAX];
	struct rig rig = {};

	if (rig_open_lab(&rig, 66)) {
		print_message("no lab with 66 queues on this machine\n");
		skip();
	}
	rig_open(&rig, &vector_match, MATCH_STAMPED, RIG_METADATA);
	rig_attach(&rig);
	prog_set_phase(&rig.prog, STEER_COUNT);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pass pass = {.data = data, .queue = rows[i].queue};
		struct fate fate = counted;

		pass.len = vector_bytes(&vectors[0], data);
		fate.socket = rows[i].socket;
		check_fate(&rig, &fate, &pass, rows[i].slot, "stamped");
	}
	rig_close(&rig);
}

static void closed_program_counts_nothing(void **state)
{
	static const struct counter_slot zero[RIG_SLOTS];
	struct rig rig = {};

	rig_open(&rig, &vector_match, MATCH_ALL, RIG_METADATA);
	check_vectors(&rig, STEER_CLOSED, false);
	assert_memory_equal(rig.maps.slot, zero, sizeof(zero));
	prog_set_phase(&rig.prog, STEER_COUNT);
	check_vectors(&rig, STEER_COUNT, false);
	assert_int_equal(rig.maps.slot[1].program.seen, VECTORS);
	prog_set_phase(&rig.prog, STEER_CLOSED);
	check_vectors(&rig, STEER_CLOSED, false);
	assert_int_equal(rig.maps.slot[1].program.seen, VECTORS);
	rig_close(&rig);
}

/* --- two CPUs on one queue ------------------------------------------------------------------- */

struct runner {
	const struct rig *rig;
	int cpu, err;
};

static void *run_many(void *arg)
{
	struct runner *runner = arg;
	uint8_t data[VECTOR_MAX];
	struct pass pass = {.data = data,
			    .len = vector_bytes(&vectors[0], data),
			    .repeat = RAN_TWICE};
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(runner->cpu, &cpu);
	runner->err = -pthread_setaffinity_np(pthread_self(), sizeof(cpu), &cpu);
	if (!runner->err)
		runner->err = rig_pass(runner->rig, &pass);
	return NULL;
}

/* Both CPUs run the program for queue 0; frames counted. */
static uint64_t count_of_two(struct rig *rig, int flags)
{
	struct runner runner[2] = {{rig, 0, 0}, {rig, 1, 0}};
	const struct program_counters *c;
	pthread_t thread[2];

	rig_open(rig, &vector_match, MATCH_STAMPED, flags);
	prog_set_phase(&rig->prog, STEER_COUNT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, run_many, &runner[i]), 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(runner[i].err, 0);
	}
	c = &rig->maps.slot[1].program;
	if (flags & RIG_ATOMIC) {
		assert_int_equal(c->seen_bytes, 60 * c->seen);
		assert_int_equal(c->no_socket, c->seen);
	}
	return c->seen;
}

static void two_cpus_lose_no_count(void **state)
{
	struct rig rig = {};
	uint64_t plain;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		print_message("needs two CPUs\n");
		skip();
	}
	assert_int_equal(count_of_two(&rig, RIG_ATOMIC), 2 * RAN_TWICE);
	rig_close(&rig);
	plain = count_of_two(&rig, 0);
	rig_close(&rig);
	print_message("plain additions would have lost %.1f %%\n",
		      100.0 * (2 * RAN_TWICE - (double)plain) / (2 * RAN_TWICE));
}

/* --- loading --------------------------------------------------------------------------------- */

static const struct {
	uint32_t first_slot, queues;
} placings[] = {{0, 1}, {1, 2}, {3, 64}};

/* In every form the product loads it in. 0, or the first error. */
static int load_all(void)
{
	static const uint8_t slot_of[QUEUES_MAX] = {0, 1};

	for (unsigned i = 0; i < 12 * sizeof(placings) / sizeof(placings[0]); i++) {
		struct rig rig = {};
		struct prog_spec spec = {
			.maps = &rig.maps,
			.first_slot = placings[i / 12].first_slot,
			.queues = placings[i / 12].queues,
			.slot_of = slot_of,
			.match = vector_match,
			.atomic = i & 1,
			.metadata = i & 2,
		};
		int err = prog_maps_open(&rig.maps, spec.first_slot + spec.queues + 1);

		spec.match.mode = i / 4 % 3;
		if (!err)
			err = prog_open(&rig.prog, &spec);
		if (err)
			return err;
		rig_close(&rig);
	}
	return 0;
}

static int load_with(const unsigned *capabilities, int n)
{
	capng_clear(CAPNG_SELECT_BOTH);
	for (int i = 0; i < n; i++)
		capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, capabilities[i]);
	return capng_change_id(65534, 65534, CAPNG_DROP_SUPP_GRP) ? -ECHILD : load_all();
}

/* What the program says there comes to stderr when it fails. */
static int in_child(const unsigned *capabilities, int n)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(-load_with(capabilities, n));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

/* Without CAP_PERFMON much pointer arithmetic is refused: the program must do without. */
static void two_capabilities_are_enough_to_load(void **state)
{
	static const unsigned enough[] = {CAP_BPF, CAP_NET_ADMIN};

	assert_int_equal(in_child(enough, 2), 0);
	assert_int_equal(in_child(enough, 1), -EPERM);
	assert_int_equal(in_child(enough, 0), -EPERM);
}

static void program_loads_and_says_how_large_it_is(void **state)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);
	struct rig rig = {};

	rig_open(&rig, &vector_match, MATCH_UDP, RIG_METADATA | RIG_ATOMIC);
	assert_int_equal(bpf_obj_get_info_by_fd(rig.prog.prog_fd, &info, &len), 0);
	assert_int_equal(rig.prog.id, info.id);
	assert_string_equal(info.name, "steer");
	print_message("%u instructions verified, %u in the program, %u bytes of machine code\n",
		      info.verified_insns, info.xlated_prog_len / 8, info.jited_prog_len);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(receive_time_is_taken_in_the_program),
		cmocka_unit_test(without_metadata_the_frame_stays_as_it_was),
		cmocka_unit_test(without_room_for_metadata_the_frame_is_taken_all_the_same),
		cmocka_unit_test(queues_without_a_slot_count_in_the_rest_slot),
		cmocka_unit_test(closed_program_counts_nothing),
		cmocka_unit_test(two_cpus_lose_no_count),
		cmocka_unit_test(two_capabilities_are_enough_to_load),
		cmocka_unit_test(program_loads_and_says_how_large_it_is),
	};
	const char *reason = rig_reason();

	for (size_t i = 0; reason && i < sizeof(tests) / sizeof(tests[0]); i++)
		printf("skip - %s: %s\n", tests[i].name, reason);
	return reason ? 0 : cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
