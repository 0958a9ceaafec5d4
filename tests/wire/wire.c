// SPDX-License-Identifier: MIT
/*
 * The bad wire: forwards frames between two ports and does to some of them exactly what it was
 * told. What it prints at the end is the truth of a test. A port is an interface of the current
 * network namespace or, as unix:MINE:PEER, an emulated one at a datagram socket.
 *
 *   wire A B [--seconds N] [RULES for A to B] [--back [RULES for B to A]]
 *
 *   --lose 5,17          do not forward these frames
 *   --lose-every N       nor each Nth (N-1, 2N-1, ...)
 *   --cut N              nor frame N and all behind it
 *   --dup 3,44           forward these twice
 *   --late 10:1,20:5000  forward frame 10 behind frame 10 + 1, 20 behind 20 + 5000
 *   --corrupt 7:50:0x01  xor byte 50 of frame 7 with 0x01
 *
 * Frames are counted from 0 in each direction and each run (the stamp's run number: a trial); only
 * those with the stamp's magic at its place count, all others pass as they are. The frames of the
 * first run do when --skip-runs 1 is given: that is bench's proof that the wire is there.
 *
 * First line on stdout: {"ready": true}; last, at SIGTERM or after --seconds: what was done, for
 * each direction and run. "overrun" or "send_failed" above 0 make that void.
 */
#include "abi/stamp.h"
#include "port.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define BATCH	  64
#define FRAME_MAX 16384
#define RULES_MAX 8192
#define HELD_MAX  64
#define IDLE_MS	  200

enum action { LOSE, DUP, LATE, CORRUPT, ACTIONS };

static const char *const action_done[ACTIONS] = {
	[LOSE] = "lost",
	[DUP] = "duplicated",
	[LATE] = "late",
	[CORRUPT] = "corrupted",
};

struct rule {
	uint64_t frame;
	enum action action;
	uint64_t arg; /* LATE: how many frames; CORRUPT: offset */
	uint8_t mask;
};

struct held {
	uint8_t *data;
	size_t len;
	uint64_t frame, until, forwarded;
};

struct list {
	uint64_t n, room;
	uint64_t *frame;
};

struct direction {
	struct wire_port *in, *out;
	FILE *report; /* the runs that have ended, as JSON */
	char *text;
	size_t text_size;
	unsigned run, last_run, runs, skip_runs;
	struct rule rule[RULES_MAX];
	int nrules, next; /* sorted by frame */
	uint64_t lose_every, cut;
	struct held held[HELD_MAX];
	int nheld;
	uint64_t last_ns;
	uint64_t other, send_failed, overrun;
	/* of the run */
	uint64_t seen, forwarded;
	struct list done[ACTIONS];
};

static void die_usage(const char *word)
{
	fprintf(stderr, "wire: can't use '%s'\n", word);
	exit(2);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void list_add(struct list *list, uint64_t frame)
{
	if (list->n == list->room) {
		list->room = list->room ? 2 * list->room : 64;
		list->frame = realloc(list->frame, list->room * sizeof(*list->frame));
		if (!list->frame)
			die("list");
	}
	list->frame[list->n++] = frame;
}

/* The rules, "N", "N:ARG" or "N:ARG:MASK", with commas between. */
static void rules_add(struct direction *d, enum action action, char *words)
{
	static const int fields[ACTIONS] = {[LOSE] = 1, [DUP] = 1, [LATE] = 2, [CORRUPT] = 3};

	for (char *word = strtok(words, ","); word; word = strtok(NULL, ",")) {
		unsigned long long v[3] = {0};
		char *end = word;
		int n = 0;

		for (char *at = word; n < fields[action]; at = end + 1) {
			v[n++] = strtoull(at, &end, 0);
			if (*end != ':')
				break;
		}
		if (*end || n != fields[action] || d->nrules == RULES_MAX)
			die_usage(word);
		d->rule[d->nrules++] = (struct rule){v[0], action, v[1], (uint8_t)v[2]};
	}
}

static int rule_order(const void *a, const void *b)
{
	const struct rule *x = a, *y = b;

	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static uint64_t number(const char *word)
{
	char *end;
	uint64_t v = strtoull(word ? word : "", &end, 0);

	if (!word || end == word || *end)
		die_usage(word ? word : "nothing");
	return v;
}

static unsigned rules_parse(struct direction dir[2], char **word)
{
	struct direction *d = &dir[0];
	unsigned seconds = 120;

	for (; *word; word++) {
		if (!strcmp(*word, "--back")) {
			d = &dir[1];
			continue;
		}
		if (!word[1])
			die_usage(*word);
		if (!strcmp(*word, "--seconds"))
			seconds = (unsigned)number(*++word);
		else if (!strcmp(*word, "--skip-runs"))
			dir[0].skip_runs = dir[1].skip_runs = (unsigned)number(*++word);
		else if (!strcmp(*word, "--lose"))
			rules_add(d, LOSE, *++word);
		else if (!strcmp(*word, "--lose-every"))
			d->lose_every = number(*++word);
		else if (!strcmp(*word, "--cut"))
			d->cut = number(*++word);
		else if (!strcmp(*word, "--dup"))
			rules_add(d, DUP, *++word);
		else if (!strcmp(*word, "--late"))
			rules_add(d, LATE, *++word);
		else if (!strcmp(*word, "--corrupt"))
			rules_add(d, CORRUPT, *++word);
		else
			die_usage(*word);
	}
	for (int i = 0; i < 2; i++)
		qsort(dir[i].rule, (size_t)dir[i].nrules, sizeof(dir[i].rule[0]), rule_order);
	return seconds;
}

static void forward(struct direction *d, const uint8_t *data, size_t len)
{
	if (!wire_port_send(d->out, data, len))
		d->send_failed++;
}

/* Send what was held back long enough; all of it when the direction is idle. */
static void held_release(struct direction *d, bool idle)
{
	int kept = 0;

	for (int i = 0; i < d->nheld; i++) {
		struct held *h = &d->held[i];

		if (!idle && h->until >= d->seen) {
			d->held[kept++] = *h;
			continue;
		}
		forward(d, h->data, h->len);
		if (d->forwarded > h->forwarded)
			list_add(&d->done[LATE], h->frame);
		d->forwarded++;
		free(h->data);
	}
	d->nheld = kept;
}

static void hold(struct direction *d, const uint8_t *data, size_t len, uint64_t frame, uint64_t by)
{
	struct held *h = &d->held[d->nheld];

	if (d->nheld == HELD_MAX) {
		errno = ENOBUFS;
		die("too many frames to hold back");
	}
	*h = (struct held){malloc(len), len, frame, frame + by, d->forwarded};
	if (!h->data)
		die("memory");
	memcpy(h->data, data, len);
	d->nheld++;
}

static void handle_counted(struct direction *d, uint8_t *data, size_t len)
{
	uint64_t frame = d->seen++, late = 0;
	bool lose = d->lose_every && frame % d->lose_every == d->lose_every - 1;
	int copies = 1;

	lose = lose || frame >= d->cut;
	for (; d->next < d->nrules && d->rule[d->next].frame == frame; d->next++) {
		const struct rule *r = &d->rule[d->next];

		if (r->action == LOSE) {
			lose = true;
		} else if (r->action == LATE) {
			late = r->arg;
		} else if (r->action == DUP) {
			copies++;
			list_add(&d->done[DUP], frame);
		} else if (r->arg < len) {
			data[r->arg] ^= r->mask;
			list_add(&d->done[CORRUPT], frame);
		}
	}
	if (lose) {
		list_add(&d->done[LOSE], frame);
	} else if (late) {
		hold(d, data, len, frame, late);
	} else {
		for (int i = 0; i < copies; i++)
			forward(d, data, len);
		d->forwarded += (unsigned)copies;
	}
	held_release(d, false);
}

/* The run is over, as far as it came this way. */
static void run_end(struct direction *d)
{
	held_release(d, true);
	fprintf(d->report, "%s{\"run\": %u, \"seen\": %llu, \"forwarded\": %llu",
		d->runs > 1 ? ", " : "", d->run, (unsigned long long)d->seen,
		(unsigned long long)d->forwarded);
	for (int a = 0; a < ACTIONS; a++) {
		fprintf(d->report, ", \"%s\": [", action_done[a]);
		for (uint64_t i = 0; i < d->done[a].n; i++)
			fprintf(d->report, "%s%llu", i ? ", " : "",
				(unsigned long long)d->done[a].frame[i]);
		fprintf(d->report, "]");
		d->done[a].n = 0;
	}
	fprintf(d->report, "}");
}

static void run_begin(struct direction *d, unsigned run)
{
	if (d->runs)
		run_end(d);
	d->last_run = d->run;
	d->run = run;
	d->runs++;
	d->seen = d->forwarded = 0;
	d->next = 0;
}

static void handle_stamped(struct direction *d, uint8_t *data, size_t len)
{
	unsigned run = load_be16(data + STAMP_OFFSET + 4);

	if (!d->runs || (run != d->run && run != d->last_run))
		run_begin(d, run);
	if (d->runs <= d->skip_runs || run != d->run) {
		forward(d, data, len);
		d->seen++;
		d->forwarded++;
	} else {
		handle_counted(d, data, len);
	}
}

static bool is_stamped(const uint8_t *data, size_t len)
{
	return len >= STAMP_OFFSET + STAMP_LEN && load_be16(data + STAMP_OFFSET) == STAMP_MAGIC;
}

/* Take what has come, at most a few batches so that the other direction has its turn. */
static bool pump(struct direction *d)
{
	static uint8_t area[BATCH][FRAME_MAX];
	static struct iovec iov[BATCH];
	static struct mmsghdr msg[BATCH];
	int n;

	for (int i = 0; i < BATCH; i++) {
		iov[i] = (struct iovec){area[i], FRAME_MAX};
		msg[i].msg_hdr = (struct msghdr){.msg_iov = &iov[i], .msg_iovlen = 1};
	}
	n = recvmmsg(d->in->fd, msg, BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++) {
		if (is_stamped(area[i], msg[i].msg_len)) {
			handle_stamped(d, area[i], msg[i].msg_len);
		} else {
			d->other++;
			forward(d, area[i], msg[i].msg_len);
		}
	}
	if (n > 0)
		d->last_ns = now_ns();
	else if (d->nheld && now_ns() - d->last_ns > IDLE_MS * 1000000ull)
		held_release(d, true);
	return n > 0;
}

static void direction_print(struct direction *d)
{
	if (d->runs)
		run_end(d);
	d->overrun += wire_port_overrun(d->in);
	if (fclose(d->report))
		die("report");
	printf("{\"from\": \"%s\", \"to\": \"%s\", \"runs\": [%s]", d->in->name, d->out->name,
	       d->text);
	printf(", \"other\": %llu, \"send_failed\": %llu, \"overrun\": %llu",
	       (unsigned long long)d->other, (unsigned long long)d->send_failed,
	       (unsigned long long)d->overrun);
	printf("}");
}

/* Stay on one CPU: veth chooses the receive queue by it, and a flow must not change queues. */
static void stay_here(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
}

static int stop_open(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		die("signalfd");
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	return fd;
}

int main(int argc, char **argv)
{
	static struct direction dir[2] = {{.cut = UINT64_MAX}, {.cut = UINT64_MAX}};
	static struct wire_port port[2];
	struct pollfd fds[3];
	uint64_t end;
	bool stop = false, busy = true;

	if (argc < 3)
		die_usage("no ports: wire A B ...");
	end = now_ns() + rules_parse(dir, argv + 3) * 1000000000ull;
	for (int i = 0; i < 2; i++) {
		wire_port_open(&port[i], argv[1 + i]);
		dir[i].in = &port[i];
		dir[i].out = &port[1 - i];
		dir[i].report = open_memstream(&dir[i].text, &dir[i].text_size);
		if (!dir[i].report)
			die("memory");
		fds[i] = (struct pollfd){port[i].fd, POLLIN, 0};
	}
	if (port[0].interface)
		stay_here();
	fds[2] = (struct pollfd){stop_open(), POLLIN, 0};
	printf("{\"ready\": true}\n");
	fflush(stdout);
	while (busy || !stop) {
		busy = pump(&dir[0]);
		busy = pump(&dir[1]) || busy;
		if (!busy && poll(fds, 3, IDLE_MS) < 0)
			die("poll");
		if (busy)
			poll(&fds[2], 1, 0);
		stop = stop || (fds[2].revents & POLLIN) || now_ns() > end;
		if (now_ns() > end + 1000000000ull)
			break;
	}
	for (int i = 0; i < 2; i++) {
		printf(i ? ", " : "[");
		direction_print(&dir[i]);
	}
	printf("]\n");
	return 0;
}
