/* SPDX-License-Identifier: MIT */
/*
 * The result of a run: everything a report is made of. Arrays are allocated by whoever runs the
 * session and freed with it; reports only read. Unknown numbers are UNKNOWN (integers) or NAN
 * (rates), and become null in JSON.
 */
#ifndef CORE_RESULT_H
#define CORE_RESULT_H

#include "core/ledger.h"

struct result_host {
	char name[64];
	char kernel[144];
	char cpu[96];
	uint32_t cpus; /* that this process may use */
};

struct result_port {
	char name[64];
	char driver[32], driver_version[32], firmware[32], bus[32];
	uint8_t mac[6];
	uint32_t mtu;
	uint64_t speed_bps; /* 0: unknown */
	bool speed_nominal;
	enum engine engine;
	enum mode asked, mode;
	char why[96]; /* why a better mode was not obtained; "" when the first was */
	uint32_t rx_queues, tx_queues; /* the port has */
	uint32_t queues;	       /* driven */
	uint32_t queue_id[QUEUES_MAX];
	uint32_t nic_rx_ring, nic_tx_ring;		       /* 0: unknown */
	uint32_t rx_ring, tx_ring, fill_ring, completion_ring; /* socket's entries; 0: none */
	uint32_t umem_frames, umem_chunk;		       /* per queue */
	uint32_t tx_budget; /* XDP_MAX_TX_SKB_BUDGET obtained; 0: kernel's default */
	uint32_t program_id;
};

enum latency_source { LATENCY_NONE, LATENCY_XDP, LATENCY_USER, LATENCY_MIXED };

/* Frames of one direction in time. */
struct result_rates {
	double tx_pps, rx_pps; /* submitted and matched, over the sending time */
	double tx_l1_bps, tx_l2_bps, rx_l1_bps, rx_l2_bps;
	double line_percent; /* rx_l1_bps of the link's speed; NAN: speed unknown */
};

struct result_latency {
	enum latency_source source; /* where the receive time was taken */
	char why[64];		    /* why there is none: "no common clock" */
	int64_t samples;
	int64_t min, median, p90, p99, p999, max; /* ns; UNKNOWN: too few samples */
	double mean;
	int64_t negative;
	int64_t over;	       /* above 10 s */
	int64_t resolution_ns; /* longest burst span: a stamp may be this early */
};

/* One flow of a direction. */
struct result_flow {
	uint32_t flow;
	bool moved; /* seen on more than one queue: duplicate, reordered, too_late unknown */
	int64_t matched, lost, duplicate, reordered, too_late, corrupt;
};

#define FLOW_ROWS_MAX 64

struct result_direction {
	char from[64], to[64]; /* port names; "" for an end that is not ours */
	char leg[16];	       /* "", or "out", "back", "leg 1", "leg 2" */
	struct ledger ledger;
	struct result_rates rates;
	struct result_latency latency;	/* send stamp to receive stamp */
	struct result_latency lateness; /* actual send time behind the schedule; no source */
	int64_t flows, flows_seen, flows_with_loss;
	uint32_t nflow_rows; /* all flows when they are few, else the worst */
	struct result_flow flow[FLOW_ROWS_MAX];
	const struct hist *hist; /* latency; NULL: none */
};

struct result_queue {
	uint32_t port; /* index into ports */
	uint32_t queue_id;
	struct queue_counters count; /* difference over the trial */
};

struct result_thread {
	uint32_t thread, cpu;
	uint64_t cpu_ns;
	uint64_t frames; /* submitted and received by its queues */
};

#define DIRECTIONS_MAX 4
#define THREADS_MAX    (PORTS_MAX * QUEUES_MAX)

struct result_trial {
	char name[32]; /* "a-to-b", "both", "reflected", ... */
	uint32_t frame_bytes;
	uint32_t run;
	uint32_t flows;
	double wanted_pps;    /* per direction; NAN: max, or nothing sent */
	uint64_t duration_ns; /* sending, as measured */
	uint64_t drain_ns;
	bool drain_timed_out;
	bool stopped_early;  /* Ctrl-C */
	int64_t frames_held; /* conservation: UMEM frames not accounted for at the end; 0 is right
			      */
	uint32_t ndirections;
	struct result_direction direction[DIRECTIONS_MAX];
	uint32_t nqueues;
	struct result_queue *queue;
	uint32_t nthreads;
	struct result_thread *thread;
};

struct result_verdict {
	int status;	/* exit status: 0, 1 or 3 */
	char text[320]; /* one sentence; two port names of 63 fit */
};

struct result {
	char command[16];
	char version[32];
	char command_line[512];
	char started[40]; /* ISO 8601 with zone */
	struct result_host host;
	uint32_t nports;
	struct result_port port[PORTS_MAX];
	uint32_t ntrials;
	struct result_trial *trial;
	struct result_verdict verdict;
};

#endif
