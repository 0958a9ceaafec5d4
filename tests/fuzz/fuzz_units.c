/* SPDX-License-Identifier: MIT */
/* Any word into every parser of units and limits; what is accepted must make sense. */
#include "core/units.h"
#include "core/verdict.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool so)
{
	if (!so)
		abort();
}

static void numbers(const char *word)
{
	uint64_t count = 0, ns = 0;
	double decimal = 0;
	bool is_count = !parse_count(word, &count);

	if (!parse_decimal(word, &decimal))
		require(isfinite(decimal) && decimal >= 0);
	if (is_count)
		require(fabs(decimal - (double)count) <= 1e-12 * decimal);
	if (!parse_duration(word, &ns))
		require(ns <= INT64_MAX);
}

static void rates(const char *word)
{
	struct rate_spec rate;
	char text[32];
	double pps;

	if (parse_rate(word, &rate))
		return;
	require(rate.unit == RATE_MAX || (isfinite(rate.value) && rate.value > 0));
	if (!rate_to_pps(&rate, 64, 10000000000, &pps)) {
		require(rate.unit == RATE_MAX ? pps == 0 : pps > 0 && pps <= 1e9);
		format_count(text, sizeof(text), pps);
		format_ns(text, sizeof(text), pps);
	}
}

static void lists(const char *word)
{
	struct port_range ranges[MATCH_UDP_RANGES];
	uint64_t bits[3] = {0, 0, 1};
	uint8_t mac[6];

	if (!parse_set(word, 70, bits))
		require((bits[0] || bits[1]) && !(bits[1] >> 6));
	require(bits[2] == 1);
	if (!parse_port_ranges(word, ranges))
		for (int i = 0; i < MATCH_UDP_RANGES && ranges[i].high; i++)
			require(ranges[i].low && ranges[i].low <= ranges[i].high);
	if (!parse_mac(word, mac))
		require(strlen(word) == 17);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *word = malloc(size + 1);
	struct limit limit;

	memcpy(word, data, size);
	word[size] = 0;
	numbers(word);
	rates(word);
	lists(word);
	if (!limit_parse(word, &limit))
		require(!strcmp(limit.text, word) && limit.value >= 0);
	free(word);
	return 0;
}
