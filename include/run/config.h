/* SPDX-License-Identifier: MIT */
/* What a run shall do: made from the command line, constant while the run lives. */
#ifndef RUN_CONFIG_H
#define RUN_CONFIG_H

#include "abi/swap.h"
#include "core/units.h"
#include "core/verdict.h"
#include <sched.h>

enum command { COMMAND_SEND, COMMAND_REFLECT, COMMAND_COUNT, COMMAND_BENCH };

#define DURATION_UNTIL_STOPPED 0
#define BURST_MAX	       256

/* Directions that bench runs, as a set. */
enum bench_phase { BENCH_A_TO_B = 1, BENCH_B_TO_A = 2, BENCH_BOTH = 4, BENCH_REFLECTED = 8 };

struct config {
	enum command command;
	char command_line[512];
	const char *port[2]; /* "[NETNS:]NAME" */
	int nports;
	int port_netns[2]; /* lab: open descriptors; else NETNS_OWN and the word decides */
	enum engine engine;
	enum mode mode;
	uint32_t queues;    /* sockets on queues 0..n-1; 0: all */
	uint64_t queue_ids; /* bit set; 0: not given */
	uint32_t frame_bytes;
	uint32_t flows; /* of a generator; count: that may come */
	bool have_flows;
	struct rate_spec rate;
	uint32_t burst;
	uint32_t stamp_every; /* kernel engine: frames that share a clock reading; 0: one */
	uint64_t duration_ns; /* per trial; DURATION_UNTIL_STOPPED: no limit */
	uint64_t frames;      /* 0: no limit */
	uint32_t repeat;
	uint32_t phases; /* bench: set of enum bench_phase */
	uint64_t interval_ns;
	uint8_t dst_mac[6];
	bool have_dst_mac;
	enum swap swap;
	enum match_mode match;
	struct port_range match_udp[MATCH_UDP_RANGES];
	bool verify_full;
	bool no_receive_time; /* latency is not measured */
	bool then_pass;	      /* count: frames go on to the kernel */
	uint64_t expect;      /* count: frames expected; 0: not known */
	bool expect_return;
	cpu_set_t cpus; /* empty: all allowed */
	bool have_cpus;
	bool spin, force, latency_mode;
	uint32_t rx_ring, tx_ring; /* 0: default; entries of the socket's rings */
	struct limit limit[LIMITS_MAX];
	int nlimits;
};

#endif
