/* SPDX-License-Identifier: MIT */
/*
 * A program of its own that is measured: started in a network namespace, and for a peer inside the
 * root that it is installed in, with mounts and process numbers of its own. So whatever it forks,
 * mounts or pins is gone when it ends, and it ends when this process does.
 */
#ifndef BENCH_OUTSIDE_H
#define BENCH_OUTSIDE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define OUTSIDE_MEMBERS 32

struct outside {
	pid_t pid; /* of the keeper, who waits for the program; the process group has this number */
	int input, output;
	pid_t member[OUTSIDE_MEMBERS];
	int members;
};

struct outside_spec {
	int netns;
	const char *root;    /* NULL: where we are */
	const char *command; /* words with one blank between them */
	cpu_set_t cpus;
};

int outside_start(struct outside *o, const struct outside_spec *spec); /* says what is wrong */
bool outside_ended(const struct outside *o);

/* Find all processes of the program; then CPU time that they have used, ns. */
void outside_find(struct outside *o);
uint64_t outside_cpu(const struct outside *o);

/* The last line that it said, "" if nothing. */
void outside_words(const struct outside *o, char *text, size_t size);

/* As Ctrl-C does. -ETIMEDOUT: it had to be killed. Fine for one that has ended. */
int outside_stop(struct outside *o);

/* CPU time of any process, its ended threads included; 0: it is gone. */
uint64_t process_cpu(pid_t pid);

#endif
