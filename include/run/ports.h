/* SPDX-License-Identifier: MIT */
/*
 * The ports of a run, opened: program attached, link up again, a socket on every queue. Each rung
 * of the mode ladder (zero-copy, copy, generic) is tried with exactly one bind flag and an explicit
 * attach mode; what was obtained is read back.
 */
#ifndef RUN_PORTS_H
#define RUN_PORTS_H

#include "core/result.h"
#include "io/inside.h"
#include "io/prog.h"
#include "io/queue.h"
#include "run/config.h"
#include "run/engine.h"

struct run_port {
	struct nic nic;
	struct prog prog;
	struct match_config match;
	enum mode mode;
	char why[96]; /* why no better mode */
	uint32_t queues, first_slot;
	uint32_t queue_id[QUEUES_MAX];
	uint32_t streams;     /* TX queues that are sent on: queues 0 to streams-1, by place */
	struct frame frame;   /* template, where the port sends */
	bool sent_is_counted; /* kernel engine: the port's own counters know what left */
	struct queue queue[QUEUES_MAX];
	uint32_t rx_frames, tx_frames, rx_ring, tx_ring; /* per queue */
};

struct ports {
	const struct config *config;
	const volatile int *stop; /* set when the user wants to stop: waits end early */
	struct prog_maps maps;
	int n;
	enum engine engine; /* of all ports */
	bool bridge;	    /* port to port: the two ports share memory, queue by queue */
	struct run_port port[2];
	uint32_t chunk;
	struct umem umem[2 * QUEUES_MAX];
	uint32_t numem;
};

/*
 * Query and check the ports, allocate memory, climb the ladder. Says what is wrong. -EPERM,
 * -ENODEV, -EBUSY, ...; -ENOSYS: this kernel has no AF_XDP or no BPF.
 */
int ports_open(struct ports *p, const struct config *config, const volatile int *stop);

/* Do the ports send frames of their own? A bridge does, to see whether its ports face each other.
 */
static inline bool ports_generate(const struct ports *p)
{
	return p->config->command == COMMAND_SEND || p->config->command == COMMAND_BENCH ||
	       p->bridge;
}

/* Templates of the frames that the ports send. Says what is wrong. */
int ports_templates(struct ports *p);

/* Say which engine was chosen, why, and what the other would have been. */
void engine_explain(const struct ports *p, const char *why, const char *other);

/* Load the kernel engine's program for port i. Says what is wrong, but -EOPNOTSUPP. */
int port_load_inside(struct ports *p, int i, const struct prog_spec *prog);

/* Everything again one rung lower, for all ports; -EOPNOTSUPP when there is none. */
int ports_step_down(struct ports *p, const char *why);

/*
 * Choose frames per queue, as many as may be locked, and map them: one mapping per queue, for a
 * bridge one per pair of queues. Says what is wrong.
 */
int ports_allocate(struct ports *p);

/* The memory of queue q (by place) of port i. */
struct umem *ports_umem(struct ports *p, int i, uint32_t q);

/* Sockets out of the map, programs detached, sockets closed, memory given back. NULL-safe. */
void ports_close(struct ports *p);

void ports_describe(const struct ports *p, struct result *result);
void ports_facts(const struct ports *p, struct facts *facts);

#endif
