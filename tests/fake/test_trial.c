// SPDX-License-Identifier: MIT
/*
 * Whole trials, from plan to closed ledger, over the fake wire. The threads of the crew are played
 * by this file: whenever the session waits, the workers make their rounds and the clock goes on.
 */
#include "io/clock.h"
#include "rig.h"
#include "run/state.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP_NS	  10000
#define ATTEND_NS 1000000 /* so long a session waits at most before it looks again */
#define MEMORY	  512	  /* frames of each kind per queue */

static struct session *session;
static struct fake_wire wire;
static struct fake_memory memory[2][FAKE_QUEUES_MAX];
static struct config config;
static void (*each_step)(void);

/* --- what stands beside a trial in the program --- */

static void world(uint64_t until)
{
	while (clock_now() < until) {
		int state = session->crew.state;

		for (uint32_t i = 0; i < session->nworkers; i++)
			if ((state == CREW_RUN || state == CREW_DRAIN) && !session->worker[i].error)
				worker_round(&session->worker[i], clock_now(), state == CREW_RUN);
		(void)fake_wire_pump(&wire);
		if (each_step)
			each_step();
		fake_clock_advance(STEP_NS);
	}
}

void session_attend(struct session *s, uint64_t deadline)
{
	uint64_t limit = clock_now() + ATTEND_NS;

	world(deadline < limit ? deadline : limit);
}

int crew_start(struct crew *crew)
{
	crew->state = CREW_WAIT;
	return 0;
}

void crew_set(struct crew *crew, enum crew_state state)
{
	crew->state = state;
}

void crew_join(struct crew *crew)
{
	crew->state = CREW_STOP;
}

uint64_t crew_cpu_ns(const struct crew *crew, uint32_t thread)
{
	return 0;
}

bool kin_found(const struct kin *kin)
{
	return true;
}

int nic_counters(struct nic *nic, struct port_counters *out)
{
	out->netdev = wire.port[nic == &session->ports.port[1].nic].netdev;
	out->carrier = 1;
	return 0;
}

void prog_set_phase(struct prog *prog, enum steer_phase phase)
{
	wire.port[prog == &session->ports.port[1].prog].phase = phase;
}

/* --- a session of two ports --- */

static void open_queue(struct run_port *port, uint32_t side, uint32_t q, uint32_t rx_frames)
{
	struct fake_queue_spec spec = {
		.memory = &memory[side][q],
		.port = &wire.port[side],
		.index = q,
		.parts = 1,
		.rx_frames = rx_frames,
		.tx_frames = MEMORY,
		.rx_ring = MEMORY,
		.tx_ring = MEMORY,
	};
	struct worker *w = &session->worker[session->nworkers++];
	uint32_t slot = port->first_slot + q;

	assert_int_equal(fake_memory_map(spec.memory, rx_frames + MEMORY, 2048), 0);
	assert_int_equal(fake_queue_open(&port->queue[q], &spec), 0);
	wire.port[side].queue[q] = &port->queue[q];
	*w = (struct worker){
		.queue = &port->queue[q],
		.count = &session->ports.maps.slot[slot].worker,
		.latency = &session->ports.maps.hist[slot * HIST_KINDS + HIST_LATENCY],
		.lateness = &session->ports.maps.hist[slot * HIST_KINDS + HIST_LATENESS],
		.port = side,
		.slot = slot,
		.run_seen = &session->run_seen[side],
	};
}

static void open_port(uint32_t side, uint32_t queues, uint32_t rx_frames)
{
	static const uint8_t macs[2][6] = {{2, 0, 0, 0, 0, 0x0a}, {2, 0, 0, 0, 0, 0x0b}};
	struct run_port *port = &session->ports.port[side];
	struct frame_spec spec = {
		.src_ip = side ? FRAME_NET_B : FRAME_NET_A,
		.dst_ip = side ? FRAME_NET_A : FRAME_NET_B,
		.frame_bytes = config.frame_bytes,
	};

	memcpy(spec.src_mac, macs[side], 6);
	memcpy(spec.dst_mac, macs[1 - side], 6);
	*port = (struct run_port){
		.mode = MODE_COPY, .queues = queues, .streams = queues, .rx_frames = rx_frames};
	assert_int_equal(frame_build(&spec, &port->frame), 0);
	port->tx_frames = MEMORY;
	port->first_slot = side * (queues + 1);
	port->nic.speed_nominal = true;
	strcpy(port->nic.text, side ? "b" : "a");
	port->match = (struct match_config){.stamp_offset = {STAMP_OFFSET, STAMP_OFFSET + 4},
					    .net_a = FRAME_NET_A,
					    .net_b = FRAME_NET_B};
	memcpy(port->match.mac, macs[side], 6);
	wire.port[side].match = port->match;
	wire.port[side].queues = queues;
	wire.port[side].slot = &session->ports.maps.slot[port->first_slot];
	for (uint32_t q = 0; q < queues; q++) {
		port->queue_id[q] = q;
		open_queue(port, side, q, rx_frames);
	}
}

static void open_session(uint32_t queues, uint32_t flows, uint32_t rx_frames)
{
	uint32_t nslots = 2 * (queues + 1);

	config = (struct config){
		.command = COMMAND_BENCH,
		.frame_bytes = 64,
		.flows = flows,
		.burst = 64,
		.swap = SWAP_L4,
		.rate = {.unit = RATE_MAX},
	};
	session = calloc(1, sizeof(*session));
	assert_non_null(session);
	session->config = &config;
	session->run = RIG_RUN;
	session->ports.n = 2;
	session->ports.engine = ENGINE_XSK;
	session->ports.maps.nslots = nslots;
	session->ports.maps.slot = calloc(nslots, sizeof(struct counter_slot));
	session->ports.maps.hist = calloc((size_t)nslots * HIST_KINDS, sizeof(struct hist));
	session->now = calloc(1, snapshot_size(nslots));
	session->start = calloc(1, snapshot_size(nslots));
	session->tick = calloc(1, snapshot_size(nslots));
	session->crew.nthreads = 1;
	each_step = NULL;
	fake_clock_set(RIG_START);
	fake_clock_on_sleep(world);
	fake_log_clear();
	fake_wire_init(&wire);
	for (uint32_t side = 0; side < 2; side++)
		open_port(side, queues, rx_frames);
}

static void close_session(void)
{
	for (uint32_t i = 0; i < session->nworkers; i++) {
		struct worker *w = &session->worker[i];

		worker_done(w);
		queue_close(w->queue);
		fake_memory_unmap(&memory[w->port][i % (session->nworkers / 2)]);
	}
	fake_wire_free(&wire);
	free(session->ports.maps.slot);
	free(session->ports.maps.hist);
	free(session->now);
	free(session->start);
	free(session->tick);
	free(session);
	assert_int_equal(fake_complaints(), 0);
}

static const struct phase *phase_named(const char *name)
{
	const struct phase *phase = phases_of(&config);

	while (strcmp(phase->name, name) != 0)
		phase++;
	return phase;
}

/* A trial as the session would run it, with the window that it gives each flow. */
static int run_trial(const char *name, uint64_t frames, uint64_t duration_ns,
		     struct result_trial *trial)
{
	struct trial_spec spec = {
		.phase = phase_named(name),
		.frames = frames,
		.duration_ns = duration_ns,
		.rate = config.rate,
		.silent = true,
	};

	memset(trial, 0, sizeof(*trial));
	return session_trial(session, &spec, trial);
}

/* --- the ledger against the cable's account --- */

static void check_identities(const struct ledger *l)
{
	if (l->wanted != UNKNOWN && l->given_up_late != UNKNOWN)
		assert_int_equal(l->wanted, l->given_up_late + l->given_up_no_room + l->submitted);
	assert_int_equal(l->submitted, l->tx_invalid + l->tx_uncompleted + l->completed);
	assert_int_equal(l->completed, l->dev_tx_dropped + l->wire_lost + l->nic_missed +
					       l->no_socket + l->too_long + l->fill_empty +
					       l->ring_full + l->refused + l->dropped_by_us +
					       l->matched + l->corrupt + l->too_late +
					       l->unexplained);
	assert_int_equal(l->unexplained, 0);
	assert_int_equal(l->receive_unexplained, 0);
	assert_int_equal(l->tx_uncompleted, 0);
	assert_int_equal(l->in_ring, 0);
	assert_int_equal(l->dropped_by_us, 0);
}

static void check_truth(const struct ledger *l, struct fake_link *link)
{
	const struct fake_flow *truth = fake_link_sum(link);

	check_identities(l);
	assert_int_equal(l->submitted, truth->sent);
	assert_int_equal(l->dev_tx_dropped, link->fault[FAULT_DEV_DROP]);
	assert_int_equal(l->wire_lost, link->fault[FAULT_LOSE]);
	assert_int_equal(l->nic_missed, link->fault[FAULT_MISS]);
	assert_int_equal(l->matched, truth->unique);
	assert_int_equal(l->duplicate, truth->duplicate);
	assert_int_equal(l->reordered, truth->reordered);
	assert_int_equal(l->too_late, truth->late);
	assert_int_equal(l->corrupt, truth->corrupt);
	assert_int_equal(l->retagged, link->fault[FAULT_RETAG]);
	assert_int_equal(l->lost, truth->lost);
	assert_int_equal(l->stale + l->foreign, 0);
}

static void check_flows(const struct result_direction *d, const struct fake_link *link)
{
	assert_int_equal(d->flows, config.flows);
	assert_int_equal(d->flows_seen, config.flows);
	assert_int_equal(d->nflow_rows, config.flows);
	for (uint32_t i = 0; i < d->nflow_rows; i++) {
		const struct fake_flow *truth = fake_link_flow(link, d->flow[i].flow);

		assert_int_equal(d->flow[i].matched, truth->unique);
		assert_int_equal(d->flow[i].lost, truth->lost);
		assert_int_equal(d->flow[i].duplicate, truth->duplicate);
		assert_int_equal(d->flow[i].reordered, truth->reordered);
		assert_int_equal(d->flow[i].corrupt, truth->corrupt);
	}
}

static void limit(uint32_t queues, uint32_t flows, uint64_t frames)
{
	struct result_trial trial = {0};
	const struct result_direction *d = &trial.direction[0];
	int64_t sum = 0;

	open_session(queues, flows, MEMORY);
	assert_int_equal(run_trial("a-to-b", frames, 0, &trial), 0);
	assert_int_equal(trial.ndirections, 1);
	assert_int_equal(d->ledger.submitted, frames);
	assert_int_equal(d->ledger.matched, frames);
	check_truth(&d->ledger, &wire.link[0]);
	for (uint32_t i = 0; i < d->nflow_rows && flows <= FLOW_ROWS_MAX; i++)
		sum += d->flow[i].matched;
	assert_int_equal(sum, flows <= FLOW_ROWS_MAX ? frames : 0);
	assert_false(trial.drain_timed_out);
	assert_int_equal(trial.frames_held, 0);
	session_trial_free(&trial);
	close_session();
}

static void a_limit_is_exact_over_queues_and_flows(void **state)
{
	static const uint32_t flows[] = {1, 2, 3, 8, 1000};
	static const uint64_t frames[] = {1, 7, 64, 1000, 10007};

	for (uint32_t queues = 1; queues <= 4; queues++)
		for (uint32_t f = 0; f < ARRAY_LEN(flows); f++)
			for (uint32_t n = 0; n < ARRAY_LEN(frames); n++)
				limit(queues, flows[f], frames[n]);
}

static const struct fake_rule rules[] = {
	{.fault = FAULT_LOSE, .one_in = 300},
	{.fault = FAULT_DEV_DROP, .one_in = 900},
	{.fault = FAULT_MISS, .one_in = 700},
	{.fault = FAULT_DUPLICATE, .one_in = 200},
	{.fault = FAULT_DELAY, .one_in = 250, .arg = 1},
	{.fault = FAULT_DELAY, .one_in = 400, .arg = 90},
	{.fault = FAULT_CORRUPT, .one_in = 350, .arg = STAMP_OFFSET + 11, .mask = 0x40},
	{.fault = FAULT_RETAG, .one_in = 333},
};

static void spoil(struct fake_link *link, uint64_t seed)
{
	link->random = seed;
	for (uint32_t i = 0; i < ARRAY_LEN(rules); i++)
		fake_link_rule(link, &rules[i]);
}

static void every_fault_has_its_row_and_none_is_unexplained(void **state)
{
	struct result_trial trial;

	for (uint32_t queues = 1; queues <= 2; queues++) {
		open_session(queues, 24, MEMORY);
		spoil(&wire.link[0], 11 * queues);
		spoil(&wire.link[1], 7);
		assert_int_equal(run_trial("both", 50000, 0, &trial), 0);
		assert_int_equal(trial.ndirections, 2);
		for (int i = 0; i < 2; i++) {
			check_truth(&trial.direction[i].ledger, &wire.link[i]);
			check_flows(&trial.direction[i], &wire.link[i]);
			assert_true(trial.direction[i].ledger.wire_lost > 100);
		}
		session_trial_free(&trial);
		close_session();
	}
}

static void too_few_buffers_explain_all_that_is_lost(void **state)
{
	struct result_trial trial = {0};
	const struct ledger *l = &trial.direction[0].ledger;

	open_session(2, 4, 16); /* of bursts of 64 */
	assert_int_equal(run_trial("a-to-b", 5000, 0, &trial), 0);
	check_identities(l);
	assert_true(l->fill_empty > 1000);
	assert_int_equal(l->matched + l->fill_empty, 5000);
	assert_int_equal(l->lost, l->fill_empty);
	session_trial_free(&trial);
	close_session();
}

static void a_queue_without_a_socket_explains_its_frames(void **state)
{
	struct result_trial trial = {0};
	const struct ledger *l = &trial.direction[0].ledger;

	open_session(2, 4, MEMORY);
	wire.port[1].queue[1] = NULL;
	assert_int_equal(run_trial("a-to-b", 5000, 0, &trial), 0);
	check_identities(l);
	assert_int_equal(l->no_socket, 2500);
	assert_int_equal(l->matched, 2500);
	session_trial_free(&trial);
	close_session();
}

/* The port has a third queue, which the run does not drive: its frames are in the rest slot. */
static void frames_on_a_queue_that_is_not_driven_are_explained_too(void **state)
{
	struct result_trial trial = {0};
	const struct ledger *l = &trial.direction[0].ledger;

	open_session(2, 3, MEMORY);
	wire.port[1].queues = 3;
	wire.port[1].spread = true;
	assert_int_equal(run_trial("a-to-b", 3000, 0, &trial), 0);
	check_identities(l);
	assert_int_equal(l->no_socket, fake_link_flow(&wire.link[0], 2)->sent);
	assert_int_equal(l->matched, 3000 - l->no_socket);
	assert_true(l->no_socket > 0);
	session_trial_free(&trial);
	close_session();
}

static void both_legs_of_a_reflected_phase_are_closed(void **state)
{
	struct result_trial trial = {0};
	const struct ledger *out = &trial.direction[0].ledger, *back = &trial.direction[1].ledger;

	open_session(2, 10, MEMORY);
	fake_link_rule(&wire.link[0], &rules[0]);
	fake_link_rule(&wire.link[0], &rules[6]);
	spoil(&wire.link[1], 5);
	wire.link[0].latency_ns = 3000;
	wire.link[1].latency_ns = 9000;
	assert_int_equal(run_trial("reflected", 30000, 0, &trial), 0);
	check_identities(out);
	assert_int_equal(out->matched, 30000 - wire.link[0].fault[FAULT_LOSE] -
					       wire.link[0].fault[FAULT_CORRUPT]);
	assert_int_equal(out->corrupt, wire.link[0].fault[FAULT_CORRUPT]);
	check_identities(back);
	assert_int_equal(back->submitted, out->matched);
	assert_int_equal(back->wire_lost, wire.link[1].fault[FAULT_LOSE]);
	assert_int_equal(back->matched, back->submitted - fake_link_sum(&wire.link[1])->lost -
						back->corrupt - back->too_late);
	assert_int_equal(trial.direction[1].latency.samples, back->matched);
	assert_true(trial.direction[1].latency.min >= 9000);
	session_trial_free(&trial);
	close_session();
}

/* --- time, and its end --- */

static void a_known_time_at_a_known_rate_is_a_known_number(void **state)
{
	struct result_trial trial = {0};
	const struct ledger *l = &trial.direction[0].ledger;

	for (uint32_t queues = 1; queues <= 3; queues++) {
		open_session(queues, 3, MEMORY);
		config.rate = (struct rate_spec){.value = 300000, .unit = RATE_PPS};
		assert_int_equal(run_trial("a-to-b", 0, 20000000, &trial), 0);
		check_truth(l, &wire.link[0]);
		assert_int_equal(l->wanted, 6000);
		assert_int_equal(l->submitted, 6000);
		assert_int_equal(l->given_up_late + l->given_up_no_room, 0);
		assert_int_equal(trial.direction[0].lateness.samples > 0, 1);
		session_trial_free(&trial);
		close_session();
	}
}

static void jump_once(void)
{
	static const uint64_t at = RIG_START + 5000000;

	if (clock_now() >= at && clock_now() < at + STEP_NS)
		fake_clock_advance(100000000);
}

static void a_jump_of_the_clock_is_given_up_late_and_adds_up(void **state)
{
	struct result_trial trial = {0};
	const struct ledger *l = &trial.direction[0].ledger;

	open_session(1, 1, MEMORY);
	config.rate = (struct rate_spec){.value = 1e6, .unit = RATE_PPS};
	each_step = jump_once;
	assert_int_equal(run_trial("a-to-b", 0, 200000000, &trial), 0);
	check_truth(l, &wire.link[0]);
	assert_int_equal(l->wanted, 200000);
	assert_in_range(l->given_up_late, 89900, 90100); /* 100 ms, of which 10 are caught up */
	assert_int_equal(l->given_up_no_room, 0);
	session_trial_free(&trial);
	close_session();
}

static void hold_after(void)
{
	for (uint32_t q = 0; q < 2; q++)
		wire.port[0].queue[q]->io->hold_completions = clock_now() > RIG_START + 3000000;
}

static void no_room_at_the_end_still_adds_up(void **state)
{
	struct result_trial trial = {0};
	const struct ledger *l = &trial.direction[0].ledger;

	open_session(2, 2, MEMORY);
	config.rate = (struct rate_spec){.value = 1e6, .unit = RATE_PPS};
	each_step = hold_after;
	assert_int_equal(run_trial("a-to-b", 0, 100000000, &trial), 0);
	assert_int_equal(l->wanted, 100000);
	assert_int_equal(l->wanted, l->given_up_late + l->given_up_no_room + l->submitted);
	assert_true(l->given_up_late >= 0);
	assert_true(l->given_up_no_room > 50000);
	/* Out, or on the ring, but never completed: named, not hidden. */
	assert_true(trial.drain_timed_out);
	assert_int_equal(l->tx_uncompleted, l->submitted - l->completed);
	assert_true(l->tx_uncompleted >= MEMORY);
	assert_true(trial.frames_held > 0);
	session_trial_free(&trial);
	close_session();
}

static void stop_later(void)
{
	if (clock_now() > RIG_START + 4000000)
		session->stop = 1;
}

static void a_stop_in_mid_burst_closes_every_row(void **state)
{
	struct result_trial trial;

	open_session(2, 7, MEMORY);
	spoil(&wire.link[0], 3);
	each_step = stop_later;
	assert_int_equal(run_trial("both", 0, 1000000000, &trial), 0);
	assert_true(trial.stopped_early);
	assert_false(trial.drain_timed_out);
	assert_int_equal(trial.frames_held, 0);
	check_truth(&trial.direction[0].ledger, &wire.link[0]);
	check_truth(&trial.direction[1].ledger, &wire.link[1]);
	assert_true(trial.direction[0].ledger.submitted > 10000);
	session_trial_free(&trial);
	close_session();
}

static void a_socket_that_is_gone_ends_the_trial_with_words(void **state)
{
	struct result_trial trial;

	open_session(2, 7, MEMORY);
	wire.port[0].queue[1]->io->kick_error = -ENXIO;
	wire.port[0].queue[1]->io->kick_errors = UINT32_MAX;
	assert_int_equal(run_trial("a-to-b", 0, 1000000000, &trial), -ENXIO);
	assert_non_null(strstr(fake_log_text(), "a queue 1 can't send any more"));
	session_trial_free(&trial);
	close_session();
}

/* Its worker only receives, so nothing else would tell. What was done is in the report. */
static void a_port_that_is_gone_ends_the_trial_with_words(void **state)
{
	struct result_trial trial = {0};

	open_session(2, 7, MEMORY);
	wire.port[1].queue[1]->io->error = -ENETDOWN;
	assert_int_equal(run_trial("a-to-b", 0, 1000000000, &trial), -ENODEV);
	assert_non_null(strstr(fake_log_text(), "b went away while it was used"));
	assert_int_equal(trial.ndirections, 1);
	check_identities(&trial.direction[0].ledger);
	session_trial_free(&trial);
	close_session();
}

static void a_second_trial_begins_at_nought(void **state)
{
	struct result_trial trial = {0};

	open_session(2, 5, MEMORY);
	for (uint64_t i = 1; i <= 3; i++) {
		const struct ledger *l = &trial.direction[0].ledger;

		config.rate = (struct rate_spec){.value = 1e6, .unit = RATE_PPS};
		assert_int_equal(run_trial("a-to-b", 1000 * i, 0, &trial), 0);
		check_identities(l);
		assert_int_equal(l->wanted, 1000 * i);
		assert_int_equal(l->matched, 1000 * i);
		assert_int_equal(l->duplicate + l->stale + l->lost, 0);
		assert_int_equal(trial.run, RIG_RUN + i - 1);
		session_trial_free(&trial);
	}
	close_session();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_is_exact_over_queues_and_flows),
		cmocka_unit_test(every_fault_has_its_row_and_none_is_unexplained),
		cmocka_unit_test(too_few_buffers_explain_all_that_is_lost),
		cmocka_unit_test(a_queue_without_a_socket_explains_its_frames),
		cmocka_unit_test(frames_on_a_queue_that_is_not_driven_are_explained_too),
		cmocka_unit_test(both_legs_of_a_reflected_phase_are_closed),
		cmocka_unit_test(a_known_time_at_a_known_rate_is_a_known_number),
		cmocka_unit_test(a_jump_of_the_clock_is_given_up_late_and_adds_up),
		cmocka_unit_test(no_room_at_the_end_still_adds_up),
		cmocka_unit_test(a_stop_in_mid_burst_closes_every_row),
		cmocka_unit_test(a_socket_that_is_gone_ends_the_trial_with_words),
		cmocka_unit_test(a_port_that_is_gone_ends_the_trial_with_words),
		cmocka_unit_test(a_second_trial_begins_at_nought),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
