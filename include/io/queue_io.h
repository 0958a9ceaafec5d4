/* SPDX-License-Identifier: MIT */
/* What queue.c and queue_open.c share: libxdp's objects behind a queue. */
#ifndef IO_QUEUE_IO_H
#define IO_QUEUE_IO_H

#include "core/model.h"
#include <xdp/xsk.h>

struct queue_io {
	struct xsk_ring_cons rx, completion;
	struct xsk_ring_prod tx, fill;
	int fd;
	enum mode mode;
	uint32_t tx_budget;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
};

#endif
