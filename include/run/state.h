/* SPDX-License-Identifier: MIT */
/* The inside of a session: what session.c, trial.c, sample.c and account.c share. */
#ifndef RUN_STATE_H
#define RUN_STATE_H

#include "io/live.h"
#include "run/crew.h"
#include "run/kin.h"
#include "run/ports.h"
#include "run/session.h"

/* A direction of a trial: indices into the ports, -1 for an end that is not ours. */
struct phase_direction {
	int from, to;
	const char *leg;
};

/* What each port does in a trial. */
struct phase {
	const char *name;
	enum tx_role tx[2];
	enum rx_role rx[2];
	uint8_t expect[2]; /* STAMP_* flags of the frames that a counting port expects */
	bool any_flags;	   /* or whatever they carry */
	int ndirections;
	struct phase_direction direction[DIRECTIONS_MAX];
};

struct session {
	const struct config *config;
	const struct session_watch *watch;
	struct ports ports;
	struct worker worker[2 * QUEUES_MAX];
	uint32_t nworkers;
	struct crew crew;
	uint32_t run_seen[2]; /* count alone: the run it took, per port */
	uint16_t run;	      /* id of the next trial */

	struct facts facts;
	struct live_server live;
	char *hello;
	int signal_fd, timer_fd;
	volatile int stop;		     /* the user wants to end: number of signals */
	struct snapshot *now, *tick, *start; /* tick: at the last interval line */
	const char *trial_name;		     /* of the trial that is shown; NULL: none */
	uint64_t trial_start, next_interval;
	uint32_t trial_index;
	struct kin kin; /* count alone: is the sender a run of this host? */
	struct result *result;
};

/* The port's number of a worker's queue. */
static inline uint32_t worker_queue_id(const struct session *s, const struct worker *w)
{
	const struct run_port *port = &s->ports.port[w->port];

	return port->queue_id[w->slot - port->first_slot];
}

/* Workers and threads for the ports as they now are. */
void session_workers(struct session *s);

/* Everything read at one instant. Called from the session's thread only. */
void session_sample(struct session *s, struct snapshot *snap);

/* How long and how much of a phase. */
struct trial_spec {
	const struct phase *phase;
	uint64_t duration_ns; /* DURATION_UNTIL_STOPPED: no limit */
	uint64_t frames;      /* per sending port; 0: no limit */
	struct rate_spec rate;
	bool silent; /* a proof, not a trial: nothing is shown */
};

/* Run it; 0 or -errno, said. trial is filled as far as it came. */
int session_trial(struct session *s, const struct trial_spec *spec, struct result_trial *trial);

/* Signals are blocked and read from a descriptor; says what is wrong. */
int events_open(struct session *s);
void events_close(struct session *s);

/* bench: 1: frames crossed both ways, in the mode that the ports now have; 0: they did not. */
int session_prove(struct session *s);

/* Kernel engine: does what is sent leave the ports? 0, or -errno, said. */
int session_leaves(struct session *s);

/* Port to port: -ELOOP, said, when the two ports are cabled to each other. */
int session_faces(struct session *s);

/* Take the live socket, signals, keys and the sampling timer as they come, until deadline. */
void session_attend(struct session *s, uint64_t deadline);

/* From the start snapshot and the end snapshot to directions, queues and threads. */
int session_account(struct session *s, const struct phase *phase, const struct snapshot *end,
		    struct result_trial *trial);

/* Flows that came in on port; sender: port whose generator made them, -1: none of ours. */
void account_flows(const struct session *s, int sender, int port, struct result_direction *d,
		   struct ledger_input *in);
void session_trial_free(struct result_trial *trial);

/* Phases of a command; a NULL name ends them. */
const struct phase *phases_of(const struct config *config);
bool phase_wanted(const struct config *config, const struct phase *phase);

#endif
