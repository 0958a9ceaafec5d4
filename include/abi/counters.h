/* SPDX-License-Identifier: MIT */
/*
 * The counter map: one element, one slot per (port, queue), each slot two groups of rows in cache
 * lines of their own: the worker's (written through the mapping by the one thread that serves the
 * queue) and the rx program's (written by the XDP program). Counters only grow: an interval is a
 * subtraction, a reset is a baseline kept by the reader.
 *
 * A counter is one row here: X(name, what it counts). The row gives the field, the arithmetic, its
 * place in every report format and in the live stream. All count frames unless the name says
 * otherwise.
 */
#ifndef ABI_COUNTERS_H
#define ABI_COUNTERS_H

#include <linux/types.h>

#define WORKER_COUNTERS(X)                                                                        \
	X(wanted, "frames that the schedule asked for")                                           \
	X(given_up_late, "wanted, but the worker came too late and the catch-up cap was reached") \
	X(given_up_no_room, "wanted, but ring or frames were full and the cap was reached")       \
	X(submitted, "frames put on the TX ring")                                                 \
	X(submitted_bytes, "bytes put on the TX ring, without FCS")                               \
	X(completed, "frames that came back on the completion ring")                              \
	X(kicks, "system calls made to start transmission")                                       \
	X(kicks_again, "kicks answered EAGAIN, EBUSY, ENOBUFS or ENETDOWN: called again")         \
	X(received, "frames taken from the RX ring")                                              \
	X(received_bytes, "bytes taken from the RX ring, without FCS")                            \
	X(matched, "first copies of frames of this run; at a reflector: frames sent back")        \
	X(corrupt, "our addresses, but stamp, checksum or payload damaged")                       \
	X(too_late, "below the sequence window: late or duplicate, can't be told")                \
	X(duplicate, "further copies of a frame")                                                 \
	X(reordered, "matched, but behind a higher number of their flow")                         \
	X(stale, "frames of another run or trial")                                                \
	X(foreign, "frames that are not of this test or direction")                               \
	X(joined_late, "flows whose first frame was already beyond the window")                   \
	X(retagged, "frames with a VLAN tag that was not sent")                                   \
	X(dropped_by_us, "frames the worker had to drop")                                         \
	X(user_stamped, "frames whose receive time was taken in user space")

#define PROGRAM_COUNTERS(X)                                                            \
	X(seen, "frames that reached the XDP program")                                 \
	X(seen_bytes, "bytes that reached the XDP program, without FCS")               \
	X(passed, "frames left to the kernel, the refused ones among them")            \
	X(redirected, "frames handed to the queue's AF_XDP socket")                    \
	X(no_socket, "our frames on a queue without a socket")                         \
	X(refused_short, "not reflected: too short")                                   \
	X(refused_multicast, "not reflected: multicast or broadcast destination")      \
	X(refused_link_local, "not reflected: link-local control (01-80-C2-00-00-0X)") \
	X(refused_neighbour, "not reflected: ARP or IPv6 neighbour discovery")         \
	X(refused_source, "not reflected: source is this port, or no unicast address") \
	X(refused_reply, "not reflected: already a reply")

#define ABI_FIELD(name, text)	  __u64 name;
#define ABI_COUNT_ROW(name, text) +1

#define WORKER_COUNTER_ROWS  (0 WORKER_COUNTERS(ABI_COUNT_ROW))
#define PROGRAM_COUNTER_ROWS (0 PROGRAM_COUNTERS(ABI_COUNT_ROW))

struct worker_counters {
	WORKER_COUNTERS(ABI_FIELD)
};

struct program_counters {
	PROGRAM_COUNTERS(ABI_FIELD)
};

/* Only in the map do the groups need cache lines of their own. */
struct counter_slot {
	struct worker_counters worker __attribute__((aligned(64)));
	struct program_counters program __attribute__((aligned(64)));
};

#define COUNTER_SLOTS_MAX 256 /* slots = sum over the ports of their queues */

#endif
