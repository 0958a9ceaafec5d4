/* SPDX-License-Identifier: MIT */
/* What has to become of a frame, foretold, and whether it does. */
#ifndef TESTS_BPF_FATE_H
#define TESTS_BPF_FATE_H

#include "rig.h"
#include "vectors.h"

struct fate {
	enum match_kind kind;
	uint32_t stamp_offset;
	enum refusal refusal;
	enum steer_phase phase;
	bool socket;
};

extern const char *const match_mode_names[];

/* Put it through; action, frame and every counter of every slot must be as foretold. */
void check_fate(const struct rig *rig, const struct fate *f, struct pass *pass, uint32_t slot,
		const char *name);

/* The whole table, on queue 0. */
void check_vectors(const struct rig *rig, enum steer_phase phase, bool socket);

/* What gcc's side says of the frame: kind, stamp_offset, refusal. */
void ask_gcc(const struct match_config *match, const uint8_t *data, uint32_t len, struct fate *out);

#endif
