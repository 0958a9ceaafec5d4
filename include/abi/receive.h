/* SPDX-License-Identifier: MIT */
/* What the kernel engine's program does with the frames of a trial that come in. */
#ifndef ABI_RECEIVE_H
#define ABI_RECEIVE_H

#include "abi/window.h"

/* Set between two trials. Flags are STAMP_*. */
struct receive_plan {
	__u32 flows;	     /* flows that may arrive */
	__u16 run;	     /* of the frames that count */
	__u8 any_run;	     /* the first that comes, and then no other; a reflector: all */
	__u8 set_reply;	     /* a reflector marks what it sends back */
	__u8 expect, ignore; /* flags they have; flags that may be as they like */
	__u16 pad;
	__u32 run_seen; /* 0, or 1 << 16 | the run that any_run took */
};

/* A flow's window; the map's values have as many words of bits as were asked for. */
struct window_cell {
	struct window window;
	__u64 bits[];
};

/* Entries of the devmap: where frames are sent. */
enum out_port { OUT_HERE, OUT_OTHER, OUT_PORTS };

#endif
