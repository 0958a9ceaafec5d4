/* SPDX-License-Identifier: MIT */
/*
 * The product's XDP program, loaded, and frames put through it one by one (BPF_PROG_RUN). Its
 * counters lie between two slots that belong to nobody and must stay zero.
 */
#ifndef TESTS_BPF_RIG_H
#define TESTS_BPF_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "io/lab.h"
#include "io/prog.h"
#include "io/queue.h"
#include <cmocka.h>

#define RIG_QUEUES 2 /* slots 1 and 2; slot 3 is the rest's */
#define RIG_SLOTS  5
#define RIG_REST   3

struct rig {
	struct prog_maps maps;
	struct prog prog;
	struct match_config match;
	bool metadata;
	/* with a lab: the program is attached to its second port, queue 0 has a socket */
	struct lab lab;
	struct nic nic;
	struct umem umem;
	struct queue queue;
};

enum rig_flags { RIG_ATOMIC = 1, RIG_METADATA = 2 };

/* Why the tests can't run here, or NULL. */
const char *rig_reason(void);

void rig_open(struct rig *rig, const struct match_config *match, enum match_mode mode, int flags);

/* Makes a lab for it: ports with so many queues. -errno when this machine can't have one. */
int rig_open_lab(struct rig *rig, uint32_t queues);
void rig_attach(struct rig *rig); /* and a socket on queue 0 */
void rig_close(struct rig *rig);

/* One frame on its way. */
struct pass {
	const uint8_t *data;
	uint32_t len;
	uint32_t in_front; /* bytes of data that are a driver's metadata */
	uint32_t queue;	   /* not 0: only with a lab */
	uint32_t repeat;   /* 0: once */
	int action;
	uint8_t out[512];
	uint32_t out_len;
};

/* 0 or -errno of the call; never fails the test by itself. */
int rig_pass(const struct rig *rig, struct pass *pass);

#endif
