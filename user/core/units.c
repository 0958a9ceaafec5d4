/* SPDX-License-Identifier: MIT */
/*
 * Read numbers with units. A word is a number (digits, or digits . digits) and what follows it;
 * there is no sign, exponent, blank, hex, or anything left over. Nothing here depends on the
 * locale.
 */
#include "core/units.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#define DIGITS_MAX     40 /* more than anything meaningful has; keeps powers of ten finite */
#define NS_PER_S       1000000000ull
#define SET_MAX	       1024
#define RATE_PPS_MAX   1e9
#define FRAMES_AN_HOUR (1.0 / 3600)

struct decimal {
	const char *digits; /* whole part */
	const char *fraction;
	size_t nwhole, nfraction;
};

static size_t count_digits(const char *p)
{
	size_t n = 0;

	while (p[n] >= '0' && p[n] <= '9')
		n++;
	return n;
}

/* Take a decimal number from the front of *p. */
static int take_decimal(const char **p, struct decimal *out)
{
	struct decimal d = {.digits = *p, .nwhole = count_digits(*p)};

	if (!d.nwhole)
		return -EINVAL;
	*p += d.nwhole;
	if (**p == '.') {
		d.fraction = *p + 1;
		d.nfraction = count_digits(d.fraction);
		if (!d.nfraction)
			return -EINVAL;
		*p += 1 + d.nfraction;
	}
	*out = d;
	return d.nwhole > DIGITS_MAX || d.nfraction > DIGITS_MAX ? -ERANGE : 0;
}

/* d * scale, exactly; scale is a small number times a power of ten. -EINVAL: not a whole number. */
static int decimal_times(const struct decimal *d, uint64_t scale, uint64_t *out)
{
	uint64_t value = 0, part;

	for (size_t i = 0; i < d->nwhole; i++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(d->digits[i] - '0'), &value))
			return -ERANGE;
	if (__builtin_mul_overflow(value, scale, &value))
		return -ERANGE;
	for (size_t i = 0; i < d->nfraction; i++) {
		part = (uint64_t)(d->fraction[i] - '0');
		if (!part) {
			scale = scale % 10 ? scale : scale / 10;
			continue;
		}
		if (scale % 10)
			return -EINVAL;
		scale /= 10;
		if (__builtin_add_overflow(value, part * scale, &value))
			return -ERANGE;
	}
	*out = value;
	return 0;
}

/* Right to the last bit for up to 15 digits: both operands of the division are exact. */
static double decimal_double(const struct decimal *d, double scale)
{
	double value = 0, divisor = 1;

	for (size_t i = 0; i < d->nwhole; i++)
		value = value * 10 + (d->digits[i] - '0');
	for (size_t i = 0; i < d->nfraction; i++) {
		value = value * 10 + (d->fraction[i] - '0');
		divisor *= 10;
	}
	return value * scale / divisor;
}

/* Power of ten of "k", "M" or "G" at *p, which is then passed; 1 when there is none. */
static uint64_t take_prefix(const char **p, const char *letters)
{
	const char *at = **p ? strchr(letters, **p) : NULL;

	if (!at)
		return 1;
	++*p;
	switch (*at) {
	case 'k':
	case 'K':
		return 1000;
	case 'm':
	case 'M':
		return 1000000;
	default:
		return 1000000000;
	}
}

int parse_count(const char *word, uint64_t *out)
{
	struct decimal d;
	uint64_t scale;
	int err = take_decimal(&word, &d);

	if (err == -EINVAL)
		return err;
	scale = take_prefix(&word, "kKMG");
	if (*word)
		return -EINVAL;
	return err ? err : decimal_times(&d, scale, out);
}

int parse_decimal(const char *word, double *out)
{
	struct decimal d;
	double scale;
	int err = take_decimal(&word, &d);

	if (err == -EINVAL)
		return err;
	scale = (double)take_prefix(&word, "kKMG");
	if (*word)
		return -EINVAL;
	if (!err)
		*out = decimal_double(&d, scale);
	return err;
}

static const struct duration_unit {
	const char *name;
	uint64_t ns;
} duration_units[] = {
	/* longest first: the order in which "1h2m3s" may name them */
	{"h", 3600 * NS_PER_S}, {"m", 60 * NS_PER_S}, {"s", NS_PER_S},
	{"ms", 1000000},	{"us", 1000},	      {"ns", 1},
};

#define DURATION_UNITS (sizeof(duration_units) / sizeof(duration_units[0]))

/* Take a unit below row first; its row, or DURATION_UNITS. */
static size_t take_duration_unit(const char **p, size_t first)
{
	size_t n = 0;

	while (isalpha((unsigned char)(*p)[n]))
		n++;
	for (size_t i = first; i < DURATION_UNITS; i++) {
		if (strlen(duration_units[i].name) != n ||
		    memcmp(duration_units[i].name, *p, n) != 0)
			continue;
		*p += n;
		return i;
	}
	return DURATION_UNITS;
}

int parse_duration(const char *word, uint64_t *out_ns)
{
	uint64_t total = 0, part, scale;
	size_t unit, next = 0;
	struct decimal d;
	int err, first_err = 0;

	do {
		err = take_decimal(&word, &d);
		if (err == -EINVAL)
			return err;
		scale = NS_PER_S;
		if (next || *word) {
			unit = take_duration_unit(&word, next);
			if (unit == DURATION_UNITS || (d.nfraction && *word))
				return -EINVAL;
			scale = duration_units[unit].ns;
			next = unit + 1;
		}
		err = err ? err : decimal_times(&d, scale, &part);
		if (!err && (__builtin_add_overflow(total, part, &total) || total > INT64_MAX))
			err = -ERANGE;
		first_err = first_err ? first_err : err;
	} while (*word);
	if (!first_err)
		*out_ns = total;
	return first_err;
}

static const struct {
	const char *name;
	enum rate_unit unit;
} rate_units[] = {
	{"pps", RATE_PPS},
	{"bps", RATE_L1_BPS},
	{"bps/l1", RATE_L1_BPS},
	{"bps/l2", RATE_L2_BPS},
};

int parse_rate(const char *word, struct rate_spec *out)
{
	struct rate_spec rate = {.unit = RATE_MAX};
	struct decimal d;
	int err;

	if (!strcasecmp(word, "max")) {
		*out = rate;
		return 0;
	}
	err = take_decimal(&word, &d);
	if (err == -EINVAL)
		return err;
	if (!strcmp(word, "%")) {
		rate.unit = RATE_PERCENT;
		rate.value = decimal_double(&d, 1);
	} else {
		double scale = (double)take_prefix(&word, "kKmMgG");

		for (size_t i = 0; i < sizeof(rate_units) / sizeof(rate_units[0]); i++)
			if (!strcasecmp(word, rate_units[i].name))
				rate.unit = rate_units[i].unit;
		if (rate.unit == RATE_MAX)
			return -EINVAL;
		rate.value = decimal_double(&d, scale);
	}
	if (err || !(rate.value > 0) || (rate.unit == RATE_PERCENT && rate.value > 100))
		return -ERANGE;
	*out = rate;
	return 0;
}

int rate_to_pps(const struct rate_spec *rate, uint32_t frame_bytes, uint64_t link_bps,
		double *out_pps)
{
	double pps = 0;

	switch (rate->unit) {
	case RATE_MAX:
		*out_pps = 0;
		return 0;
	case RATE_PPS:
		pps = rate->value;
		break;
	case RATE_L1_BPS:
		pps = rate->value / l1_bps(1, frame_bytes);
		break;
	case RATE_L2_BPS:
		pps = rate->value / l2_bps(1, frame_bytes);
		break;
	case RATE_PERCENT:
		if (!link_bps)
			return -ENODATA;
		pps = line_pps(link_bps, frame_bytes) * rate->value / 100;
		break;
	}
	if (!(pps >= FRAMES_AN_HOUR && pps <= RATE_PPS_MAX))
		return -ERANGE;
	*out_pps = pps;
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int parse_mac(const char *word, uint8_t out[6])
{
	uint8_t mac[6];

	if (strlen(word) != 17 || (word[2] != ':' && word[2] != '-'))
		return -EINVAL;
	for (int i = 0; i < 6; i++) {
		int high = hex_digit(word[3 * i]), low = hex_digit(word[3 * i + 1]);

		if (high < 0 || low < 0 || (i < 5 && word[3 * i + 2] != word[2]))
			return -EINVAL;
		mac[i] = (uint8_t)(high << 4 | low);
	}
	memcpy(out, mac, 6);
	return 0;
}

static int take_integer(const char **p, uint64_t *out)
{
	struct decimal d = {.digits = *p, .nwhole = count_digits(*p)};

	if (!d.nwhole)
		return -EINVAL;
	*p += d.nwhole;
	return decimal_times(&d, 1, out);
}

/*
 * Take "N" or "N-M" and the comma behind it, if another follows, from *p. -EINVAL goes before
 * -ERANGE: the caller may go on after the latter.
 */
static int take_range(const char **p, uint64_t *low, uint64_t *high)
{
	int err = take_integer(p, low), err_high = 0;

	if (err == -EINVAL)
		return err;
	*high = *low;
	if (**p == '-') {
		++*p;
		err_high = take_integer(p, high);
		if (err_high == -EINVAL)
			return err_high;
	}
	err = err ? err : err_high;
	if (**p == ',' && (*p)[1])
		++*p;
	else if (**p)
		return -EINVAL;
	if (err)
		return err;
	return *low > *high ? -EINVAL : 0;
}

int parse_set(const char *word, unsigned max, uint64_t *bits)
{
	uint64_t set[SET_MAX / 64] = {0}, low = 0, high = 0;
	int err, first_err = 0;

	if (max > SET_MAX)
		return -ERANGE;
	do {
		err = take_range(&word, &low, &high);
		if (err == -EINVAL)
			return err;
		if (!err && high >= max)
			err = -ERANGE;
		for (uint64_t i = low; !err && i <= high; i++)
			set[i / 64] |= 1ull << (i % 64);
		first_err = first_err ? first_err : err;
	} while (*word);
	if (!first_err)
		memcpy(bits, set, (max + 63) / 64 * sizeof(set[0]));
	return first_err;
}

int parse_port_ranges(const char *word, struct port_range out[MATCH_UDP_RANGES])
{
	struct port_range ranges[MATCH_UDP_RANGES] = {{0}};
	uint64_t low = 0, high = 0;
	int err, first_err = 0, n = 0;

	do {
		err = take_range(&word, &low, &high);
		if (err == -EINVAL)
			return err;
		if (!err && (!low || high > UINT16_MAX || n == MATCH_UDP_RANGES))
			err = -ERANGE;
		if (!err)
			ranges[n++] = (struct port_range){(__u16)low, (__u16)high};
		first_err = first_err ? first_err : err;
	} while (*word);
	if (!first_err)
		memcpy(out, ranges, sizeof(ranges));
	return first_err;
}
