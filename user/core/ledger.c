/* SPDX-License-Identifier: MIT */
/* Close the ledger of a direction from what its two ends counted. */
#include "core/ledger.h"
#include "core/stats.h"

#define SEND_ROW(row, from, words)   {.name = #row, .source = from, .text = words, .group = 0},
#define WIRE_ROW(row, from, words)   {.name = #row, .source = from, .text = words, .group = 1},
#define BESIDE_ROW(row, from, words) {.name = #row, .source = from, .text = words, .group = 2},

const struct ledger_row ledger_rows[] = {
	LEDGER_SEND_ROWS(SEND_ROW) LEDGER_WIRE_ROWS(WIRE_ROW) LEDGER_BESIDE_ROWS(BESIDE_ROW){0},
};

/* A row that is not known counts as nothing in a sum. */
static int64_t known(int64_t row)
{
	return row == UNKNOWN ? 0 : row;
}

static void close_send(const struct ledger_input *in, struct ledger *out)
{
	const struct worker_counters *w = &in->from->worker;

	out->submitted = (int64_t)w->submitted;
	out->tx_invalid = (int64_t)in->from->socket.tx_invalid;
	out->completed = (int64_t)w->completed;
	out->tx_uncompleted = out->submitted - out->tx_invalid - out->completed;
	out->dev_tx_dropped = (int64_t)in->from->netdev.tx_dropped;
	if (!in->scheduled || in->reflected_out) {
		out->wanted = out->submitted;
		return;
	}
	/* What was still due when sending stopped was not sent in time either. */
	out->wanted = (int64_t)w->wanted;
	out->given_up_no_room = (int64_t)w->given_up_no_room;
	out->given_up_late = out->wanted - out->given_up_no_room - out->submitted;
}

/* Rows that the receiving port, its program, sockets and workers supply by themselves. */
static void close_receive(const struct ledger_input *in, struct ledger *out)
{
	const struct ledger_end *to = in->to;
	const struct worker_counters *w = &to->worker;
	int64_t refused = (int64_t)program_refused(&to->program);
	int64_t foreign = (int64_t)(w->foreign + to->program.passed) - refused;

	out->nic_missed = (int64_t)to->netdev.rx_missed;
	out->no_socket = (int64_t)to->program.no_socket;
	out->too_long = (int64_t)to->socket.too_long;
	if (!in->zero_copy_receiver) {
		out->fill_empty = (int64_t)to->socket.fill_empty;
		out->ring_full = (int64_t)to->socket.ring_full;
	}
	out->refused = in->leg_to_reflector ? refused : 0;
	out->dropped_by_us = (int64_t)w->dropped_by_us;
	out->matched = (int64_t)w->matched;
	out->corrupt = (int64_t)w->corrupt;
	out->stale = (int64_t)w->stale;
	out->foreign = foreign > 0 ? foreign : 0;
	out->flow_moved = (int64_t)in->flow_moved;
	out->joined_late = (int64_t)w->joined_late;
	out->retagged = (int64_t)w->retagged;
	if (in->flow_moved ||
	    in->order_unknown) /* each queue saw part of a flow: these can't be told */
		return;
	out->too_late = (int64_t)w->too_late;
	out->duplicate = (int64_t)w->duplicate;
	out->reordered = (int64_t)w->reordered;
}

static void close_receive_check(const struct ledger_input *in, struct ledger *out)
{
	out->xdp_seen = (int64_t)in->to->program.seen;
	out->passed = (int64_t)in->to->program.passed;
	out->received = (int64_t)in->to->worker.received;
	out->in_ring = (int64_t)in->to->in_ring;
	out->receive_unexplained = out->xdp_seen - out->passed - out->no_socket - out->too_long -
				   known(out->fill_empty) - known(out->ring_full) - out->received -
				   out->in_ring;
}

/*
 * Frames that left one port and did not reach the other. Those the card had no descriptor for did
 * reach it, though rx_packets lacks them; copies made on the way raised rx_packets.
 */
static int64_t wire_lost(const struct ledger_input *in)
{
	const struct netdev_counters *to = &in->to->netdev;
	uint64_t reached = to->rx_packets + to->rx_missed - in->to->worker.duplicate;

	return (int64_t)(in->from->netdev.tx_packets - reached);
}

static void close_wire(const struct ledger_input *in, struct ledger *out)
{
	if (in->wire_counted)
		out->wire_lost = wire_lost(in);
	out->unexplained = out->completed - out->dev_tx_dropped - known(out->wire_lost) -
			   out->nic_missed - out->no_socket - out->too_long -
			   known(out->fill_empty) - known(out->ring_full) - out->refused -
			   out->dropped_by_us - out->matched - out->corrupt - known(out->too_late);
}

/* A frame that was too late did arrive, even where flows moved and its row is not known. */
static int64_t lost(const struct ledger_input *in)
{
	const struct worker_counters *w = &in->to->worker;
	uint64_t arrived = w->matched + w->corrupt + w->too_late;

	if (in->from)
		return (int64_t)(in->from->worker.submitted - arrived);
	if (in->expect != UNKNOWN)
		return in->expect - (int64_t)arrived;
	return (int64_t)in->missing;
}

void ledger_close(const struct ledger_input *in, struct ledger *out)
{
#define LEDGER_UNKNOWN(name, source, text) .name = UNKNOWN,
	*out = (struct ledger){LEDGER_ROWS(LEDGER_UNKNOWN)};
	if (in->from)
		close_send(in, out);
	if (!in->to)
		return;
	close_receive(in, out);
	close_receive_check(in, out);
	if (in->from)
		close_wire(in, out);
	out->lost = lost(in);
}
