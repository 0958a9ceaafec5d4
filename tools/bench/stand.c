/* SPDX-License-Identifier: MIT */
#include "stand.h"
#include "io/log.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FRAMES 2048
#define CHUNK  2048

static uint32_t first_slot(const struct stand *stand, int end)
{
	return (uint32_t)end * (stand->queues + 1);
}

struct program_counters *stand_program(struct stand *stand, int end)
{
	return &stand->maps.slot[first_slot(stand, end)].program;
}

static int end_attach(struct stand *stand, int end)
{
	struct match_config *match = &stand->match[end];
	uint8_t slot_of[QUEUES_MAX];
	struct prog_spec spec = {
		.maps = &stand->maps,
		.first_slot = first_slot(stand, end),
		.queues = stand->queues,
		.slot_of = slot_of,
		.metadata = true,
	};
	char why[96] = "";
	int err;

	for (int id = 0; id < QUEUES_MAX; id++)
		slot_of[id] = (uint8_t)id;
	*match = (struct match_config){
		.stamp_offset = {STAMP_OFFSET, STAMP_OFFSET + 4},
		.net_a = FRAME_NET_A,
		.net_b = FRAME_NET_B,
	};
	memcpy(match->mac, stand->nic[end].mac, sizeof(match->mac));
	spec.match = *match;
	err = prog_open(&stand->prog[end], &spec);
	if (err)
		return err;
	err = prog_attach(&stand->prog[end], &stand->nic[end], false, why, sizeof(why));
	if (err)
		log_error("%s: %s", stand->nic[end].text, why);
	return err;
}

static int end_bind(struct stand *stand, int end)
{
	struct queue_spec spec = {
		.nic = &stand->nic[end],
		.mode = MODE_COPY,
		.umem = &stand->umem[end],
		.parts = 1,
		.rx_frames = FRAMES,
		.tx_frames = FRAMES,
		.rx_ring = FRAMES,
		.tx_ring = FRAMES,
	};
	uint32_t slot = first_slot(stand, end);
	struct worker *w = &stand->worker[end];
	char why[96] = "";
	int err = umem_map(&stand->umem[end], 2 * FRAMES, CHUNK);

	if (err)
		return err;
	err = queue_open(&stand->queue[end], &spec, why, sizeof(why));
	if (err) {
		log_error("%s: %s", stand->nic[end].text, why);
		return err;
	}
	w->queue = w->out = &stand->queue[end];
	w->count = w->out_count = &stand->maps.slot[slot].worker;
	w->latency = &stand->maps.hist[slot * HIST_KINDS + HIST_LATENCY];
	w->lateness = &stand->maps.hist[slot * HIST_KINDS + HIST_LATENESS];
	return 0;
}

static int ports_open(struct stand *stand)
{
	static const int place[ENDS] = {0, 1}; /* lab-g0 === lab-d0; lab-g1 is spare */
	struct lab *lab = &stand->lab;
	int err = 0;

	for (int end = 0; end < ENDS && !err; end++)
		err = nic_open_at(&stand->nic[end], lab->netns[lab->port[place[end]].netns],
				  lab->port[place[end]].name, lab->port[place[end]].name);
	if (!err)
		err = nic_open_at(&stand->spare, lab->netns[lab->port[3].netns], lab->port[3].name,
				  lab->port[3].name);
	return err;
}

int stand_open(struct stand *stand, uint32_t queues)
{
	struct frame_spec spec = {.src_ip = FRAME_NET_A,
				  .dst_ip = FRAME_NET_B,
				  .frame_bytes = FRAME_BYTES_MIN};
	int err;

	memset(stand, 0, sizeof(*stand));
	stand->queues = queues;
	err = lab_up(&stand->lab, LAB_CHAIN, queues);
	if (!err)
		err = ports_open(stand);
	if (!err)
		err = prog_maps_open(&stand->maps, ENDS * (queues + 1));
	for (int end = 0; end < ENDS && !err; end++)
		err = end_attach(stand, end);
	for (int end = 0; end < ENDS && !err; end++)
		err = end_bind(stand, end);
	memcpy(spec.src_mac, stand->nic[NEAR].mac, sizeof(spec.src_mac));
	memcpy(spec.dst_mac, stand->nic[FAR].mac, sizeof(spec.dst_mac));
	if (!err)
		err = frame_build(&spec, &stand->frame);
	if (err)
		stand_close(stand);
	return err;
}

void stand_close(struct stand *stand)
{
	for (int end = 0; end < ENDS; end++) {
		worker_done(&stand->worker[end]);
		prog_close(&stand->prog[end]);
		queue_close(&stand->queue[end]);
		umem_unmap(&stand->umem[end]);
		nic_close(&stand->nic[end]);
	}
	nic_close(&stand->spare);
	prog_maps_close(&stand->maps);
	lab_down(&stand->lab);
}
