/* SPDX-License-Identifier: MIT */
/* Words that every room shares, and their names in help, JSON and messages. */
#ifndef CORE_MODEL_H
#define CORE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define PORTS_MAX  4  /* ports of one run */
#define QUEUES_MAX 64 /* queues driven on one port */

#define FCS_LEN		4  /* a frame size includes it, a buffer length does not */
#define WIRE_OVERHEAD	20 /* preamble 7, SFD 1, inter-frame gap 12 (IEEE 802.3) */
#define FRAME_BYTES_MIN 64
#define FRAME_BYTES_MAX 9216

/* A count that is not known: null in JSON, "-" in text; never 0. */
#define UNKNOWN INT64_MIN

/* Who moves the frames: user space through AF_XDP sockets, or an XDP program alone. */
enum engine { ENGINE_AUTO, ENGINE_XSK, ENGINE_KERNEL, ENGINES };

/* How a port's sockets are bound; what was obtained is never MODE_AUTO. */
enum mode { MODE_AUTO, MODE_ZERO_COPY, MODE_COPY, MODE_GENERIC, MODES };

enum tx_role { TX_NONE, TX_GENERATE };
enum rx_role { RX_COUNT, RX_REFLECT };

/* "auto", "zero-copy", ...; MODE_COPY is native XDP: without sockets nothing is copied there. */
const char *mode_name(enum mode mode);
const char *mode_name_in(enum engine engine, enum mode mode); /* the kernel engine's: "native" */
const char *engine_name(enum engine engine);		      /* "auto", "xsk", "kernel" */

/* "none", "l2", "l3", "l4" for enum swap of abi/swap.h. */
const char *swap_name(int swap);

#endif
