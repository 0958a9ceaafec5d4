/* SPDX-License-Identifier: MIT */
#include "fate.h"
#include <linux/bpf.h>
#include <sys/mman.h>

/* Where a refusal is counted: written out, so that the order in the map is tested too. */
static const size_t refused_at[REFUSALS] = {
	[REFUSE_SHORT] = offsetof(struct program_counters, refused_short),
	[REFUSE_MULTICAST] = offsetof(struct program_counters, refused_multicast),
	[REFUSE_LINK_LOCAL] = offsetof(struct program_counters, refused_link_local),
	[REFUSE_NEIGHBOUR] = offsetof(struct program_counters, refused_neighbour),
	[REFUSE_SOURCE] = offsetof(struct program_counters, refused_source),
	[REFUSE_REPLY] = offsetof(struct program_counters, refused_reply),
};

static const char *const phase_names[] = {"closed", "counting", "reflecting"};
const char *const match_mode_names[] = {"stamped", "udp", "all"};

/* Is it taken from the kernel's stack? */
static bool fate_taken(const struct fate *f)
{
	if (f->phase == STEER_CLOSED || f->kind == MATCH_NONE)
		return false;
	return f->phase == STEER_COUNT || f->kind == MATCH_LOOKALIKE || f->refusal == REFUSE_NOT;
}

static int fate_action(const struct fate *f)
{
	if (!fate_taken(f))
		return XDP_PASS;
	if (f->socket)
		return XDP_REDIRECT;
	return f->kind == MATCH_ASKED ? XDP_PASS : XDP_DROP;
}

/* The rows that one frame of len bytes moves. */
static void fate_count(const struct fate *f, uint32_t len, struct program_counters *c)
{
	if (f->phase == STEER_CLOSED)
		return;
	c->seen++;
	c->seen_bytes += len;
	if (fate_taken(f)) {
		*(f->socket ? &c->redirected : &c->no_socket) += 1;
		return;
	}
	c->passed++;
	if (f->kind != MATCH_NONE)
		*(uint64_t *)((char *)c + refused_at[f->refusal]) += 1;
}

/* What the metadata says: a frame like most of ours is named to a reflector. */
static uint16_t fate_told(const struct fate *f, const uint8_t *data, uint32_t len)
{
	bool plain = len >= 60 && f->stamp_offset == 42 && !memcmp(data + 12, "\x08\x00\x45", 3) &&
		     !(data[20] & 0x3f) && !data[21] && data[23] == 17;

	return (uint16_t)(plain && f->phase == STEER_REFLECT ? MATCH_PLAIN : f->kind);
}

/* Where a taken frame's metadata is right, nothing else differs from what went in. */
static bool out_is_right(const struct rig *rig, const struct fate *f, const struct pass *pass)
{
	bool metadata = rig->metadata && fate_taken(f);
	uint32_t front = metadata ? sizeof(struct frame_meta) : 0;
	struct frame_meta meta;

	if (pass->out_len != pass->len + front ||
	    memcmp(pass->out + front, pass->data, pass->len) != 0)
		return false;
	memcpy(&meta, pass->out, sizeof(meta));
	return !metadata || (meta.magic == FRAME_META_MAGIC &&
			     meta.kind == fate_told(f, pass->data, pass->len) &&
			     meta.stamp_offset == f->stamp_offset && meta.time_ns);
}

void check_fate(const struct rig *rig, const struct fate *f, struct pass *pass, uint32_t slot,
		const char *name)
{
	struct counter_slot expected[RIG_SLOTS];
	int err;

	memcpy(expected, rig->maps.slot, sizeof(expected));
	fate_count(f, pass->len, &expected[slot].program);
	err = rig_pass(rig, pass);
	if (err)
		fail_msg("%s (%u bytes): %s", name, pass->len, strerror(-err));
	if (pass->action != fate_action(f))
		fail_msg("%s (%u bytes), %s %s: action %d, not %d", name, pass->len,
			 phase_names[f->phase], match_mode_names[rig->match.mode], pass->action,
			 fate_action(f));
	if (memcmp(expected, rig->maps.slot, sizeof(expected)) != 0)
		fail_msg("%s (%u bytes), %s %s: other counters than foretold", name, pass->len,
			 phase_names[f->phase], match_mode_names[rig->match.mode]);
	if (!out_is_right(rig, f, pass))
		fail_msg("%s (%u bytes), %s %s: the frame, or what is put in front of it", name,
			 pass->len, phase_names[f->phase], match_mode_names[rig->match.mode]);
}

/* The frame ends where memory ends: a read beyond it is the end of the test. */
void ask_gcc(const struct match_config *match, const uint8_t *data, uint32_t len, struct fate *out)
{
	static uint8_t *page;
	uint8_t *at;

	if (!page) {
		page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(page, MAP_FAILED);
		assert_int_equal(mprotect(page + 4096, 4096, PROT_NONE), 0);
	}
	at = page + 4096 - len;
	memcpy(at, data, len);
	out->kind = match_frame(match, at, page + 4096, &out->stamp_offset);
	out->refusal = match_refusal(match, at, page + 4096, out->stamp_offset);
}

void check_vectors(const struct rig *rig, enum steer_phase phase, bool socket)
{
	for (size_t i = 0; i < VECTORS; i++) {
		const struct vector *v = &vectors[i];
		uint8_t data[VECTOR_MAX];
		struct pass pass = {.data = data, .len = vector_bytes(v, data)};
		struct fate fate = {
			.kind = vector_kind(v, rig->match.mode),
			.stamp_offset = (uint32_t)v->stamp_offset,
			.refusal = v->refusal,
			.phase = phase,
			.socket = socket,
		};

		check_fate(rig, &fate, &pass, 1, v->name);
	}
}
