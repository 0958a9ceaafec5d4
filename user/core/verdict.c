/* SPDX-License-Identifier: MIT */
/* Judge a finished run, in one sentence. */
#include "core/verdict.h"
#include "core/units.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int parse_frames(const char *word, double *out)
{
	uint64_t n;
	int err = parse_count(word, &n);

	if (!err)
		*out = (double)n;
	return err;
}

static int parse_percent(const char *word, double *out)
{
	double percent;
	int err = parse_decimal(word, &percent);

	if (err)
		return err;
	if (percent > 100)
		return -EINVAL;
	*out = percent;
	return 0;
}

/* With its unit: a bare number would be seconds, and such a limit would never be met. */
static int parse_ns(const char *word, double *out)
{
	size_t n = strlen(word);
	uint64_t ns;

	if (!n || word[n - 1] != 's' || parse_duration(word, &ns))
		return -EINVAL;
	*out = (double)ns;
	return 0;
}

static double as_double(int64_t count)
{
	return count == UNKNOWN ? NAN : (double)count;
}

static double value_loss(const struct result_direction *d)
{
	return as_double(d->ledger.lost);
}

/* Frames that should have come: those sent, or where the sender is not ours, come and missing. */
static int64_t frames_due(const struct ledger *l)
{
	if (l->submitted != UNKNOWN)
		return l->submitted;
	if (l->lost == UNKNOWN || l->matched == UNKNOWN)
		return UNKNOWN;
	return l->lost + l->matched + l->corrupt + (l->too_late == UNKNOWN ? 0 : l->too_late);
}

static double value_loss_percent(const struct result_direction *d)
{
	int64_t due = frames_due(&d->ledger);

	return due == UNKNOWN || due == 0 ? NAN : 100 * value_loss(d) / (double)due;
}

static double value_rx_pps(const struct result_direction *d)
{
	return d->rates.rx_pps;
}

static double value_p99(const struct result_direction *d)
{
	return as_double(d->latency.p99);
}

static const struct limit_kind {
	const char *name;
	int (*parse)(const char *word, double *out);
	double (*value)(const struct result_direction *d); /* NAN: not known */
	const char *(*format)(char *text, size_t size, double value);
	const char *unit;
} limit_kinds[LIMIT_KINDS] = {
	[LIMIT_LOSS] = {"loss", parse_frames, value_loss, format_count, " lost"},
	[LIMIT_LOSS_PERCENT] = {"loss%", parse_percent, value_loss_percent, format_count,
				" % lost"},
	[LIMIT_RX_PPS] = {"rx_pps", parse_decimal, value_rx_pps, format_count, "pps received"},
	[LIMIT_LATENCY_P99] = {"p99", parse_ns, value_p99, format_ns, " p99 latency"},
};

int limit_parse(const char *word, struct limit *out)
{
	size_t name = strcspn(word, "<>");
	struct limit limit = {.above = word[name] == '>'};

	if (!word[name] || strlen(word) >= sizeof(limit.text))
		return -EINVAL;
	for (int i = 0; i < LIMIT_KINDS; i++) {
		if (strlen(limit_kinds[i].name) != name ||
		    memcmp(limit_kinds[i].name, word, name) != 0)
			continue;
		if (limit_kinds[i].parse(word + name + 1, &limit.value))
			return -EINVAL;
		limit.what = (enum limit_what)i;
		memcpy(limit.text, word, strlen(word) + 1);
		*out = limit;
		return 0;
	}
	return -EINVAL;
}

/* A direction in its trial. place_next goes through all of a run. */
struct place {
	const struct result *result;
	const struct result_trial *trial;
	const struct result_direction *direction;
	uint32_t next_trial, next_direction;
};

static bool place_next(struct place *at)
{
	for (; at->next_trial < at->result->ntrials; at->next_trial++, at->next_direction = 0) {
		at->trial = &at->result->trial[at->next_trial];
		if (at->next_direction < at->trial->ndirections) {
			at->direction = &at->trial->direction[at->next_direction++];
			return true;
		}
	}
	return false;
}

/* "lab-a to lab-b", "from lab-a", "at lab-b"; with the leg, and the trial where there are more. */
static void format_place(const struct place *at, char *text, size_t size)
{
	const struct result_direction *d = at->direction;
	const char *trial = at->result->ntrials > 1 ? at->trial->name : "";
	char ends[136], in[56] = "";

	if (d->from[0] && d->to[0])
		snprintf(ends, sizeof(ends), "%s to %s", d->from, d->to);
	else
		snprintf(ends, sizeof(ends), "%s %s", d->from[0] ? "from" : "at",
			 d->from[0] ? d->from : d->to);
	if (d->leg[0] || trial[0])
		snprintf(in, sizeof(in), " (%s%s%s)", trial, trial[0] && d->leg[0] ? ", " : "",
			 d->leg);
	snprintf(text, size, "%s%s", ends, in);
}

static const char *plural(int64_t n)
{
	return n == 1 || n == -1 ? "" : "s";
}

/* What the ledger must say anyway. Fills text and returns true when it does not. */
static bool ledger_fails(const struct place *at, char *text, size_t size)
{
	const struct ledger *l = &at->direction->ledger;
	char where[192], n[32];

	format_place(at, where, sizeof(where));
	if (l->submitted != UNKNOWN && l->submitted > 0 && l->matched == 0) {
		snprintf(text, size, "%s: %s frame%s sent, none arrived%s", where,
			 format_exact(n, sizeof(n), l->submitted), plural(l->submitted),
			 l->corrupt > 0 ? " undamaged" : "");
		return true;
	}
	if (l->wire_lost != UNKNOWN && l->unexplained != UNKNOWN && l->unexplained != 0) {
		snprintf(text, size, "%s: %s frame%s unexplained", where,
			 format_exact(n, sizeof(n), l->unexplained), plural(l->unexplained));
		return true;
	}
	if (l->receive_unexplained != UNKNOWN && l->receive_unexplained != 0) {
		snprintf(text, size,
			 "%s: %s frame%s unexplained between the XDP program and the socket", where,
			 format_exact(n, sizeof(n), l->receive_unexplained),
			 plural(l->receive_unexplained));
		return true;
	}
	return false;
}

static bool limit_fails(const struct place *at, const struct limit *limit, bool *checked,
			char *text, size_t size)
{
	const struct limit_kind *kind = &limit_kinds[limit->what];
	double value = kind->value(at->direction);
	char where[192], number[32];

	if (isnan(value))
		return false;
	*checked = true;
	if (limit->above ? value <= limit->value : value >= limit->value)
		return false;
	format_place(at, where, sizeof(where));
	snprintf(text, size, "%s: %s%s, limit %s", where,
		 kind->format(number, sizeof(number), value), kind->unit, limit->text);
	return true;
}

static bool any_ledger_fails(const struct result *result, char *text, size_t size)
{
	struct place at = {.result = result};

	while (place_next(&at))
		if (ledger_fails(&at, text, size))
			return true;
	return false;
}

/* A limit on a figure that no direction has is not kept: it can't be said to be. */
static bool any_limit_fails(const struct result *result, const struct limit *limit, char *text,
			    size_t size)
{
	struct place at = {.result = result};
	bool checked = false;

	while (place_next(&at))
		if (limit_fails(&at, limit, &checked, text, size))
			return true;
	if (checked)
		return false;
	snprintf(text, size, "limit %s can't be checked: this run has no such figure", limit->text);
	return true;
}

struct totals {
	int64_t due, lost, unexplained, sent;
	int judged;	/* directions whose loss is known */
	bool explained; /* in all of them */
};

static struct totals add_up(const struct result *result)
{
	struct totals t = {.explained = true};
	struct place at = {.result = result};

	while (place_next(&at)) {
		const struct ledger *l = &at.direction->ledger;

		if (l->submitted != UNKNOWN)
			t.sent += l->submitted;
		if (l->lost == UNKNOWN)
			continue;
		t.judged++;
		t.due += frames_due(l);
		t.lost += l->lost > 0 ? l->lost : 0;
		if (l->unexplained == UNKNOWN)
			t.explained = false;
		else
			t.unexplained += l->unexplained;
	}
	return t;
}

static void say_loss(const struct totals *t, char *text, size_t size)
{
	double percent = 100 * (double)t->lost / (double)t->due;
	char lost[32], due[32], rate[32] = "under 0.01", rest[96] = "";

	if (t->unexplained)
		snprintf(rest, sizeof(rest),
			 ", %s unexplained: a port here has no counters to tell",
			 format_exact(lost, sizeof(lost), t->unexplained));
	else if (t->explained)
		snprintf(rest, sizeof(rest), ", all explained");
	if (percent >= 0.01)
		snprintf(rate, sizeof(rate), "%.2f", percent);
	snprintf(text, size, "%s %% lost (%s of %s)%s", rate,
		 format_exact(lost, sizeof(lost), t->lost), format_exact(due, sizeof(due), t->due),
		 rest);
}

static void say_fine(const struct result *result, char *text, size_t size)
{
	struct totals t = add_up(result);
	char n[32];

	if (t.lost > 0)
		say_loss(&t, text, size);
	else if (t.judged && t.due > 0)
		snprintf(text, size, "no loss in %d direction%s", t.judged, plural(t.judged));
	else if (t.sent > 0)
		snprintf(text, size, "%s frame%s sent", format_exact(n, sizeof(n), t.sent),
			 plural(t.sent));
	else
		snprintf(text, size, "no frames of this test were seen");
}

void verdict_judge(struct result *result, const struct limit *limits, int nlimits)
{
	struct result_verdict *v = &result->verdict;
	bool fails = any_ledger_fails(result, v->text, sizeof(v->text));

	for (int i = 0; i < nlimits && !fails; i++)
		fails = any_limit_fails(result, &limits[i], v->text, sizeof(v->text));
	v->status = fails ? 3 : 0;
	if (!fails)
		say_fine(result, v->text, sizeof(v->text));
}
