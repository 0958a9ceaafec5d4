/* SPDX-License-Identifier: MIT */
/*
 * What the views show, computed from snapshots: sums over the queues of a port, rates, shares.
 * Facts and snapshots may come from another process and may disagree for a moment: no port, queue
 * or slot outside the arrays is ever touched.
 */
#ifndef TUI_FIGURES_H
#define TUI_FIGURES_H

#include "core/snapshot.h"

#define L1_EXTRA (FCS_LEN + WIRE_OVERHEAD) /* L1 bytes of a frame that its buffer does not hold */

/* Ports and queues that both facts and snapshot have. */
uint32_t figures_ports(const struct facts *facts);
uint32_t figures_queues(const struct facts *facts, const struct snapshot *snap, uint32_t port);

/* Seconds between two snapshots; NAN when there are none. */
double figures_seconds(const struct snapshot *now, const struct snapshot *before);

/* now - before of one queue and of a port's queues together; gauges are those of now (queue). */
void figures_queue(const struct facts *facts, const struct snapshot *now,
		   const struct snapshot *before, uint32_t port, uint32_t queue,
		   struct queue_counters *out);
void figures_port(const struct facts *facts, const struct snapshot *now,
		  const struct snapshot *before, uint32_t port, struct queue_counters *out);

/* The same for a port's device; before NULL: nothing. */
void figures_netdev(const struct snapshot *now, const struct snapshot *before, uint32_t port,
		    struct netdev_counters *out);

/* L1 bits of frames whose buffers are bytes long together. */
double figures_l1_bits(uint64_t frames, uint64_t bytes);

/* CPU time as percent of one core between two snapshots; NAN: not known. Threads count once. */
double figures_queue_cpu(const struct facts *facts, const struct snapshot *now,
			 const struct snapshot *before, uint32_t port, uint32_t queue);
double figures_port_cpu(const struct facts *facts, const struct snapshot *now,
			const struct snapshot *before, uint32_t port);

/*
 * Frames dropped at a known place. The socket's refills and retries in zero-copy mode are not
 * frames and stay out.
 */
uint64_t figures_queue_dropped(const struct queue_counters *c, enum mode mode);
uint64_t figures_rx_dropped(const struct queue_counters *c, const struct netdev_counters *n,
			    enum mode mode);
uint64_t figures_tx_dropped(const struct queue_counters *c, const struct netdev_counters *n);

/*
 * Did the time, or a counter of a worker or a program, go backwards? Then it is another run, and
 * differences mean nothing. Sockets, netdevs and histograms may come anew within a run.
 */
bool figures_went_back(const struct snapshot *now, const struct snapshot *before);

#endif
