/* SPDX-License-Identifier: MIT */
#include "driver_stats.h"
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define STATS_MAX 1024

static int call(const struct nic *nic, void *request)
{
	struct ifreq ifr = {.ifr_data = request};

	memcpy(ifr.ifr_name, nic->name, sizeof(ifr.ifr_name));
	return ioctl(nic->control, SIOCETHTOOL, &ifr) ? -errno : 0;
}

static bool ends_in(const char *name, const char *word)
{
	size_t n = strnlen(name, ETH_GSTRING_LEN), len = strlen(word);

	return n > len && name[n - len - 1] == '_' && !strncmp(name + n - len, word, len);
}

static int counters_of(const struct nic *nic, uint32_t *out_n)
{
	struct ethtool_sset_info *ask = calloc(1, sizeof(*ask) + sizeof(ask->data[0]));
	int err;

	if (!ask)
		return -ENOMEM;
	ask->cmd = ETHTOOL_GSSET_INFO;
	ask->sset_mask = 1ull << ETH_SS_STATS;
	err = call(nic, ask);
	*out_n = err ? 0 : ask->data[0];
	free(ask);
	if (!err && (!*out_n || *out_n > STATS_MAX))
		err = -ENOENT;
	return err;
}

int driver_stats_sum(const struct nic *nic, const char *const *words, uint64_t *out_sum)
{
	struct ethtool_gstrings *names = NULL;
	struct ethtool_stats *stats = NULL;
	bool found = false;
	uint32_t n;
	int err = counters_of(nic, &n);

	if (err)
		return err;
	names = calloc(1, sizeof(*names) + (size_t)n * ETH_GSTRING_LEN);
	stats = calloc(1, sizeof(*stats) + n * sizeof(uint64_t));
	err = names && stats ? 0 : -ENOMEM;
	if (!err) {
		*names = (struct ethtool_gstrings){.cmd = ETHTOOL_GSTRINGS,
						   .string_set = ETH_SS_STATS,
						   .len = n};
		*stats = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = n};
		err = call(nic, names);
	}
	if (!err)
		err = call(nic, stats);
	*out_sum = 0;
	for (uint32_t i = 0; i < n && !err; i++)
		for (const char *const *word = words; *word; word++)
			if (ends_in((char *)names->data + (size_t)i * ETH_GSTRING_LEN, *word)) {
				*out_sum += stats->data[i];
				found = true;
			}
	free(names);
	free(stats);
	return err ? err : found ? 0 : -ENOENT;
}
