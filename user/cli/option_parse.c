/* SPDX-License-Identifier: MIT */
/* From the word behind an option to the configuration. One function per kind of value. */
#include "cli/option_parse.h"

#include "core/frame.h"
#include "report/report.h"
#include <errno.h>
#include <string.h>

/* A whole number within the range of the row. */
static int parse_within(const struct option_row *row, const char *word, uint64_t *out)
{
	uint64_t value;
	int ret = parse_count(word, &value);

	if (ret)
		return ret;
	if (value < row->low || value > row->high)
		return -ERANGE;
	*out = value;
	return 0;
}

static int parse_within32(const struct option_row *row, const char *word, uint32_t *out)
{
	uint64_t value;
	int ret = parse_within(row, word, &value);

	if (!ret)
		*out = (uint32_t)value;
	return ret;
}

static int parse_time(const struct option_row *row, const char *word, uint64_t *out_ns)
{
	uint64_t value;
	int ret = parse_duration(word, &value);

	if (ret)
		return ret;
	if (value < row->low || value > row->high)
		return -ERANGE;
	*out_ns = value;
	return 0;
}

/* Which of the row's words it is; -EINVAL: none. */
static int parse_word(const struct option_row *row, const char *word)
{
	const char *name;

	for (int i = 0; (name = row->word(i)); i++)
		if (!strcmp(name, word))
			return i;
	return -EINVAL;
}

const char *engine_word(int i)
{
	return i < ENGINES ? engine_name((enum engine)i) : NULL;
}

int option_engine(const struct option_row *row, const char *word, struct options *out)
{
	int i = parse_word(row, word);

	if (i < 0)
		return i;
	out->config.engine = (enum engine)i;
	return 0;
}

/* And one more for MODE_COPY: where there is no socket, nothing is copied. */
const char *mode_word(int i)
{
	if (i == MODES)
		return mode_name_in(ENGINE_KERNEL, MODE_COPY);
	return i < MODES ? mode_name((enum mode)i) : NULL;
}

int option_mode(const struct option_row *row, const char *word, struct options *out)
{
	int i = parse_word(row, word);

	if (i < 0)
		return i;
	out->config.mode = i == MODES ? MODE_COPY : (enum mode)i;
	return 0;
}

int option_queues(const struct option_row *row, const char *word, struct options *out)
{
	return parse_within32(row, word, &out->config.queues);
}

int option_queue_ids(const struct option_row *row, const char *word, struct options *out)
{
	return parse_set(word, QUEUES_MAX, &out->config.queue_ids);
}

int option_lab_queues(const struct option_row *row, const char *word, struct options *out)
{
	return parse_within32(row, word, &out->lab_queues);
}

/* Ring sizes: AF_XDP takes powers of two only. */
static int parse_ring(const struct option_row *row, const char *word, uint32_t *out)
{
	uint64_t value;
	int ret = parse_within(row, word, &value);

	if (ret)
		return ret;
	if (value & (value - 1))
		return -EINVAL;
	*out = (uint32_t)value;
	return 0;
}

int option_rx_ring(const struct option_row *row, const char *word, struct options *out)
{
	return parse_ring(row, word, &out->config.rx_ring);
}

int option_tx_ring(const struct option_row *row, const char *word, struct options *out)
{
	return parse_ring(row, word, &out->config.tx_ring);
}

int option_force(const struct option_row *row, const char *word, struct options *out)
{
	out->config.force = true;
	return 0;
}

int option_size(const struct option_row *row, const char *word, struct options *out)
{
	return parse_within32(row, word, &out->config.frame_bytes);
}

int option_flows(const struct option_row *row, const char *word, struct options *out)
{
	out->config.have_flows = true;
	return parse_within32(row, word, &out->config.flows);
}

int option_rate(const struct option_row *row, const char *word, struct options *out)
{
	return parse_rate(word, &out->config.rate);
}

int option_burst(const struct option_row *row, const char *word, struct options *out)
{
	return parse_within32(row, word, &out->config.burst);
}

int option_stamp_every(const struct option_row *row, const char *word, struct options *out)
{
	return parse_within32(row, word, &out->config.stamp_every);
}

int option_frames(const struct option_row *row, const char *word, struct options *out)
{
	return parse_within(row, word, &out->config.frames);
}

int option_dst_mac(const struct option_row *row, const char *word, struct options *out)
{
	static const uint8_t none[6];
	uint8_t mac[6];
	int ret = parse_mac(word, mac);

	if (ret)
		return ret;
	if (!memcmp(mac, none, sizeof(mac)))
		return -EINVAL;
	memcpy(out->config.dst_mac, mac, sizeof(mac));
	out->config.have_dst_mac = true;
	return 0;
}

int option_expect_return(const struct option_row *row, const char *word, struct options *out)
{
	out->config.expect_return = true;
	return 0;
}

const char *swap_word(int i)
{
	return i <= SWAP_L4 ? swap_name(i) : NULL;
}

int option_swap(const struct option_row *row, const char *word, struct options *out)
{
	int i = parse_word(row, word);

	if (i < 0)
		return i;
	out->config.swap = (enum swap)i;
	return 0;
}

int option_match(const struct option_row *row, const char *word, struct options *out)
{
	int ret;

	if (!strcmp(word, "stamped")) {
		out->config.match = MATCH_STAMPED;
		return 0;
	}
	if (!strcmp(word, "all")) {
		out->config.match = MATCH_ALL;
		return 0;
	}
	if (strncmp(word, "udp:", 4))
		return -EINVAL;
	ret = parse_port_ranges(word + 4, out->config.match_udp);
	if (!ret)
		out->config.match = MATCH_UDP;
	return ret;
}

const char *verify_word(int i)
{
	static const char *const words[] = {"stamp", "full"};

	return i < 2 ? words[i] : NULL;
}

int option_verify(const struct option_row *row, const char *word, struct options *out)
{
	int i = parse_word(row, word);

	if (i < 0)
		return i;
	out->config.verify_full = i == 1;
	return 0;
}

const char *stamp_word(int i)
{
	static const char *const words[] = {"xdp", "none"};

	return i < 2 ? words[i] : NULL;
}

int option_stamp(const struct option_row *row, const char *word, struct options *out)
{
	int i = parse_word(row, word);

	if (i < 0)
		return i;
	out->config.no_receive_time = i == 1;
	return 0;
}

const char *then_word(int i)
{
	static const char *const words[] = {"drop", "pass"};

	return i < 2 ? words[i] : NULL;
}

int option_then(const struct option_row *row, const char *word, struct options *out)
{
	int i = parse_word(row, word);

	if (i < 0)
		return i;
	out->config.then_pass = i == 1;
	return 0;
}

int option_expect(const struct option_row *row, const char *word, struct options *out)
{
	return parse_within(row, word, &out->config.expect);
}

int option_duration(const struct option_row *row, const char *word, struct options *out)
{
	return parse_time(row, word, &out->config.duration_ns);
}

int option_repeat(const struct option_row *row, const char *word, struct options *out)
{
	return parse_within32(row, word, &out->config.repeat);
}

/* The index is the bit of enum bench_phase; the last word stands for all of them. */
const char *phase_word(int i)
{
	static const char *const words[] = {"a-to-b", "b-to-a", "both", "reflected", "all"};

	return i < 5 ? words[i] : NULL;
}

int option_phases(const struct option_row *row, const char *word, struct options *out)
{
	uint32_t set = 0;
	char part[16];

	for (;;) {
		size_t n = strcspn(word, ",");
		int i;

		if (n >= sizeof(part))
			return -EINVAL;
		memcpy(part, word, n);
		part[n] = '\0';
		i = parse_word(row, part);
		if (i < 0)
			return i;
		set |= phase_word(i + 1) ? 1u << i : (1u << i) - 1;
		if (!word[n])
			break;
		word += n + 1;
	}
	out->config.phases = set;
	return 0;
}

int option_cpus(const struct option_row *row, const char *word, struct options *out)
{
	uint64_t bits[CPUS_MAX / 64] = {0};
	int ret = parse_set(word, CPUS_MAX, bits);

	if (ret)
		return ret;
	CPU_ZERO(&out->config.cpus);
	for (unsigned i = 0; i < CPUS_MAX; i++)
		if (bits[i / 64] >> (i % 64) & 1)
			CPU_SET(i, &out->config.cpus);
	out->config.have_cpus = true;
	return 0;
}

int option_spin(const struct option_row *row, const char *word, struct options *out)
{
	out->config.spin = true;
	return 0;
}

int option_latency_mode(const struct option_row *row, const char *word, struct options *out)
{
	out->config.latency_mode = true;
	return 0;
}

int option_fail_if(const struct option_row *row, const char *word, struct options *out)
{
	struct config *c = &out->config;
	int ret;

	if (c->nlimits == LIMITS_MAX)
		return -ENOSPC;
	ret = limit_parse(word, &c->limit[c->nlimits]);
	if (!ret)
		c->nlimits++;
	return ret;
}

const char *format_word(int i)
{
	return report_formats[i].name;
}

int option_format(const struct option_row *row, const char *word, struct options *out)
{
	int i = parse_word(row, word);

	if (i < 0)
		return i;
	out->format = row->word(i);
	return 0;
}

int option_json(const struct option_row *row, const char *word, struct options *out)
{
	if (!*word)
		return -EINVAL;
	out->json = word;
	return 0;
}

int option_interval(const struct option_row *row, const char *word, struct options *out)
{
	return parse_time(row, word, &out->config.interval_ns);
}

int option_monitor(const struct option_row *row, const char *word, struct options *out)
{
	out->monitor = true;
	return 0;
}

int option_verbose(const struct option_row *row, const char *word, struct options *out)
{
	out->verbosity = 1;
	return 0;
}

int option_quiet(const struct option_row *row, const char *word, struct options *out)
{
	out->verbosity = -1;
	return 0;
}

/* Rows that print something instead of running: low is the action. */
int option_action(const struct option_row *row, const char *word, struct options *out)
{
	out->action = (enum action)row->low;
	return 0;
}
