/* SPDX-License-Identifier: MIT */
/* Numbers for people, and the bit rates that frames make on a line. */
#include "core/units.h"
#include <math.h>
#include <stdio.h>

double l1_bps(double pps, double frame_bytes)
{
	return pps * (frame_bytes + WIRE_OVERHEAD) * 8;
}

double l2_bps(double pps, double frame_bytes)
{
	return pps * frame_bytes * 8;
}

double line_pps(uint64_t link_bps, double frame_bytes)
{
	return (double)link_bps / l1_bps(1, frame_bytes);
}

static bool is_unknown(double value)
{
	return isnan(value) || value <= (double)UNKNOWN;
}

/* Decimals that give a value from 1 to 1000, once rounded, so many significant digits. */
static int decimals(double value, int digits)
{
	int places = digits - 1;

	while (places && fabs(value) + 0.5 * pow(10, -places) >= pow(10, digits - places))
		places--;
	return places;
}

/* Below 1000: a whole number as it is, another with so many significant digits. */
static void format_small(char *text, size_t size, double value, int digits, const char *unit)
{
	if (value == floor(value))
		snprintf(text, size, "%.0f%s", value, unit);
	else if (fabs(value) < 1)
		snprintf(text, size, "%.*g%s", digits, value, unit);
	else
		snprintf(text, size, "%.*f%s", decimals(value, digits), value, unit);
}

struct scale {
	double factor;
	const char *unit;
};

/* The row whose mantissa stays below 1000 after rounding to digits; the last row takes all. */
static void format_scaled(char *text, size_t size, double value, int digits,
			  const struct scale *row)
{
	double half = 0.5 * pow(10, 3 - digits);

	while (row[1].unit && fabs(value) / row->factor + half >= row[1].factor / row->factor)
		row++;
	snprintf(text, size, "%.*f%s", decimals(value / row->factor, digits), value / row->factor,
		 row->unit);
}

const char *format_count(char *text, size_t size, double value)
{
	static const struct scale scales[] = {
		{1e3, " k"}, {1e6, " M"}, {1e9, " G"}, {1e12, " T"}, {0, NULL},
	};

	if (is_unknown(value))
		snprintf(text, size, "-");
	else if (fabs(value) < 999.95)
		format_small(text, size, value, 4, "");
	else
		format_scaled(text, size, value, 4, scales);
	return text;
}

const char *format_ns(char *text, size_t size, double ns)
{
	static const struct scale scales[] = {
		{1e3, " us"},
		{1e6, " ms"},
		{1e9, " s"},
		{0, NULL},
	};

	if (is_unknown(ns))
		snprintf(text, size, "-");
	else if (fabs(ns) < 999.5)
		format_small(text, size, ns, 3, " ns");
	else
		format_scaled(text, size, ns, 3, scales);
	return text;
}

const char *format_exact(char *text, size_t size, int64_t value)
{
	char reversed[32], digits[32];
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	int n = 0, m = 0;

	do {
		if (n % 4 == 3)
			reversed[n++] = ',';
		reversed[n++] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	while (n)
		digits[m++] = reversed[--n];
	digits[m] = 0;
	if (value == UNKNOWN)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%s%s", value < 0 ? "-" : "", digits);
	return text;
}
