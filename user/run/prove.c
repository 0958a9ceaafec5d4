/* SPDX-License-Identifier: MIT */
/* A few frames before the first trial: did they cross, do two ports face each other? */
#include "io/log.h"
#include "run/state.h"
#include <errno.h>
#include <stdio.h>

#define PROOF_FRAMES  16
#define FACING_FRAMES 3
#define PROOF_NS      500000000ull

static const struct phase proof_phase = {
	.name = "proof",
	.tx = {TX_GENERATE, TX_GENERATE},
	.rx = {RX_COUNT, RX_COUNT},
	.expect = {STAMP_FROM_B, 0},
	.ndirections = 2,
	.direction = {{0, 1, ""}, {1, 0, ""}},
};

/* Frames that crossed from A to B and from B to A. */
static int prove_once(struct session *s, uint32_t frames, int64_t crossed[2])
{
	struct trial_spec spec = {
		.phase = &proof_phase,
		.duration_ns = PROOF_NS,
		.frames = frames,
		.rate = {.unit = RATE_MAX},
		.silent = true,
	};
	struct result_trial trial = {};
	int err = session_trial(s, &spec, &trial);

	for (uint32_t i = 0; i < trial.ndirections; i++)
		crossed[i] = trial.direction[i].ledger.matched;
	session_trial_free(&trial);
	return err;
}

/* Two ports that face each other would send the same frames round for ever. */
int session_faces(struct session *s)
{
	int64_t crossed[2] = {};
	int err = prove_once(s, FACING_FRAMES, crossed);

	if (err)
		return err;
	if (crossed[0] <= 0 && crossed[1] <= 0)
		return 0;
	log_error("%s and %s are cabled to each other: nothing else could send through them; to "
		  "test them use: xdploop bench %s %s",
		  s->config->port[0], s->config->port[1], s->config->port[0], s->config->port[1]);
	return -ELOOP;
}

/* A mode that binds but moves nothing is stepped down from. 1: frames crossed; 0: none at the end.
 */
int session_prove(struct session *s)
{
	for (;;) {
		int64_t crossed[2] = {};
		char why[96];
		int err = prove_once(s, PROOF_FRAMES, crossed);

		if (err)
			return err;
		if (crossed[0] > 0 && crossed[1] > 0)
			return 1;
		snprintf(why, sizeof(why), "nothing that %.32s sent arrived",
			 s->ports.port[crossed[0] > 0].nic.text);
		for (uint32_t i = 0; i < s->nworkers; i++)
			worker_done(&s->worker[i]);
		if (s->stop || ports_step_down(&s->ports, why))
			return crossed[0] > 0 || crossed[1] > 0;
		session_workers(s);
	}
}
