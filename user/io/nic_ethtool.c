/* SPDX-License-Identifier: MIT */
/*
 * Facts by the ethtool ioctl: driver, channels, rings, speed. The driver's name has no netlink
 * form, so all of them take this one way. What a driver does not answer stays as it was set.
 */
#include "nic_private.h"
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

/* Devices whose speed is a made-up number. */
static const char *const nominal_kinds[] = {
	"veth", "tun", "dummy", "ifb", "macvlan", "macvtap", "ipvlan", "netkit", "vxlan", "gretap",
};
static const char *const nominal_drivers[] = {
	"virtio_net", "vmxnet3", "hv_netvsc", "vif", "netdevsim",
};

static int ethtool_call(const struct nic *nic, void *request)
{
	struct ifreq ifr = {.ifr_data = request};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", nic->name);
	return ioctl(nic->control, SIOCETHTOOL, &ifr) ? -errno : 0;
}

static void driver_get(struct nic *nic)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

	if (ethtool_call(nic, &info)) {
		snprintf(nic->driver, sizeof(nic->driver), "%s", nic->kind);
		return;
	}
	snprintf(nic->driver, sizeof(nic->driver), "%.31s", info.driver);
	snprintf(nic->driver_version, sizeof(nic->driver_version), "%.31s", info.version);
	snprintf(nic->firmware, sizeof(nic->firmware), "%.31s", info.fw_version);
	snprintf(nic->bus, sizeof(nic->bus), "%.31s", info.bus_info);
}

/* netlink told how many queues were allocated; this is how many are in use. */
static void queues_get(struct nic *nic)
{
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
	struct ethtool_rxnfc rings = {.cmd = ETHTOOL_GRXRINGS};

	if (!ethtool_call(nic, &channels)) {
		uint32_t rx = channels.combined_count + channels.rx_count;
		uint32_t tx = channels.combined_count + channels.tx_count;

		if (rx && tx) {
			nic->rx_queues = rx;
			nic->tx_queues = tx;
			return;
		}
	}
	if (!ethtool_call(nic, &rings) && rings.data)
		nic->rx_queues = (uint32_t)rings.data;
}

static void rings_get(struct nic *nic)
{
	struct ethtool_ringparam ring = {.cmd = ETHTOOL_GRINGPARAM};

	nic->rx_ring = nic->tx_ring = 0;
	if (ethtool_call(nic, &ring))
		return;
	nic->rx_ring = ring.rx_pending;
	nic->tx_ring = ring.tx_pending;
}

/*
 * Two steps: the first call, with no room for the link mode masks, answers with their size as a
 * negative number of words; the second has to give that size back.
 */
static void speed_get(struct nic *nic)
{
	union {
		struct ethtool_link_settings settings;
		uint32_t room[sizeof(struct ethtool_link_settings) / 4 + 3 * INT8_MAX];
	} ask = {.settings = {.cmd = ETHTOOL_GLINKSETTINGS}};
	int8_t words;

	nic->speed_bps = 0;
	if (ethtool_call(nic, &ask) || ask.settings.link_mode_masks_nwords >= 0)
		return;
	words = (int8_t)-ask.settings.link_mode_masks_nwords;
	memset(&ask, 0, sizeof(ask));
	ask.settings.cmd = ETHTOOL_GLINKSETTINGS;
	ask.settings.link_mode_masks_nwords = words;
	if (ethtool_call(nic, &ask) || ask.settings.speed == (uint32_t)SPEED_UNKNOWN)
		return;
	nic->speed_bps = ask.settings.speed * 1000000ull;
}

static bool listed(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, list[i]))
			return true;
	return false;
}

#define LISTED(word, list) listed(word, list, sizeof(list) / sizeof((list)[0]))

void nic_ethtool_facts(struct nic *nic)
{
	driver_get(nic);
	queues_get(nic);
	rings_get(nic);
	speed_get(nic);
	nic->speed_nominal =
		LISTED(nic->kind, nominal_kinds) || LISTED(nic->driver, nominal_drivers);
}
