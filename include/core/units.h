/* SPDX-License-Identifier: MIT */
/*
 * Numbers with units, strictly: the whole word must fit, or -EINVAL (no number of this kind) or
 * -ERANGE (too large or too small). Out parameters are untouched on failure.
 */
#ifndef CORE_UNITS_H
#define CORE_UNITS_H

#include "abi/match.h"
#include "core/model.h"
#include <stddef.h>

/* "1500", "64k", "2.5M", "1G": powers of ten; the value must be a whole number. */
int parse_count(const char *word, uint64_t *out);

/* "0.1", "2.5M": any number from 0 up, with a prefix or without. */
int parse_decimal(const char *word, double *out);

/* "10s", "500ms", "20us", "100ns", "1m30s", "2h"; a bare number is seconds ("1.5"). */
int parse_duration(const char *word, uint64_t *out_ns);

enum rate_unit { RATE_PPS, RATE_L1_BPS, RATE_L2_BPS, RATE_PERCENT, RATE_MAX };

struct rate_spec {
	enum rate_unit unit;
	double value; /* frames/s, bit/s or percent; unused for RATE_MAX; above 0 */
};

/* "1Mpps", "1500pps", "5Gbps" (= L1), "5Gbps/l1", "5Gbps/l2", "80%", "max". */
int parse_rate(const char *word, struct rate_spec *out);

/*
 * Frames per second that a rate means for frames of frame_bytes on a link of link_bps (0: unknown).
 * RATE_MAX gives 0. -ENODATA: a percentage of an unknown speed; -ERANGE: below 1 frame an hour or
 * above 1e9/s.
 */
int rate_to_pps(const struct rate_spec *rate, uint32_t frame_bytes, uint64_t link_bps,
		double *out_pps);

/* "02:00:00:00:00:0a" or with dashes. */
int parse_mac(const char *word, uint8_t out[6]);

/* "0,2-3" into a bit set; numbers below max, max up to 1024. */
int parse_set(const char *word, unsigned max, uint64_t *bits);

/* "7,100-200": UDP ports into at most MATCH_UDP_RANGES ranges, high 0 after the last. */
int parse_port_ranges(const char *word, struct port_range out[MATCH_UDP_RANGES]);

/* L1 (with preamble and gap) and L2 (frame with FCS) bit rate of pps frames of frame_bytes. */
double l1_bps(double pps, double frame_bytes);
double l2_bps(double pps, double frame_bytes);

/* Frames per second that fill a link (RFC 2544 appendix B arithmetic). */
double line_pps(uint64_t link_bps, double frame_bytes);

/*
 * For people: "14.88 M", "812.7 k", "950"; "1.23 us", "10.0 s"; "10.00 G". At most size bytes with
 * the end; returns text.
 */
const char *format_count(char *text, size_t size, double value);
const char *format_ns(char *text, size_t size, double ns);
/* "12,345,678": every digit. */
const char *format_exact(char *text, size_t size, int64_t value);

#endif
