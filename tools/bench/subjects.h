/* SPDX-License-Identifier: MIT */
/*
 * Who is compared: xdploop's engines, the peers, and what a feeder alone does. A subject is a row;
 * its command is the best that was found by trying, and says why.
 */
#ifndef BENCH_SUBJECTS_H
#define BENCH_SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum work { SEND, REFLECT, COUNT, WORKS };

enum kind {
	OURS,
	PEER,
	FEED_ALONE, /* the feeder into a dropping program: what every receiver's frame has cost */
	BARE_ALONE, /* a feeder of one constant frame: nothing that sends can do less */
};

/*
 * In a command:
 *   @XDPLOOP      the program that was built
 *   @PORT @MAC    its port, and the MAC address of the port at the other end
 *   @QUEUES @CPUS 1 or 2, and the CPUs to use, as 0,1
 *   @SIZE @LEN @FILL   bytes of a frame with FCS, without it, and without Ethernet header too
 *   @LCORES @VDEVS @PEERS   testpmd's cores (0 rests, one more for each queue), its devices, and
 *                 for each of them @MAC
 *   @MACLIST      @MAC as trafgen writes it
 */
struct subject {
	const char *name; /* in tables, JSON and on the command line; one word */
	enum work work;
	enum kind kind;
	bool in_kernel; /* receives in the program: the feeder's thread does all of it */
	bool one_queue; /* can't do more */
	const char *command;
	const char *needs; /* an option that this xdploop may not know yet */
	const char *why;   /* of the options */
};

extern const struct subject subjects[];
extern const size_t nsubjects;

enum measure {
	AT_LEAST,     /* reference / ours */
	HOP_AT_MOST,  /* (ours - base) / (reference - base) */
	MORE_AT_MOST, /* ours - reference, ns */
};

/* What is judged, with one queue and 64-byte frames. */
struct pair {
	enum work work;
	const char *ours, *reference;
	enum measure measure;
	double target; /* 0: only told */
};

extern const struct pair pairs[];
extern const size_t npairs;

const char *work_name(enum work work);

/* index into subjects; -1: no such */
int subject_find(enum work work, const char *name);

/* The command with its words filled in. */
struct place {
	const char *program, *port;
	uint8_t mac[6];
	uint32_t queues, size;
	const int *cpus; /* as many as queues */
};

void subject_command(const struct subject *s, const struct place *place, char *text, size_t size);

#endif
