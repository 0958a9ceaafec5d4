/* SPDX-License-Identifier: MIT */
/* io/queue.h over rings that lie in this process: where frames go when the kernel is done. */
#include "io/queue.h"
#include "io/queue_io.h"
#include "sandbox.h"
#include <string.h>

#define RING  64u
#define CHUNK 2048u
#define EACH  16u /* frames for receiving, and as many for sending, of each owner */
#define PART  (2ull * EACH * CHUNK)

struct numbers {
	uint32_t producer, consumer, flags;
};

struct side {
	struct queue queue;
	struct queue_io io;
	struct numbers rx, fill, completion;
	struct xdp_desc rx_ring[RING];
	uint64_t fill_ring[RING], completion_ring[RING], free[2 * EACH];
};

/* Two ports that register the same memory. start: where the rings stand. */
static void sides_open(struct side side[2], uint32_t start)
{
	memset(side, 0, 2 * sizeof(*side));
	for (uint64_t i = 0; i < 2; i++) {
		struct side *s = &side[i];
		const struct numbers numbers = {start, start, 0};

		s->rx = s->fill = s->completion = numbers;
		s->io.rx = (struct xsk_ring_cons){start,      start,	       RING - 1,
						  RING,	      &s->rx.producer, &s->rx.consumer,
						  s->rx_ring, &s->rx.flags};
		s->io.fill =
			(struct xsk_ring_prod){start,	     start + RING,	RING - 1,
					       RING,	     &s->fill.producer, &s->fill.consumer,
					       s->fill_ring, &s->fill.flags};
		s->io.completion = (struct xsk_ring_cons){start,
							  start,
							  RING - 1,
							  RING,
							  &s->completion.producer,
							  &s->completion.consumer,
							  s->completion_ring,
							  &s->completion.flags};
		s->queue = (struct queue){
			.rx_desc = s->rx_ring,
			.rx_mask = RING - 1,
			.free = s->free,
			.first_rx = i * PART,
			.first_tx = i * PART + PART / 2,
			.tx_bytes = PART / 2,
			.part_size = PART,
			.owner = {&side[0].queue, &side[1].queue},
			.io = &s->io,
		};
	}
}

static void sent(struct side *s, uint64_t addr)
{
	s->completion_ring[s->completion.producer++ % RING] = addr;
	s->queue.outstanding++;
}

/* Owner, place, and whether it is a frame for sending, of the i-th frame that completes. */
static uint64_t frame_of(uint32_t order, uint32_t i)
{
	uint32_t owner = order >> i % 8 & 1, sends = order >> (i + 3) % 8 & 1;

	return owner * PART + sends * PART / 2 + (i % EACH) * CHUNK + 256;
}

/* Every order of eight frames of both owners and kinds, wherever the rings stand. */
static void completed_frames_go_to_their_owners(void **state)
{
	static struct side side[2];

	for (uint32_t order = 0; order < 256; order++) {
		uint32_t start = UINT32_MAX - 200 + order, fills[2] = {0}, frees[2] = {0};

		sides_open(side, start);
		for (uint32_t i = 0; i < 13; i++)
			sent(&side[order % 2], frame_of(order, i));
		assert_int_equal(queue_reap(&side[order % 2].queue), 13);
		assert_int_equal(side[order % 2].queue.outstanding, 0);
		assert_int_equal(side[order % 2].completion.consumer, start + 13);
		for (uint32_t i = 0; i < 13; i++) {
			uint64_t addr = frame_of(order, i);
			uint32_t owner = addr >= PART;
			const struct side *s = &side[owner];

			if (addr % PART >= PART / 2)
				assert_int_equal(s->free[frees[owner]++], addr);
			else
				assert_int_equal(s->fill_ring[(start + fills[owner]++) % RING],
						 addr);
		}
		for (uint32_t i = 0; i < 2; i++) {
			assert_int_equal(side[i].queue.nfree, frees[i]);
			assert_int_equal(side[i].fill.producer, start + fills[i]);
		}
	}
}

static void nothing_completed_moves_nothing(void **state)
{
	static struct side side[2];

	sides_open(side, 7);
	assert_int_equal(queue_reap(&side[0].queue), 0);
	side[0].queue.outstanding = 3;
	assert_int_equal(queue_reap(&side[0].queue), 0);
	assert_int_equal(side[0].queue.outstanding, 3);
	assert_int_equal(side[0].fill.producer, 7);
	assert_int_equal(side[0].completion.consumer, 7);
}

/* However the two rings stand to each other. */
static void received_frames_go_back_in_order(void **state)
{
	static struct side side[2];

	for (uint32_t shift = 0; shift < RING; shift++) {
		struct side *s = &side[0];
		uint32_t start = UINT32_MAX - 20, index, n = 40;

		sides_open(side, start);
		s->rx.producer = s->rx.consumer = s->io.rx.cached_cons = s->io.rx.cached_prod =
			start + shift;
		for (uint32_t i = 0; i < n; i++)
			s->rx_ring[s->rx.producer++ % RING] =
				(struct xdp_desc){.addr = i * CHUNK + 256, .len = 60};
		assert_int_equal(queue_rx_peek(&s->queue, n, &index), n);
		queue_rx_recycle(&s->queue, index, n);
		assert_int_equal(s->rx.consumer, s->rx.producer);
		assert_int_equal(s->fill.producer, start + n);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(s->fill_ring[(start + i) % RING], i * CHUNK + 256);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(completed_frames_go_to_their_owners),
		cmocka_unit_test(nothing_completed_moves_nothing),
		cmocka_unit_test(received_frames_go_back_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
