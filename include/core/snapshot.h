/* SPDX-License-Identifier: MIT */
/*
 * All counters of a run at one instant. The monitor, interval lines and the ledger are made of
 * differences of these and of nothing else. Flat and of fixed layout: the live stream sends it as
 * it is (same host, same build: the layout number is checked).
 */
#ifndef CORE_SNAPSHOT_H
#define CORE_SNAPSHOT_H

#include "abi/counters.h"
#include "abi/hist.h"
#include "core/model.h"
#include <stddef.h>

/* From the kernel's socket: getsockopt XDP_STATISTICS (net/xdp/xsk.c), named by what they mean. */
#define SOCKET_COUNTERS(X)                                                                  \
	X(too_long, "longer than the receive buffer")                                       \
	X(fill_empty, "no buffer in the fill ring (zero-copy: failed refills, not frames)") \
	X(ring_full, "no room in the RX ring (zero-copy on some drivers: retries)")         \
	X(tx_invalid, "TX descriptors the kernel refused")                                  \
	X(tx_ring_empty, "times the kernel found the TX ring empty")

/* From the network device: IFLA_STATS64 (include/uapi/linux/if_link.h). */
#define NETDEV_COUNTERS(X)                                                   \
	X(rx_packets, "received by the port")                                \
	X(tx_packets, "sent by the port")                                    \
	X(rx_bytes, "bytes received by the port, as its driver counts them") \
	X(tx_bytes, "bytes sent by the port, as its driver counts them")     \
	X(rx_dropped, "dropped by the port on receive")                      \
	X(tx_dropped, "dropped by the port on transmit")                     \
	X(rx_missed, "no descriptor in the card: rx_missed_errors")          \
	X(rx_errors, "receive errors")                                       \
	X(tx_errors, "transmit errors")

struct socket_counters {
	SOCKET_COUNTERS(ABI_FIELD)
};

struct netdev_counters {
	NETDEV_COUNTERS(ABI_FIELD)
};

/* Not counters: what is so at this instant. Ring entries are those waiting to be taken. */
struct queue_gauges {
	uint64_t cpu_ns;	/* CPU time of the thread that serves the queue */
	uint64_t burst_span_ns; /* longest time a burst took from its stamp to the ring, so far */
	uint32_t rx_ring, rx_ring_size;
	uint32_t fill_ring, fill_ring_size;
	uint32_t tx_ring, tx_ring_size;
	uint32_t cpu;	 /* where the thread last ran */
	uint32_t thread; /* index of the thread; queues of one thread share its CPU time */
};

struct queue_counters {
	struct worker_counters worker;
	struct program_counters program;
	struct socket_counters socket;
	struct queue_gauges gauge;
};

struct port_counters {
	struct netdev_counters netdev;
	uint32_t carrier; /* 1: link up */
	uint32_t pad;
};

struct snapshot {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t trial;	  /* index of the running trial */
	uint32_t final;	  /* 1: the last of the run */
	struct port_counters port[PORTS_MAX];
	struct hist latency[PORTS_MAX]; /* of the frames received on the port, merged over queues */
	uint32_t nslots;
	uint32_t pad[15];
	struct queue_counters queue[]; /* by slot */
};

#define SNAPSHOT_LAYOUT 1 /* raise with every change of this file, counters.h or hist.h */

static inline size_t snapshot_size(uint32_t nslots)
{
	return sizeof(struct snapshot) + nslots * sizeof(struct queue_counters);
}

/* What does not change while a run lives: what a reader needs to make sense of snapshots. */
struct facts_port {
	char name[64]; /* as the user wrote it */
	char driver[32];
	enum engine engine;
	enum mode mode;	    /* obtained */
	uint64_t speed_bps; /* 0: unknown */
	bool speed_nominal; /* veth and the like: a number without meaning */
	uint32_t queues;    /* driven */
	uint32_t first_slot;
	uint32_t queue_id[QUEUES_MAX];
};

struct facts {
	char command[16];
	char title[80]; /* "bench lab-a lab-b, 64-byte frames, 1 flow" */
	int64_t pid;
	uint32_t frame_bytes; /* 0: not known (count, reflect) */
	uint32_t run;	      /* id of the first trial */
	uint64_t start_ns;    /* CLOCK_MONOTONIC when counting began; 0: not known */
	uint32_t nports;
	uint32_t nslots;
	struct facts_port port[PORTS_MAX];
};

#endif
