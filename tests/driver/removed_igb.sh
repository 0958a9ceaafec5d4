#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=new,61 devices=igb2 limit=400
# The card is pulled, or its driver unbound, while frames run: the run ends with words, and when the
# card is back the next run works.
. "$(dirname "$0")/lib.sh"

gone() { # PORT
	[ ! -e "/sys/class/net/$1" ]
}

# The ports of a card that is back have names of the kernel's again.
name_again() { # N
	local port mac

	for port in /sys/class/net/*; do
		read -r mac <"$port/address"
		[ "$mac" = "02:00:00:00:00:0$1" ] || continue
		[ "${port##*/}" = "p$1" ] || ip link set "${port##*/}" name "p$1"
		ip link set "p$1" up
		return 0
	done
	return 1
}

check() { # NAME TEXT PORT
	ended "$1" "$2"
	expect_status 1 "$1" "$2: the run ends with 1"
	expect_words "$1.err" "$3.*(gone|went|removed|away|No such)" "$2: words name the port"
	sed 's/^/# /' "$dir/$1.err"
	jq -c '.trials[].directions[].ledger | with_entries(select(.value != 0))' "$dir/$1.json" |
		sed 's/^/# /'
}

unbind() { # N TEXT
	local address

	address=$(basename "$(readlink "/sys/class/net/p$1/device")")
	begin "unbind$1" --duration 8s
	sleep 1
	echo "$address" >/sys/bus/pci/drivers/igb/unbind
	check "unbind$1" "$2" "p$1"
	echo "$address" >/sys/bus/pci/drivers/igb/bind
	expect_true "$2: the port is back" wait_for 100 name_again "$1"
	sleep 2
}

unbind 0 "the sender's driver is unbound"
unbind 1 "the receiver's driver is unbound"

what="the receiver's card is pulled"
begin pulled --duration 8s
sleep 1
host qmp '{"execute": "device_del", "arguments": {"id": "nic1"}}' >/dev/null
expect_true "$what" wait_for 100 gone p1
check pulled "$what" p1
host qmp '{"execute": "device_add", "arguments": {"driver": "igb", "id": "nic1", "netdev": "n1",
	"mac": "02:00:00:00:00:01", "bus": "rp1"}}' >/dev/null
expect_true "$what: it is plugged in again" wait_for 200 name_again 1
sleep 2
exact after "$([ "$kernel" = new ] && echo zero-copy || echo copy)" --phases a-to-b
