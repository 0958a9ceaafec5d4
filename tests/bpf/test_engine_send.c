/* SPDX-License-Identifier: MIT */
/*
 * The XDP program engine, frames that it makes: they are sent through a lab, with the role that
 * runs streams, and looked at where they arrive. And the rights that it needs to be loaded.
 */
#include "io/clock.h"
#include "io/netns.h"
#include "rig.h"
#include "run/worker.h"
#include "vectors.h"
#include <arpa/inet.h>
#include <cap-ng.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN	    0x4711
#define SLOTS	    8
#define A_SLOT	    1 /* 1 and 2; 3 is the rest's */
#define B_SLOT	    4 /* 4 and 5; 6 is the rest's */
#define QUEUES	    2
#define DEADLINE_NS 2000000000ull

/* --- two ports ---------------------------------------------------------------------------------
 */

struct line {
	struct lab lab;
	struct nic nic[2];
	struct prog_maps maps;
	struct prog prog[2];
	struct frame frame;
	struct worker worker[QUEUES];
	struct hist hist;
	int packet; /* what reaches B's kernel */
};

static struct line line;

static int open_packet(void *arg)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL)), size = 64 << 20;
	struct sockaddr_ll addr = {.sll_family = AF_PACKET,
				   .sll_protocol = htons(ETH_P_ALL),
				   .sll_ifindex = (int)line.nic[1].ifindex};

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return -errno;
	return fd;
}

static void open_port(int i, enum swap swap)
{
	static const uint8_t slot_of[QUEUES_MAX] = {0, 1, [2 ... QUEUES_MAX - 1] = 0xff};
	struct inside_spec spec = {
		.prog = {.maps = &line.maps,
			 .first_slot = i ? B_SLOT : A_SLOT,
			 .queues = QUEUES,
			 .slot_of = slot_of,
			 .match = vector_match},
		.frame = i ? NULL : &line.frame,
		.swap = swap,
		.flows = 50000,
		.window_bits = 64,
	};
	char why[96];

	memcpy(spec.prog.match.mac, line.nic[i].mac, 6);
	assert_int_equal(inside_open(&line.prog[i], &spec), 0);
	if (!i)
		assert_int_equal(inside_set_out(&line.prog[0], OUT_HERE, &line.nic[0]), 0);
	assert_int_equal(prog_attach(&line.prog[i], &line.nic[i], false, why, sizeof(why)), 0);
}

static void open_line(uint32_t frame_bytes, enum swap swap)
{
	struct frame_spec spec = {.src_ip = FRAME_NET_A,
				  .dst_ip = FRAME_NET_B,
				  .frame_bytes = frame_bytes};

	memset(&line, 0, sizeof(line));
	if (lab_up(&line.lab, LAB_PAIR, QUEUES)) {
		print_message("no lab on this machine\n");
		skip();
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(nic_open_at(&line.nic[i], line.lab.netns[line.lab.port[i].netns],
					     line.lab.port[i].name, i ? "lab-b" : "lab-a"),
				 0);
	memcpy(spec.src_mac, line.nic[0].mac, 6);
	memcpy(spec.dst_mac, line.nic[1].mac, 6);
	assert_int_equal(frame_build(&spec, &line.frame), 0);
	assert_int_equal(prog_maps_open(&line.maps, SLOTS), 0);
	open_port(0, swap);
	open_port(1, swap);
	line.packet = netns_call(line.nic[1].netns, open_packet, NULL);
	assert_true(line.packet >= 0);
}

static void close_line(void)
{
	close(line.packet);
	for (int i = 0; i < 2; i++) {
		prog_close(&line.prog[i]);
		nic_close(&line.nic[i]);
	}
	prog_maps_close(&line.maps);
	lab_down(&line.lab);
}

/* What port i does with frames that come in. */
static void receive(int i, enum steer_phase phase, uint8_t expect)
{
	*line.prog[i].inside->plan =
		(struct receive_plan){.flows = 50000, .run = RUN, .set_reply = 1, .expect = expect};
	prog_set_phase(&line.prog[i], phase);
}

static struct plan plan_of(uint32_t flows, double pps, uint64_t limit)
{
	return (struct plan){
		.tx = TX_GENERATE,
		.burst = 64,
		.frame = &line.frame,
		.flows = flows,
		.tx_queues = 1,
		.pps = pps,
		.limit = limit,
		.run = RUN,
	};
}

static void pin(uint32_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* A stream of this thread's CPU, which begins now. */
static struct worker *prepare(uint32_t q, const struct plan *plan, uint64_t duration_ns)
{
	struct worker *w = &line.worker[q];
	uint64_t now = clock_now();

	*w = (struct worker){
		.count = &line.maps.slot[A_SLOT + q].worker,
		.slot = A_SLOT + q,
		.latency = &line.hist,
		.lateness = &line.maps.hist[(A_SLOT + q) * HIST_KINDS + HIST_LATENESS],
		.inside = &line.prog[0],
		.stream = &line.prog[0].inside->stream[q],
	};
	assert_int_equal(worker_prepare(w, plan), 0);
	worker_start(w, now, duration_ns ? now + duration_ns : STREAM_FOREVER);
	return w;
}

static void run(struct worker *w)
{
	uint64_t deadline = clock_now() + 5 * DEADLINE_NS;

	while (w->sending && clock_now() < deadline)
		role_stream(w, clock_now());
	assert_false(w->sending);
	assert_int_equal(w->error, 0);
}

static uint64_t lost_by_device(void)
{
	struct port_counters c = {};

	assert_int_equal(nic_counters(&line.nic[0], &c), 0);
	return c.netdev.tx_dropped;
}

/* Both queues of a port. */
#define SUM(first, group, row) \
	(line.maps.slot[first].group.row + line.maps.slot[(first) + 1].group.row)

/* Frames that were matched, with those that the device dropped; waits for as many. */
static uint64_t matched(uint32_t slot, uint64_t n)
{
	uint64_t deadline = clock_now() + DEADLINE_NS;

	while (SUM(slot, worker, matched) + lost_by_device() < n && clock_now() < deadline)
		clock_sleep(1000000);
	return SUM(slot, worker, matched) + lost_by_device();
}

static void nothing_is_wrong(uint32_t slot)
{
	const struct counter_slot *rest = &line.maps.slot[slot + QUEUES];

	assert_int_equal(SUM(slot, worker, corrupt) + SUM(slot, worker, foreign) +
				 SUM(slot, worker, stale) + SUM(slot, worker, retagged) +
				 SUM(slot, worker, duplicate) + SUM(slot, worker, too_late),
			 0);
	assert_int_equal(SUM(slot, program, passed) + SUM(slot, program, no_socket), 0);
	assert_int_equal(rest->program.seen, 0);
	assert_int_equal(SUM(slot, program, seen), SUM(slot, worker, received));
}

static void check_sent(const struct worker *w, uint64_t n)
{
	const struct worker_counters *c = &line.maps.slot[w->slot].worker;

	assert_int_equal(c->submitted, n);
	assert_int_equal(c->completed, n);
	assert_int_equal(c->submitted_bytes, n * line.frame.len);
	assert_int_equal(c->wanted, n + c->given_up_late);
	assert_int_equal(w->pacer.sent, n);
}

/* --- every byte --------------------------------------------------------------------------------
 */

/* The next frame that reached B's kernel; its length. */
static uint32_t take(uint8_t *data, uint32_t size)
{
	struct pollfd fd = {.fd = line.packet, .events = POLLIN};
	ssize_t n;

	assert_int_equal(poll(&fd, 1, DEADLINE_NS / 1000000), 1);
	n = recv(line.packet, data, size, 0);
	assert_true(n > 0);
	return (uint32_t)n;
}

/* Is it the frame that frame.h and stamp.h make, with a time of now? Returns that. */
static uint64_t check_frame(const uint8_t *data, uint32_t len, uint32_t flow, uint32_t seq)
{
	uint64_t head = stamp_head(RUN, 0);
	uint8_t want[FRAME_BYTES_MAX];
	struct stamp stamp;

	assert_int_equal(len, line.frame.len);
	stamp_get(data + STAMP_OFFSET, &stamp);
	memcpy(want, line.frame.data, len);
	frame_set_flow(want, line.frame.udp_sum, line.frame.udp_rest, flow);
	stamp_put(want + STAMP_OFFSET, head, stamp_burst_sum(head, stamp.time), flow, seq,
		  stamp.time);
	if (memcmp(want, data, len) != 0)
		fail_msg("flow %u, number %u: not the frame that was built", flow, seq);
	assert_true(frame_intact(data, len, STAMP_OFFSET));
	assert_in_range(stamp_age(clock_now(), stamp.time), 0, 2 * DEADLINE_NS);
	return stamp.time;
}

static void check_frames(uint32_t frame_bytes, uint32_t flows, uint32_t index, uint32_t queues,
			 uint64_t n)
{
	uint8_t data[FRAME_BYTES_MAX];
	struct plan plan = plan_of(flows, 0, 256);
	struct flow_walk walk;
	struct worker *w;
	uint64_t last = 0, time;

	open_line(frame_bytes, SWAP_NONE);
	plan.tx_index = index;
	plan.tx_queues = queues;
	flow_walk_init(&walk, flows, index, queues);
	w = prepare(0, &plan, 0);
	for (uint64_t i = 0; i < n; i++) {
		if (i % 256 == 0) {
			run(w);
			w->stream->limit += 256;
			w->stream->done = 0;
			w->sending = true;
		}
		time = check_frame(data, take(data, sizeof(data)), walk.flow, walk.seq);
		assert_true(stamp_age(time, last) >= 0 || !last);
		last = time;
		flow_walk_next(&walk);
	}
	assert_int_equal(lost_by_device(), 0);
	close_line();
}

static void every_frame_is_the_one_that_is_built(void **state)
{
	check_frames(64, 1, 0, 1, 1000);
	check_frames(64, 7, 1, 3, 1000);
	check_frames(64, 40000, 0, 2, 21000); /* source and destination ports change */
	check_frames(300, 3, 0, 1, 300);
	check_frames(1518, 2, 0, 1, 300);
}

static void frames_share_a_stamp_as_asked(void **state)
{
	uint8_t data[FRAME_BYTES_MAX];
	struct plan plan;
	struct worker *w;
	uint64_t time = 0;

	open_line(64, SWAP_NONE);
	plan = plan_of(1, 0, 240);
	plan.stamp_every = 12;
	w = prepare(0, &plan, 0);
	run(w);
	for (uint32_t i = 0; i < 240; i++) {
		uint64_t one = check_frame(data, take(data, sizeof(data)), 0, i);

		if (i % 12)
			assert_int_equal(one, time);
		else
			assert_true(one != time);
		time = one;
	}
	assert_true(w->burst_span > 1 && w->burst_span < DEADLINE_NS);
	close_line();
}

static void raw_frames_are_the_template(void **state)
{
	uint8_t data[FRAME_BYTES_MAX];
	struct plan plan;
	struct worker *w;

	open_line(64, SWAP_NONE);
	plan = plan_of(1, 0, 64);
	w = prepare(0, &plan, 0);
	w->stream->raw = 1;
	assert_int_equal(inside_run(&line.prog[0], line.frame.data, line.frame.len, 10, 10), 0);
	for (uint32_t i = 0; i < 10; i++) {
		assert_int_equal(take(data, sizeof(data)), 60);
		assert_memory_equal(data, line.frame.data, 60);
	}
	assert_int_equal(line.maps.slot[A_SLOT].worker.submitted, 0);
	close_line();
}

/* --- exact numbers -----------------------------------------------------------------------------
 */

static void as_many_as_asked_are_sent_and_arrive(void **state)
{
	static const uint64_t limits[] = {1, 2, 63, 64, 65, 129, 100001};
	uint64_t all = 0;

	open_line(64, SWAP_NONE);
	receive(1, STEER_COUNT, 0);
	for (uint32_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct plan plan = plan_of(5, 0, limits[i]);
		struct worker *w;

		memset(line.maps.slot, 0, line.maps.slot_bytes);
		inside_clear(line.prog[1].inside);
		w = prepare(0, &plan, 0);
		run(w);
		all += limits[i];
		check_sent(w, limits[i]);
		assert_true(matched(B_SLOT, limits[i]) >= limits[i]);
		assert_int_equal(SUM(B_SLOT, worker, received), SUM(B_SLOT, worker, matched));
		nothing_is_wrong(B_SLOT);
	}
	assert_true(lost_by_device() < all / 100);
	close_line();
}

static void a_schedule_sends_rate_times_time(void **state)
{
	static const double rates[] = {1000, 7777, 50000};

	open_line(64, SWAP_NONE);
	receive(1, STEER_COUNT, 0);
	for (uint32_t i = 0; i < 3; i++) {
		struct plan plan = plan_of(3, rates[i], UINT64_MAX);
		const struct worker_counters *c = &line.maps.slot[A_SLOT].worker;
		struct worker *w;

		memset(line.maps.slot, 0, line.maps.slot_bytes);
		memset(line.maps.hist, 0, line.maps.hist_bytes);
		inside_clear(line.prog[1].inside);
		w = prepare(0, &plan, 1000000000);
		run(w);
		assert_int_equal(c->wanted, rates[i]);
		assert_int_equal(c->submitted + c->given_up_late, c->wanted);
		assert_true(c->submitted > 0);
		check_sent(w, c->submitted);
		assert_int_equal(w->lateness->count, c->submitted);
		assert_int_equal(w->lateness->negative, 0);
		assert_true(w->lateness->sum / w->lateness->count < 100000000);
		assert_true(matched(B_SLOT, c->submitted) >= c->submitted);
		nothing_is_wrong(B_SLOT);
	}
	close_line();
}

/* Half a second late: all but the cap is given up, and counted as wanted. */
static void what_is_too_late_is_given_up_and_counted(void **state)
{
	const struct worker_counters *c;
	struct plan plan;
	struct worker *w;
	uint64_t now;

	open_line(64, SWAP_NONE);
	c = &line.maps.slot[A_SLOT].worker;
	plan = plan_of(1, 10000, UINT64_MAX);
	w = prepare(0, &plan, 0);
	now = clock_now();
	worker_start(w, now - 500000000, now + 100000000);
	run(w);
	assert_int_equal(c->wanted, 6000);
	assert_in_range(c->given_up_late, 4800, 5999);
	check_sent(w, 6000 - c->given_up_late);
	close_line();
}

/* A look at a frame that is due in a moment waits for it. */
static void the_program_waits_a_moment(void **state)
{
	uint32_t sent = 0;

	open_line(64, SWAP_NONE);
	for (uint32_t i = 0; i < 20; i++) { /* one of them is not disturbed */
		struct plan plan = plan_of(1, 1000, UINT64_MAX);
		struct worker *w = prepare(0, &plan, 0);
		uint64_t start = clock_now() + 60000;

		worker_start(w, start, STREAM_FOREVER);
		assert_int_equal(inside_run(&line.prog[0], line.frame.data, line.frame.len, 1, 1),
				 0);
		if (w->stream->sent)
			assert_true(w->stream->now >= start);
		sent += clock_now() > start && w->stream->sent;
		clock_sleep(1000000);
	}
	assert_true(sent > 0);
	close_line();
}

struct sender {
	uint32_t q;
	struct plan plan;
};

static void *send_from_cpu(void *arg)
{
	const struct sender *sender = arg;

	pin(sender->q);
	run(prepare(sender->q, &sender->plan, 0));
	return NULL;
}

static void each_cpu_has_a_stream_of_its_own(void **state)
{
	struct sender sender[2];
	pthread_t thread[2];

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		print_message("needs two CPUs\n");
		skip();
	}
	open_line(64, SWAP_NONE);
	receive(1, STEER_COUNT, 0);
	for (uint32_t q = 0; q < 2; q++) {
		sender[q].q = q;
		sender[q].plan = plan_of(5, 0, 30000 + q);
		sender[q].plan.tx_index = q;
		sender[q].plan.tx_queues = 2;
		assert_int_equal(pthread_create(&thread[q], NULL, send_from_cpu, &sender[q]), 0);
	}
	for (uint32_t q = 0; q < 2; q++)
		pthread_join(thread[q], NULL);
	assert_int_equal(matched(B_SLOT, 60001), 60001);
	for (uint32_t q = 0; q < 2; q++) {
		check_sent(&line.worker[q], 30000 + q);
		assert_true(line.maps.slot[B_SLOT + q].worker.matched > 0);
	}
	nothing_is_wrong(B_SLOT);
	close_line();
}

/* --- pages that come back altered --------------------------------------------------------------
 */

/* B turns them round where they lie; A counts, and the same pages are used again. */
static void pages_that_a_reflector_altered_come_out_right(void **state)
{
	struct plan plan;
	struct worker *w;

	open_line(64, SWAP_L4);
	receive(0, STEER_COUNT, STAMP_REPLY);
	receive(1, STEER_REFLECT, 0);
	plan = plan_of(7, 0, 50000);
	w = prepare(0, &plan, 0);
	run(w);
	assert_int_equal(matched(A_SLOT, 50000),
			 50000 + SUM(A_SLOT, worker, matched) - SUM(B_SLOT, worker, submitted));
	assert_int_equal(SUM(B_SLOT, worker, matched) + lost_by_device(), 50000);
	assert_int_equal(SUM(B_SLOT, program, refused_source) +
				 SUM(B_SLOT, program, refused_reply) +
				 SUM(B_SLOT, program, passed) + SUM(B_SLOT, worker, corrupt),
			 0);
	nothing_is_wrong(A_SLOT);
	close_line();
}

/* --- stop --------------------------------------------------------------------------------------
 */

static void *stop_soon(void *arg)
{
	struct stream *s = arg;

	clock_sleep(30000000);
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void a_stop_is_heard_inside_the_call(void **state)
{
	static const double rates[] = {0, 100000, 1};

	open_line(64, SWAP_NONE);
	receive(1, STEER_COUNT, 0);
	for (uint32_t i = 0; i < 3; i++) {
		struct plan plan = plan_of(1, rates[i], UINT64_MAX);
		struct worker *w = prepare(0, &plan, 0);
		uint64_t begin = clock_now();
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, stop_soon, w->stream), 0);
		while (w->sending && clock_now() < begin + DEADLINE_NS) {
			role_stream(w, clock_now());
			if (stream_next_ns(w) > clock_now() + 1000000)
				break; /* the thread sleeps, and does not call again */
		}
		pthread_join(thread, NULL);
		assert_true(clock_now() - begin < DEADLINE_NS);
		assert_true(w->stream->sent >= 1);
		if (i < 2)
			assert_false(w->sending);
	}
	close_line();
}

/* --- rights ------------------------------------------------------------------------------------
 */

/* In forms the product loads it in: all would take minutes. 0, or the first error. */
static int load_all(void)
{
	static const uint8_t slot_of[QUEUES_MAX] = {0, 1, [2 ... QUEUES_MAX - 1] = 0xff};
	static const struct frame frame;

	for (uint32_t i = 0; i < 192; i += 7) {
		struct prog_maps maps;
		struct prog prog;
		struct inside_spec spec = {
			.prog = {.maps = &maps,
				 .first_slot = i & 1,
				 .queues = i & 2 ? 64 : 1,
				 .slot_of = slot_of,
				 .match = vector_match,
				 .atomic = i & 4,
				 .untimed = i & 8},
			.frame = i & 1 ? &frame : NULL,
			.bridge = i & 16,
			.then_pass = i & 32,
			.swap = i / 16 % 4,
			.flows = i & 8 ? 1 : 1 << 20,
			.window_bits = 64,
		};
		int err = prog_maps_open(&maps, spec.prog.first_slot + spec.prog.queues + 2);

		spec.prog.match.mode = i / 64;
		if (!err)
			err = inside_open(&prog, &spec);
		if (err) {
			fprintf(stderr, "form %u can't be loaded\n", i);
			return err;
		}
		prog_close(&prog);
		prog_maps_close(&maps);
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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_frame_is_the_one_that_is_built),
		cmocka_unit_test(frames_share_a_stamp_as_asked),
		cmocka_unit_test(raw_frames_are_the_template),
		cmocka_unit_test(as_many_as_asked_are_sent_and_arrive),
		cmocka_unit_test(a_schedule_sends_rate_times_time),
		cmocka_unit_test(what_is_too_late_is_given_up_and_counted),
		cmocka_unit_test(the_program_waits_a_moment),
		cmocka_unit_test(each_cpu_has_a_stream_of_its_own),
		cmocka_unit_test(pages_that_a_reflector_altered_come_out_right),
		cmocka_unit_test(a_stop_is_heard_inside_the_call),
		cmocka_unit_test(two_capabilities_are_enough_to_load),
	};
	const char *reason = rig_reason();
	cpu_set_t first;

	/* Streams are of a CPU. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (!reason && sched_setaffinity(0, sizeof(first), &first))
		reason = "CPU 0 is not for us";
	for (size_t i = 0; reason && i < sizeof(tests) / sizeof(tests[0]); i++)
		printf("skip - %s: %s\n", tests[i].name, reason);
	return reason ? 0 : cmocka_run_group_tests_name("engine_send", tests, NULL, NULL);
}
