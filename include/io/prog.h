/* SPDX-License-Identifier: MIT */
/*
 * The XDP programs of a run and the two maps they share with the workers: counters and histograms.
 * Attached by BPF link: nothing of ours outlives the process, nothing of others is touched.
 */
#ifndef IO_PROG_H
#define IO_PROG_H

#include "abi/counters.h"
#include "abi/hist.h"
#include "abi/match.h"
#include "io/nic.h"

enum hist_kind { HIST_LATENCY, HIST_LATENESS, HIST_KINDS };

/* The maps of a run, mapped into this process. */
struct prog_maps {
	int counters_fd, hist_fd;
	uint32_t nslots;
	struct counter_slot *slot; /* nslots */
	struct hist *hist;	   /* nslots x HIST_KINDS: [slot * HIST_KINDS + kind] */
	size_t slot_bytes, hist_bytes;
};

int prog_maps_open(struct prog_maps *maps, uint32_t nslots);
void prog_maps_close(struct prog_maps *maps);

/* A port's program, attached by a link of ours. */
struct prog {
	enum engine engine;
	void *skel;
	void (*destroy)(void *skel);
	int prog_fd;
	int link_fd;	       /* -1: not attached */
	uint32_t id;	       /* the kernel's id of the program */
	uint32_t *phase;       /* in its memory */
	int sockets_fd;	       /* xsk: map of the sockets */
	struct inside *inside; /* kernel: io/inside.h */
};

struct prog_spec {
	const struct prog_maps *maps;
	uint32_t first_slot, queues; /* slots of the port; queue ids 0..queues-1 of the port */
	const uint8_t *slot_of;	     /* queue id -> slot - first_slot; 0xff: not driven */
	struct match_config match;
	bool atomic;   /* more than one CPU may run the program for one queue (generic mode) */
	bool metadata; /* xsk: what is known of a frame stands in front of it, with */
	bool untimed;  /* no receive time: what user space would measure is void */
};

/* Load steer, the program of the xsk engine. Says what is wrong. */
int prog_open(struct prog *prog, const struct prog_spec *spec);

/*
 * Attach natively or generic, never the kernel's choice. Silent, like queue_open. -EBUSY/-EEXIST:
 * another program is there; -EOPNOTSUPP: the driver has no native XDP.
 */
int prog_attach(struct prog *prog, struct nic *nic, bool generic, char *why, size_t why_size);
int prog_set_socket(struct prog *prog, uint32_t queue_id, int fd); /* fd < 0: take it out */
void prog_set_phase(struct prog *prog, enum steer_phase phase);
void prog_close(struct prog *prog);

#endif
