/* SPDX-License-Identifier: MIT */
/*
 * The ledger of a direction: every frame ends in exactly one row, and what is left over is printed
 * as unexplained, never hidden. Identities (asserted by ledger_close and by the tests):
 *
 *   wanted    = given_up_late + given_up_no_room + submitted      (with a schedule)
 *   submitted = tx_invalid + tx_uncompleted + completed
 *   completed = dev_tx_dropped + wire_lost + nic_missed + no_socket + too_long + fill_empty
 *             + ring_full + refused + dropped_by_us + matched + corrupt + too_late + unexplained
 *   xdp_seen  = passed + no_socket + too_long + fill_empty + ring_full + received + in_ring
 *             + receive_unexplained
 *
 * A row a port can't supply is UNKNOWN and counts as nothing in a sum; the frames it would hold
 * then stand in unexplained.
 */
#ifndef CORE_LEDGER_H
#define CORE_LEDGER_H

#include "core/snapshot.h"

/* X(name, source, text): in the order of a frame's way. */
#define LEDGER_SEND_ROWS(X)                                        \
	X(wanted, "worker", "the schedule asked for")              \
	X(given_up_late, "worker", "given up: worker too late")    \
	X(given_up_no_room, "worker", "given up: no room in ring") \
	X(submitted, "worker", "put on the TX ring")               \
	X(tx_invalid, "socket", "refused by the kernel")           \
	X(tx_uncompleted, "worker", "never completed")             \
	X(completed, "worker", "completed")
#define LEDGER_WIRE_ROWS(X)                                            \
	X(dev_tx_dropped, "netdev", "dropped by the sending port")     \
	X(wire_lost, "netdev", "lost between the ports")               \
	X(nic_missed, "netdev", "no descriptor in the receiving port") \
	X(no_socket, "program", "queue without a socket")              \
	X(too_long, "socket", "longer than the receive buffer")        \
	X(fill_empty, "socket", "no buffer in the fill ring")          \
	X(ring_full, "socket", "RX ring full")                         \
	X(refused, "program", "refused by the reflector")              \
	X(dropped_by_us, "worker", "dropped by xdploop")               \
	X(matched, "worker", "arrived and matched")                    \
	X(corrupt, "worker", "arrived damaged")                        \
	X(too_late, "worker", "arrived too late to tell")              \
	X(unexplained, "residue", "unexplained")
#define LEDGER_BESIDE_ROWS(X)                                        \
	X(lost, "sum", "submitted, but did not arrive")              \
	X(duplicate, "worker", "further copies")                     \
	X(reordered, "worker", "matched, but out of order")          \
	X(stale, "worker", "of another run")                         \
	X(foreign, "worker", "not of this test")                     \
	X(flow_moved, "worker", "flows seen on more than one queue") \
	X(joined_late, "worker", "flows whose start was not seen")   \
	X(retagged, "worker", "with a VLAN tag that was not sent")   \
	X(xdp_seen, "program", "reached the XDP program")            \
	X(passed, "program", "left to the kernel")                   \
	X(received, "worker", "taken from the RX ring")              \
	X(in_ring, "socket", "left in the RX ring")                  \
	X(receive_unexplained, "residue", "receive check: unexplained")

#define LEDGER_ROWS(X) LEDGER_SEND_ROWS(X) LEDGER_WIRE_ROWS(X) LEDGER_BESIDE_ROWS(X)

struct ledger {
#define LEDGER_FIELD(name, source, text) int64_t name;
	LEDGER_ROWS(LEDGER_FIELD)
#undef LEDGER_FIELD
};

/* One end of a direction: differences over the trial, summed over the port's queues. */
struct ledger_end {
	struct worker_counters worker;
	struct program_counters program;
	struct socket_counters socket;
	struct netdev_counters netdev;
	uint64_t in_ring; /* entries left in the RX rings at the end */
};

struct ledger_input {
	const struct ledger_end *from; /* NULL: the sender is not ours (count alone) */
	const struct ledger_end *to;   /* NULL: the receiver is not ours (send: out) */
	bool scheduled;		       /* false: --rate max, wanted := submitted */
	bool reflected_out;	       /* from's frames are those it reflected (leg 2) */
	bool leg_to_reflector;	       /* to reflects: refused counts */
	bool wire_counted;	       /* both netdevs count every frame (false: wire_lost null) */
	bool zero_copy_receiver;       /* fill_empty and ring_full do not count frames there */
	int64_t expect;		       /* frames expected when from is NULL; UNKNOWN: none */
	uint64_t missing;	       /* gaps below the highest numbers seen, over all flows */
	uint64_t flow_moved;
	bool order_unknown; /* no windows were kept: copies count as matched */
};

void ledger_close(const struct ledger_input *in, struct ledger *out);

/* "wanted", ... for row i in declaration order, its source and text; NULL behind the last. */
struct ledger_row {
	const char *name, *source, *text;
	int group; /* 0 send, 1 wire, 2 beside */
};
extern const struct ledger_row ledger_rows[];
#define LEDGER_ROW_ONE(name, source, text) +1
#define LEDGER_ROW_COUNT		   (0 LEDGER_ROWS(LEDGER_ROW_ONE))

/* Value of row i. */
static inline int64_t ledger_value(const struct ledger *l, int i)
{
	return ((const int64_t *)l)[i];
}

#endif
