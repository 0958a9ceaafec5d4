/* SPDX-License-Identifier: MIT */
/* Fixed results for tests of reports. */
#include "fixture_result.h"
#include "fixture_snapshot.h"
#include <math.h>

#define ROW_UNKNOWN(name, source, text) .name = UNKNOWN,

#define NO_TIMES                                                                            \
	.min = UNKNOWN, .median = UNKNOWN, .p90 = UNKNOWN, .p99 = UNKNOWN, .p999 = UNKNOWN, \
	.max = UNKNOWN, .mean = NAN, .resolution_ns = UNKNOWN

static struct hist a_to_b_hist;

static const struct result_direction a_to_b = {
	.from = "lab-a",
	.to = "lab-b",
	.ledger = {.wanted = 1224600,
		   .given_up_late = UNKNOWN,
		   .given_up_no_room = UNKNOWN,
		   .submitted = 1224600,
		   .completed = 1224600,
		   .fill_empty = 17,
		   .ring_full = 120,
		   .matched = 1224458,
		   .corrupt = 3,
		   .too_late = 2,
		   .lost = 137,
		   .reordered = 5,
		   .foreign = 12,
		   .xdp_seen = 1224612,
		   .passed = 12,
		   .received = 1224463},
	.rates = {.tx_pps = 612262.25,
		  .rx_pps = 612191.25,
		  .tx_l1_bps = 411440232,
		  .tx_l2_bps = 313478272,
		  .rx_l1_bps = 411392520,
		  .rx_l2_bps = 313441920,
		  .line_percent = 4.1139252},
	.latency = {.source = LATENCY_XDP,
		    .samples = 1224458,
		    .min = 5000,
		    .median = 35712,
		    .p90 = 67072,
		    .p99 = 114944,
		    .p999 = 171008,
		    .max = 248270,
		    .mean = 40521.5,
		    .negative = 4,
		    .over = 0,
		    .resolution_ns = 21500},
	.lateness = {NO_TIMES},
	.flows = 8,
	.flows_seen = 8,
	.flows_with_loss = 1,
	.nflow_rows = 3,
	.flow = {{.flow = 0, .matched = 153075},
		 {.flow = 3, .matched = 152938, .lost = 137, .corrupt = 3, .too_late = 2},
		 {.flow = 5, .matched = 153075, .reordered = 5}},
	.hist = &a_to_b_hist,
};

static const struct result_direction leg_1 = {
	.from = "lab-a",
	.to = "lab-b",
	.leg = "leg 1",
	.ledger = {.wanted = 100000,
		   .given_up_late = 40,
		   .given_up_no_room = 10,
		   .submitted = 99950,
		   .tx_uncompleted = 1,
		   .completed = 99949,
		   .dev_tx_dropped = UNKNOWN,
		   .wire_lost = UNKNOWN,
		   .nic_missed = UNKNOWN,
		   .fill_empty = UNKNOWN,
		   .ring_full = UNKNOWN,
		   .refused = 4,
		   .matched = 99900,
		   .too_late = UNKNOWN,
		   .unexplained = 45,
		   .lost = 50,
		   .duplicate = UNKNOWN,
		   .reordered = UNKNOWN,
		   .stale = 9,
		   .flow_moved = 1,
		   .joined_late = 1,
		   .retagged = 2,
		   .xdp_seen = 99920,
		   .passed = 4,
		   .received = 99910,
		   .in_ring = 1,
		   .receive_unexplained = 5},
	.rates = {.tx_pps = 49975,
		  .rx_pps = 49950,
		  .tx_l1_bps = 615692000,
		  .tx_l2_bps = 607696000,
		  .rx_l1_bps = 615384000,
		  .rx_l2_bps = 607392000,
		  .line_percent = 6.15384},
	.latency = {.source = LATENCY_NONE, .why = "measured on the way back", NO_TIMES},
	.lateness = {.samples = 99950,
		     .min = 12,
		     .median = 940,
		     .p90 = 4064,
		     .p99 = 11072,
		     .p999 = 60672,
		     .max = 9870000,
		     .mean = 1510.25,
		     .negative = 0,
		     .over = 0,
		     .resolution_ns = 12},
	.flows = 8,
	.flows_seen = 8,
	.flows_with_loss = 2,
	.nflow_rows = 2,
	.flow = {{.flow = 1,
		  .moved = true,
		  .matched = 12450,
		  .lost = 44,
		  .duplicate = UNKNOWN,
		  .reordered = UNKNOWN,
		  .too_late = UNKNOWN},
		 {.flow = 2, .matched = 12488, .lost = 6}},
};

static const struct result_direction leg_2 = {
	.from = "lab-b",
	.to = "lab-a",
	.leg = "leg 2",
	.ledger = {.wanted = 99900,
		   .given_up_late = UNKNOWN,
		   .given_up_no_room = UNKNOWN,
		   .submitted = 99900,
		   .completed = 99900,
		   .wire_lost = 12,
		   .matched = 99890,
		   .unexplained = -2,
		   .lost = 10,
		   .duplicate = 2,
		   .xdp_seen = 99892,
		   .received = 99892},
	.rates = {.tx_pps = 49950,
		  .rx_pps = 49945,
		  .tx_l1_bps = 615384000,
		  .tx_l2_bps = 607392000,
		  .rx_l1_bps = 615322400,
		  .rx_l2_bps = 607331200,
		  .line_percent = 6.153224},
	.latency = {.source = LATENCY_MIXED,
		    .samples = 420,
		    .min = 15230,
		    .median = 46208,
		    .p90 = 83712,
		    .p99 = UNKNOWN,
		    .p999 = UNKNOWN,
		    .max = 10400000000,
		    .mean = 24812300,
		    .negative = 0,
		    .over = 1,
		    .resolution_ns = 18000},
	.lateness = {NO_TIMES},
	.flows = 8,
	.flows_seen = 8,
	.flows_with_loss = 1,
	.nflow_rows = 1,
	.flow = {{.flow = 7, .matched = 12480, .lost = 10, .duplicate = 2}},
};

#define LAB_PORT(text, last)                                                                      \
	{                                                                                         \
		.name = text, .driver = "veth", .driver_version = "1.0",                          \
		.mac = {0x02, 0, 0, 0, 0, last}, .mtu = 1500, .speed_bps = 10000000000ull,        \
		.speed_nominal = true, .asked = MODE_AUTO, .engine = ENGINE_XSK,                  \
		.mode = MODE_COPY, .why = "zero-copy: not supported by the driver",               \
		.rx_queues = 2, .tx_queues = 2, .queues = 2, .queue_id = {0, 1}, .rx_ring = 2048, \
		.tx_ring = 2048, .fill_ring = 2048, .completion_ring = 2048, .umem_frames = 4096, \
		.umem_chunk = 2048, .tx_budget = 32, .program_id = 110 + last                     \
	}

#define HOST                                                        \
	{                                                           \
		.name = "bench1", .kernel = "Linux 6.1.0-18-amd64", \
		.cpu = "Example CPU E-2300 @ 3.00GHz", .cpus = 4    \
	}

static void fill_queues(struct result_queue queue[4], uint64_t a_tx, uint64_t a_rx, uint64_t b_rx,
			uint64_t b_tx)
{
	for (uint32_t i = 0; i < 4; i++) {
		bool b = i > 1;

		queue[i].port = b;
		queue[i].queue_id = i & 1;
		fixture_queue(&queue[i].count, i, (b ? b_tx : a_tx) / 2, (b ? b_rx : a_rx) / 2,
			      i == 2 ? 120 : 0);
	}
}

static void fill_threads(struct result_thread thread[4], const struct result_queue queue[4])
{
	for (uint32_t i = 0; i < 4; i++) {
		const struct queue_counters *q = &queue[i].count;

		thread[i].thread = i;
		thread[i].cpu = i;
		thread[i].cpu_ns = q->gauge.cpu_ns + 1000000;
		thread[i].frames = q->worker.submitted + q->worker.received;
	}
}

const struct result *fixture_result(void)
{
	static struct result_queue queue[2][4];
	static struct result_thread thread[2][4];
	static struct result_trial trial[2] = {
		{.name = "a-to-b",
		 .frame_bytes = 64,
		 .run = 0x1f00,
		 .flows = 8,
		 .wanted_pps = NAN,
		 .duration_ns = 2000123456,
		 .drain_ns = 50250000,
		 .ndirections = 1,
		 .nqueues = 4,
		 .queue = queue[0],
		 .nthreads = 4,
		 .thread = thread[0]},
		{.name = "reflected",
		 .frame_bytes = 1518,
		 .run = 0x1f01,
		 .flows = 8,
		 .wanted_pps = 50000,
		 .duration_ns = 2000000000,
		 .drain_ns = 2000000000,
		 .drain_timed_out = true,
		 .stopped_early = true,
		 .frames_held = 3,
		 .ndirections = 2,
		 .nqueues = 4,
		 .queue = queue[1],
		 .nthreads = 4,
		 .thread = thread[1]},
	};
	static struct result result = {
		.command = "bench",
		.version = "v0.1",
		.command_line = "xdploop bench lab-a lab-b --queues 2 --flows 8 --duration 2s",
		.started = "2026-01-02T03:04:05+01:00",
		.host = HOST,
		.nports = 2,
		.port = {LAB_PORT("lab-a", 1), LAB_PORT("lab-b", 2)},
		.ntrials = 2,
		.trial = trial,
		.verdict = {3, "5 frames unexplained in the receive check of leg 1 "
			       "(reflected, lab-a to lab-b)"},
	};

	fixture_hist(&a_to_b_hist, 1224458);
	fill_queues(queue[0], 1224600, 0, 1224463, 0);
	fill_queues(queue[1], 99950, 99892, 99910, 99900);
	fill_threads(thread[0], queue[0]);
	fill_threads(thread[1], queue[1]);
	trial[0].direction[0] = a_to_b;
	trial[1].direction[0] = leg_1;
	trial[1].direction[1] = leg_2;
	return &result;
}

static const struct result_direction send_out = {
	.from = "enp65s0f0np0",
	.leg = "out",
	.ledger = {LEDGER_ROWS(ROW_UNKNOWN)},
	.rates = {.tx_pps = 1000,
		  .rx_pps = NAN,
		  .tx_l1_bps = 672000,
		  .tx_l2_bps = 512000,
		  .rx_l1_bps = NAN,
		  .rx_l2_bps = NAN,
		  .line_percent = NAN},
	.latency = {.why = "nothing is received there", NO_TIMES},
	.lateness = {NO_TIMES},
	.flows = 1,
	.flows_seen = UNKNOWN,
	.flows_with_loss = UNKNOWN,
};

const struct result *fixture_result_send(void)
{
	static struct result_queue queue[1];
	static struct result_thread thread[1];
	static struct result_trial trial[1] = {
		{.name = "send",
		 .frame_bytes = 64,
		 .run = 7,
		 .flows = 1,
		 .wanted_pps = 1000,
		 .duration_ns = 10000000000ull,
		 .drain_ns = 50000000,
		 .ndirections = 1,
		 .nqueues = 1,
		 .queue = queue,
		 .nthreads = 1,
		 .thread = thread},
	};
	static struct result result = {
		.command = "send",
		.version = "v0.1",
		.command_line = "xdploop send enp65s0f0np0 --dst-mac 02:00:00:00:00:02",
		.started = "2026-01-02T03:04:05+01:00",
		.host = HOST,
		.nports = 1,
		.port = {{.name = "enp65s0f0np0",
			  .driver = "ice",
			  .driver_version = "6.1.0",
			  .firmware = "4.40 0x8001ba1e",
			  .bus = "0000:41:00.0",
			  .mac = {0x02, 0, 0, 0, 0, 1},
			  .mtu = 9000,
			  .asked = MODE_ZERO_COPY,
			  .engine = ENGINE_XSK,
			  .mode = MODE_ZERO_COPY,
			  .rx_queues = 8,
			  .tx_queues = 8,
			  .queues = 1,
			  .nic_rx_ring = 2048,
			  .nic_tx_ring = 256,
			  .rx_ring = 4096,
			  .tx_ring = 2048,
			  .fill_ring = 4096,
			  .completion_ring = 2048,
			  .umem_frames = 6144,
			  .umem_chunk = 2048,
			  .program_id = 77}},
		.ntrials = 1,
		.trial = trial,
		.verdict = {0, "10,000 frames sent; what became of them is not known here"},
	};
	struct ledger *l = &trial[0].direction[0].ledger;

	fixture_queue(&queue[0].count, 0, 10000, 0, 0);
	thread[0] = (struct result_thread){.cpu = 2, .cpu_ns = 41000000, .frames = 10000};
	trial[0].direction[0] = send_out;
	l->wanted = l->submitted = l->completed = 10000;
	l->given_up_late = l->given_up_no_room = l->tx_invalid = l->tx_uncompleted = 0;
	l->dev_tx_dropped = 0;
	return &result;
}
