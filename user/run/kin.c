/* SPDX-License-Identifier: MIT */
#include "run/kin.h"
#include "io/clock.h"
#include "io/live.h"
#include "report/report.h"
#include <stdlib.h>
#include <unistd.h>

#define LOOK_EVERY_NS 10000000ull
#define LOOKS_MAX     200 /* a sender of this host has shown itself by then */
#define RUNS_MAX      64
#define HELLO_MAX     65536
#define TRIALS_MAX    4096 /* run ids a run may use, one after the other */

static bool owns_run(const struct live_run *run, uint16_t id, char *text, struct facts *facts)
{
	char why[128];
	int fd = live_peek(run->path, text, HELLO_MAX);

	if (fd < 0)
		return false;
	close(fd);
	if (report_hello_parse(text, facts, why, sizeof(why)) || !facts->frame_bytes)
		return false;
	return (uint16_t)(id - facts->run) < TRIALS_MAX;
}

static bool look(uint16_t id, char *text, struct facts *facts)
{
	struct live_run run[RUNS_MAX];
	int n = live_list(run, RUNS_MAX);

	for (int i = 0; i < n; i++)
		if (run[i].pid != getpid() && owns_run(&run[i], id, text, facts))
			return true;
	return false;
}

static void *kin_main(void *arg)
{
	struct kin *kin = arg;
	char *text = malloc(HELLO_MAX);
	struct facts *facts = malloc(sizeof(*facts));

	for (int looks = 0; text && facts && looks < LOOKS_MAX;) {
		uint32_t seen = __atomic_load_n(kin->run_seen, __ATOMIC_RELAXED);

		if (__atomic_load_n(&kin->stop, __ATOMIC_ACQUIRE))
			break;
		looks += seen != 0;
		if (seen && look((uint16_t)seen, text, facts)) {
			__atomic_store_n(&kin->found, 1, __ATOMIC_RELEASE);
			break;
		}
		clock_sleep(LOOK_EVERY_NS);
	}
	free(text);
	free(facts);
	return NULL;
}

void kin_start(struct kin *kin, uint32_t *run_seen)
{
	*kin = (struct kin){.run_seen = run_seen};
	kin->started = !pthread_create(&kin->thread, NULL, kin_main, kin);
}

bool kin_found(const struct kin *kin)
{
	return __atomic_load_n(&kin->found, __ATOMIC_ACQUIRE);
}

void kin_stop(struct kin *kin)
{
	if (!kin || !kin->started)
		return;
	__atomic_store_n(&kin->stop, 1, __ATOMIC_RELEASE);
	pthread_join(kin->thread, NULL);
	kin->started = false;
}
