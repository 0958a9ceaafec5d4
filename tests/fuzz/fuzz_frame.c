/* SPDX-License-Identifier: MIT */
/*
 * Any frame into what reads frames, on a heap copy of its exact size: the first byte of the input
 * chooses how, the rest is the frame.
 */
#include "abi/swap.h"
#include "core/frame.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool so)
{
	if (!so)
		abort();
}

static void read_frame(uint8_t *frame, uint32_t len, uint8_t how)
{
	struct match_config cfg = {
		.mac = {0x02, 0, 0, 0, 0, 0x0b},
		.stamp_offset = {STAMP_OFFSET, STAMP_OFFSET + 4, how},
		.net_a = FRAME_NET_A,
		.net_b = FRAME_NET_B,
		.mode = how % 3,
		.udp = {{7, 7}, {1000, 60000}},
	};
	uint32_t offset = 0;
	enum match_kind kind = match_frame(&cfg, frame, frame + len, &offset);
	enum refusal why = match_refusal(&cfg, frame, frame + len, offset);
	struct stamp s;

	require((kind == MATCH_STAMP) == (offset != 0));
	require((why == REFUSE_SHORT) == (len < ETH_HDR_LEN));
	frame_intact(frame, len, how);
	if (!offset)
		return;
	require(offset + STAMP_LEN <= len);
	stamp_get(frame + offset, &s);
	require(s.flow <= STAMP_FLOW_MAX && s.time <= STAMP_TIME_MASK);
	if (offset < STAMP_OFFSET || !frame_intact(frame, len, offset))
		return;
	require(frame_port_flow(frame + offset - 8) <= 0xfffffff);
	if (!(s.flags & STAMP_REPLY)) {
		stamp_set_reply(frame + offset);
		require(stamp_ok(frame + offset) && frame_intact(frame, len, offset));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t len = size ? (uint32_t)size - 1 : 0;
	uint8_t *frame = malloc(len ? len : 1), *before = malloc(len ? len : 1);
	uint8_t how = size ? data[0] : 0;

	if (len)
		memcpy(frame, data + 1, len);
	read_frame(frame, len, how);
	memcpy(before, frame, len);
	swap_frame(frame, frame + len, how % 4);
	swap_frame(frame, frame + len, how % 4);
	require(!memcmp(frame, before, len));
	free(before);
	free(frame);
	return 0;
}
