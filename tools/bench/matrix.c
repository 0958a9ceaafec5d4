/* SPDX-License-Identifier: MIT */
#include "matrix.h"
#include "json.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS_FEW 3 /* where nothing is judged */

static const uint32_t queue_numbers[] = {1, 2}, sizes[] = {64, 1518};

#define SIZEOF(array) (sizeof(array) / sizeof((array)[0]))

static const char *kind_name(enum kind kind)
{
	return kind == OURS ? "ours" : kind == PEER ? "peer" : "reference";
}

/* One of the alternatives of a word is one of the tags. */
static bool word_takes(const char *word, const char *const *tags, size_t ntags)
{
	for (size_t len; *word; word += len + (word[len] == ',')) {
		len = strcspn(word, ",");
		for (size_t i = 0; i < ntags; i++)
			if (strlen(tags[i]) == len && !strncmp(word, tags[i], len))
				return true;
	}
	return false;
}

bool words_take(char **words, int n, const char *const *tags, size_t ntags)
{
	for (int i = 0; i < n; i++)
		if (!word_takes(words[i], tags, ntags))
			return false;
	return true;
}

static bool takes(char **words, int n, const struct subject *s, uint32_t queues, uint32_t size)
{
	char queues_text[12], size_text[12];
	const char *tags[] = {work_name(s->work), kind_name(s->kind), s->name, queues_text,
			      size_text};

	snprintf(queues_text, sizeof(queues_text), "%uq", queues);
	snprintf(size_text, sizeof(size_text), "%u", size);
	return words_take(words, n, tags, SIZEOF(tags));
}

static bool known(char *word)
{
	static const char *const others[] = {"own", "idle"};

	for (size_t s = 0; s < nsubjects; s++)
		for (size_t q = 0; q < SIZEOF(queue_numbers); q++)
			for (size_t z = 0; z < SIZEOF(sizes); z++)
				if (takes(&word, 1, &subjects[s], queue_numbers[q], sizes[z]))
					return true;
	return word_takes(word, others, SIZEOF(others));
}

const char *words_unknown(char **words, int n)
{
	for (int i = 0; i < n; i++)
		if (!known(words[i]))
			return words[i];
	return NULL;
}

static bool judged(const struct heat *heat)
{
	return heat->queues == 1 && heat->size == 64;
}

static void heat_fill(struct heat *heat, char **words, int n)
{
	for (size_t i = 0; i < nsubjects; i++)
		if (subjects[i].work == heat->work && heat->ncells < HEAT_CELLS &&
		    takes(words, n, &subjects[i], heat->queues, heat->size))
			heat->cell[heat->ncells++] = (struct cell){.subject = &subjects[i]};
}

static bool heat_failed(const struct heat *heat)
{
	for (int i = 0; i < heat->ncells; i++)
		if (heat->cell[i].rounds != HEAT_ABSENT && heat->cell[i].rounds != heat->rounds)
			return true;
	return false;
}

int matrix_run(struct matrix *m, char **words, int n)
{
	int err = 0;

	for (int i = 0; i < MATRIX_HEATS; i++) {
		struct heat *heat = &m->heat[m->nheats];

		*heat = (struct heat){.work = (enum work)(i % WORKS),
				      .queues = queue_numbers[i / WORKS % 2],
				      .size = sizes[i / WORKS / 2]};
		heat->rounds = judged(heat) ? ROUNDS : ROUNDS_FEW;
		heat_fill(heat, words, n);
		if (!heat->ncells || course_cpus(&m->course, heat->queues))
			continue;
		fprintf(stderr, "bench: %s, %u bytes, %u queue%s: %d subjects, %d rounds\n",
			work_name(heat->work), heat->size, heat->queues,
			heat->queues > 1 ? "s" : "", heat->ncells, heat->rounds);
		heat_run(heat, &m->course);
		if (heat_failed(heat))
			err = -EIO;
		m->nheats++;
	}
	return err;
}

/* --- pairs --------------------------------------------------------------------------------------
 */

static const struct heat *judged_heat(const struct matrix *m, enum work work)
{
	for (int i = 0; i < m->nheats; i++)
		if (m->heat[i].work == work && judged(&m->heat[i]))
			return &m->heat[i];
	return NULL;
}

/* Round by round; false: one of them was not measured. */
static bool pair_middle(const struct matrix *m, const struct pair *pair, struct middle *out)
{
	const struct heat *heat = judged_heat(m, pair->work);
	const struct cell *ours = heat ? heat_cell(heat, pair->ours) : NULL;
	const struct cell *reference = heat ? heat_cell(heat, pair->reference) : NULL;
	const struct cell *base = heat ? heat_cell(heat, "feeder-alone") : NULL;
	double values[ROUNDS];

	if (!ours || !reference || (pair->measure == HOP_AT_MOST && !base))
		return false;
	for (int i = 0; i < heat->rounds; i++) {
		double a = ours->ns[i], b = reference->ns[i];

		switch (pair->measure) {
		case AT_LEAST:
			values[i] = b / a;
			break;
		case HOP_AT_MOST:
			values[i] = (a - base->ns[i]) / (b - base->ns[i]);
			break;
		case MORE_AT_MOST:
			values[i] = a - b;
			break;
		}
	}
	*out = middle_of(values, heat->rounds);
	return true;
}

static bool reached(const struct pair *pair, const struct middle *m)
{
	return pair->measure == AT_LEAST ? m->median >= pair->target : m->median <= pair->target;
}

static void print_pair(const struct pair *pair, const struct middle *m)
{
	static const char *const targets[] = {
		[AT_LEAST] = ">= %.2f",
		[HOP_AT_MOST] = "hop <= %.2f",
		[MORE_AT_MOST] = "<= %+.0f ns",
	};
	const char *form =
		pair->measure == MORE_AT_MOST ? "%+.0f [%+.0f, %+.0f]" : "%.3f [%.3f, %.3f]";
	char text[40], target[16] = "";

	snprintf(text, sizeof(text), form, m->median, m->low, m->high);
	if (pair->target > 0)
		snprintf(target, sizeof(target), targets[pair->measure], pair->target);
	printf("  %-8s %-19s / %-19s %-21s %-12s %s\n", work_name(pair->work), pair->ours,
	       pair->reference, text, target,
	       pair->target > 0 ? reached(pair, m) ? "reached" : "not reached" : "");
}

static void print_pairs(const struct matrix *m)
{
	bool head = false;
	struct middle middle;

	for (size_t i = 0; i < npairs; i++) {
		if (!pair_middle(m, &pairs[i], &middle))
			continue;
		if (!head)
			printf("\nPaired, 64-byte frames, one queue: how many times cheaper ours "
			       "is [ranks 2, 8]\n");
		head = true;
		print_pair(&pairs[i], &middle);
	}
}

/* --- cells --------------------------------------------------------------------------------------
 */

static void print_cell(const struct cell *cell, int rounds)
{
	struct middle ns;
	char interval[32];

	printf("  %-20s", cell->subject->name);
	if (cell->rounds != rounds) {
		printf(" -  %.74s\n", cell->why);
		return;
	}
	ns = middle_of(cell->ns, rounds);
	snprintf(interval, sizeof(interval), "[%.0f, %.0f]", ns.low, ns.high);
	printf(" %8.0f %-15s %7.3f", ns.median, interval, middle_of(cell->mpps, rounds).median);
	if (cell->subject->work == SEND)
		printf(" %7s", "");
	else
		printf(" %5.1f %%", 100 * middle_of(cell->lost, rounds).median);
	printf("  %.36s\n", cell->why);
}

static void print_absent(const struct matrix *m)
{
	bool head = false;

	for (int i = 0; i < m->nheats; i++)
		for (int c = 0; c < m->heat[i].ncells && !m->course.root; c++)
			if (m->heat[i].cell[c].subject->kind == PEER && !head) {
				printf("\nThe peers are not here, so there is nothing to compare "
				       "with: make bench-peers gets them\n(Debian packages in a "
				       "folder of their own, outside the tree).\n");
				head = true;
			}
}

void matrix_print(const struct matrix *m)
{
	for (int i = 0; i < m->nheats; i++) {
		const struct heat *heat = &m->heat[i];
		char title[64];

		snprintf(title, sizeof(title), "%s, %u bytes, %u queue%s", work_name(heat->work),
			 heat->size, heat->queues, heat->queues > 1 ? "s" : "");
		printf("\n%-30s %-16s %7s %7s  (%d rounds)\n", title, "ns of CPU/frame", "Mpps",
		       heat->work == SEND ? "" : "lost", heat->rounds);
		for (int c = 0; c < heat->ncells; c++)
			print_cell(&heat->cell[c], heat->rounds);
	}
	print_pairs(m);
	print_absent(m);
}

static json_t *cell_json(const struct heat *heat, const struct cell *cell)
{
	const struct subject *s = cell->subject;
	json_t *o =
		json_pack("{s:s, s:s, s:s, s:i, s:i, s:b}", "work", work_name(s->work), "subject",
			  s->name, "kind", kind_name(s->kind), "queues", (int)heat->queues,
			  "frame_bytes", (int)heat->size, "done", cell->rounds == heat->rounds);

	if (cell->command[0])
		json_object_set_new(o, "command", json_string(cell->command));
	json_object_set_new(o, "settings", json_string(s->why));
	if (cell->why[0])
		json_object_set_new(o, "note", json_string(cell->why));
	if (cell->rounds != heat->rounds)
		return o;
	json_object_set_new(o, "cpu_ns_per_frame", json_values(cell->ns, heat->rounds));
	json_object_set_new(o, "mpps", json_values(cell->mpps, heat->rounds));
	json_object_set_new(o, "median", json_middle(middle_of(cell->ns, heat->rounds)));
	json_object_set_new(o, "buffer_bytes",
			    cell->bytes > 0 ? json_real(cell->bytes) : json_null());
	if (s->work != SEND)
		json_object_set_new(o, "lost", json_values(cell->lost, heat->rounds));
	return o;
}

json_t *matrix_json(const struct matrix *m)
{
	json_t *array = json_array();

	for (int i = 0; i < m->nheats; i++)
		for (int c = 0; c < m->heat[i].ncells; c++)
			json_array_append_new(array, cell_json(&m->heat[i], &m->heat[i].cell[c]));
	return array;
}

json_t *matrix_pairs_json(const struct matrix *m)
{
	static const char *const measures[] = {"reference_by_ours", "hop_ours_by_reference",
					       "ours_minus_reference_ns"};
	json_t *array = json_array();
	struct middle middle;

	for (size_t i = 0; i < npairs; i++) {
		const struct pair *p = &pairs[i];
		json_t *o;

		if (!pair_middle(m, p, &middle))
			continue;
		o = json_pack("{s:s, s:s, s:s, s:s, s:o}", "work", work_name(p->work), "ours",
			      p->ours, "reference", p->reference, "measure", measures[p->measure],
			      "value", json_middle(middle));
		if (p->target > 0) {
			json_object_set_new(o, "target", json_real(p->target));
			json_object_set_new(o, "reached", json_boolean(reached(p, &middle)));
		}
		json_array_append_new(array, o);
	}
	return array;
}
