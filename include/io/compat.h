/* SPDX-License-Identifier: MIT */
/* Kernel constants newer than Debian 12's headers. Whether they work is found by trying them. */
#ifndef IO_COMPAT_H
#define IO_COMPAT_H

#ifndef XDP_MAX_TX_SKB_BUDGET
#define XDP_MAX_TX_SKB_BUDGET 9 /* include/uapi/linux/if_xdp.h: descriptors sent per kick */
#endif

#endif
