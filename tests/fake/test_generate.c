// SPDX-License-Identifier: MIT
/* What the generator puts on the ring, byte by byte. */
#include "io/clock.h"
#include "rig.h"
#include <string.h>

#define FRAMES 100000u

struct look {
	struct frame frame; /* the template, for the flow to be put in */
	uint64_t wrong, seen;
	uint32_t flows, last_seq;
};

/* Every byte of a frame is as if it had been made for its flow alone, however it was reached. */
static void look_at_flow(void *ctx, const uint8_t *data, uint32_t len)
{
	struct look *look = ctx;
	struct frame *want = &look->frame;
	struct stamp s;

	stamp_get(data + STAMP_OFFSET, &s);
	frame_set_flow(want->data, want->udp_sum, want->udp_rest, s.flow);
	memcpy(want->data + STAMP_OFFSET, data + STAMP_OFFSET, STAMP_LEN);
	look->wrong += len != want->len || memcmp(data, want->data, len) != 0 ||
		       !stamp_ok(data + STAMP_OFFSET) || !frame_intact(data, len, STAMP_OFFSET) ||
		       frame_port_flow(data + FRAME_UDP_AT) != s.flow || s.flow >= look->flows ||
		       s.run != RIG_RUN || s.flags || s.time != (clock_now() & STAMP_TIME_MASK);
	look->seen++;
	look->last_seq = s.seq;
}

static void check_frames(uint32_t flows, uint32_t src_ip)
{
	const struct frame_spec frame = {.src_mac = {2, 0, 0, 0, 0, 1},
					 .dst_mac = {2, 0, 0, 0, 0, 2},
					 .src_ip = src_ip,
					 .dst_ip = FRAME_NET_B,
					 .frame_bytes = 64};
	struct rig_spec spec = {.queues = 3, .flows = flows, .burst = 61, .window_bits = 64};
	struct rig *r = rig_open(&spec);
	struct look look = {.flows = flows};

	assert_int_equal(frame_build(&frame, &r->frame[0]), 0);
	look.frame = r->frame[0];
	r->wire.link[0].tap = look_at_flow;
	r->wire.link[0].tap_ctx = &look;
	rig_a_to_b(r, 0, FRAMES / 2);
	rig_run(r, UINT32_MAX);
	assert_int_equal(look.wrong, 0);
	assert_int_equal(look.seen, 3 * (FRAMES / 2));
	assert_int_equal(rig_count(r, 1).matched, 3 * (FRAMES / 2));
	rig_check_truth(r, 1);
	rig_close(r);
}

/* With the second address flow 0x100 and those near it have the least and the most checksum. */
static void frames_are_right_for_any_number_of_flows(void **state)
{
	static const uint32_t flows[] = {3, 4, 5, 300, 16383, 16384, 16390, 70001};

	for (uint32_t i = 0; i < ARRAY_LEN(flows); i++) {
		check_frames(flows[i], FRAME_NET_A);
		check_frames(flows[i], FRAME_NET_A + 0xf390 - 0x100);
	}
}

/*
 * The sequence number of a flow goes on from 0 behind 2^32 - 1, and carries into nothing. The
 * wire's account has no room for such numbers: the frames are looked at where they wait to be sent.
 */
static void sequence_numbers_wrap(void **state)
{
	for (uint32_t flows = 1; flows <= 2; flows++) {
		struct rig_spec spec = {.queues = 1, .flows = flows};
		struct rig *r = rig_open(&spec);
		struct look look = {.frame = r->frame[0], .flows = flows};
		struct worker *w = &r->worker[0][0];
		struct queue *q = w->queue;

		q->io->driver_polls = true;
		rig_a_to_b(r, 0, 448);
		w->walk.seq = UINT32_MAX - 99;
		w->now = clock_now();
		while (w->sending)
			assert_int_equal(role_generate(w), 64);
		for (uint32_t i = 0; i < 448; i++) {
			const struct xdp_desc *desc = queue_tx_desc(q, i);

			look_at_flow(&look, q->area + desc->addr, desc->len);
			assert_int_equal(look.last_seq, UINT32_MAX - 99 + i / flows);
		}
		assert_int_equal(look.wrong, 0);
		rig_close(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_right_for_any_number_of_flows),
		cmocka_unit_test(sequence_numbers_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
