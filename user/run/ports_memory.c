/* SPDX-License-Identifier: MIT */
/* Frames for the queues: how many, how large, and the memory they lie in. */
#include "io/log.h"
#include "io/priv.h"
#include "run/ports.h"
#include <errno.h>
#include <string.h>

#define FRAMES_RX_DEFAULT 2048
#define FRAMES_TX	  2048
#define FRAMES_MIN	  256
#define CHUNK_SMALL	  2048
#define CHUNK_LARGE	  4096
#define TAG_LEN		  4

static uint32_t ring_for(uint32_t frames)
{
	uint32_t size = 64;

	while (size < frames)
		size *= 2;
	return size;
}

/*
 * Cards that know receive buffers in whole KiB only (SRRCTL.BSIZEPKT): in zero-copy mode a chunk of
 * 2048 less its headroom is one of 1024 there, and a longer frame comes in two pieces.
 */
static bool buffers_in_kib(const struct nic *nic)
{
	static const char *const drivers[] = {"igb", "igc", "ixgbe"};

	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strcmp(nic->driver, drivers[i]))
			return true;
	return false;
}

static bool chunk_small_fits(const struct nic *nic)
{
	uint32_t usable = CHUNK_SMALL - UMEM_HEADROOM;

	if (buffers_in_kib(nic))
		usable -= usable % 1024;
	return nic->mtu + ETH_HDR_LEN + 2 * TAG_LEN <= usable;
}

/* The largest frame that may come in has to fit behind the headroom (net/xdp/xsk_buff_pool.c). */
static int ports_choose_chunk(struct ports *p)
{
	p->chunk = CHUNK_SMALL;
	for (int i = 0; i < p->n; i++)
		if (!chunk_small_fits(&p->port[i].nic))
			p->chunk = CHUNK_LARGE;
	if (p->config->frame_bytes > p->chunk - UMEM_HEADROOM + FCS_LEN) {
		log_error("frames of %u bytes do not fit a buffer: the most is %u",
			  p->config->frame_bytes, CHUNK_LARGE - UMEM_HEADROOM + FCS_LEN);
		return -EMSGSIZE;
	}
	return 0;
}

static uint64_t ports_memory(const struct ports *p)
{
	uint64_t frames = 0;

	for (int i = 0; i < p->n; i++)
		frames +=
			(uint64_t)p->port[i].queues * (p->port[i].rx_frames + p->port[i].tx_frames);
	/* A bridge registers every part twice: once with each of its two sockets. */
	return frames * p->chunk * (p->bridge ? 2 : 1);
}

static bool ports_shrink(struct ports *p)
{
	bool shrunk = false;

	for (int i = 0; i < p->n; i++) {
		struct run_port *port = &p->port[i];

		if (port->rx_frames > FRAMES_MIN) {
			port->rx_frames /= 2;
			shrunk = true;
		}
		if (port->tx_frames > FRAMES_MIN) {
			port->tx_frames /= 2;
			shrunk = true;
		}
	}
	return shrunk;
}

/* Frames per queue, as many as may be pinned. */
static int ports_choose_frames(struct ports *p)
{
	uint64_t limit = priv_memlock();
	bool shrunk = false;

	for (int i = 0; i < p->n; i++) {
		struct run_port *port = &p->port[i];
		uint32_t twice = ring_for(2 * port->nic.rx_ring);

		port->rx_frames = twice > FRAMES_RX_DEFAULT ? twice : FRAMES_RX_DEFAULT;
		port->tx_frames = FRAMES_TX;
	}
	if (p->bridge)
		p->port[0].rx_frames = p->port[1].rx_frames =
			p->port[0].rx_frames > p->port[1].rx_frames ? p->port[0].rx_frames
								    : p->port[1].rx_frames;
	while (ports_memory(p) > limit && ports_shrink(p))
		shrunk = true;
	if (ports_memory(p) > limit) {
		log_error("too little memory may be locked: %llu KiB needed (ulimit -l %llu), or "
			  "CAP_IPC_LOCK, or fewer --queues",
			  (unsigned long long)ports_memory(p) / 1024,
			  (unsigned long long)ports_memory(p) / 1024);
		return -ENOBUFS;
	}
	if (shrunk)
		log_info("few frames per queue, because only %llu KiB may be locked (ulimit -l)",
			 (unsigned long long)limit / 1024);
	for (int i = 0; i < p->n; i++) {
		struct run_port *port = &p->port[i];

		port->rx_ring = p->config->rx_ring ? p->config->rx_ring : ring_for(port->rx_frames);
		port->tx_ring = p->config->tx_ring ? p->config->tx_ring : ring_for(port->tx_frames);
		/* A frame that is received here must fit the other port's TX ring at any time. */
		if (p->bridge)
			port->tx_frames = FRAMES_MIN;
	}
	return 0;
}

/* One mapping per queue; for a bridge one per pair of queues, half of it each port's. */
static int ports_map(struct ports *p)
{
	for (int i = 0; i < (p->bridge ? 1 : p->n); i++) {
		const struct run_port *port = &p->port[i];
		uint32_t frames = (port->rx_frames + port->tx_frames) * (p->bridge ? 2 : 1);

		for (uint32_t q = 0; q < port->queues; q++) {
			int err = umem_map(&p->umem[p->numem], frames, p->chunk);

			if (err)
				return err;
			p->numem++;
		}
	}
	return 0;
}

struct umem *ports_umem(struct ports *p, int i, uint32_t q)
{
	return &p->umem[p->bridge || i == 0 ? q : p->port[0].queues + q];
}

int ports_allocate(struct ports *p)
{
	int err;

	if (p->numem) /* by an engine that was tried before */
		return 0;
	err = ports_choose_chunk(p);

	if (!err)
		err = ports_choose_frames(p);
	if (!err)
		err = ports_map(p);
	return err;
}
