#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=new devices=igb2 limit=400
# Somebody changes rings, channels or the MTU while frames run.
. "$(dirname "$0")/lib.sh"

changed() { # NAME TEXT COMMAND...
	local name=$1 text=$2

	shift 2
	begin "$name" --duration 5s
	sleep 1
	"$@" >"$dir/$name.change" 2>&1
	echo "# $*: status $? $(head -n 1 "$dir/$name.change")"
	ended "$name" "$text"
	sed 's/^/# /' "$dir/$name.err"
	jq -c '.trials[].directions[].ledger | with_entries(select(.value != 0))' \
		"$dir/$name.json" | sed 's/^/# /'
	sleep 1
}

changed rx-ring "the receiver's ring grows" ethtool -G p1 rx 512
changed tx-ring "the sender's ring grows" ethtool -G p0 tx 512
changed more "the receiver gets more channels" ethtool -L p1 combined 4
changed fewer "the sender gets fewer channels" ethtool -L p0 combined 1
changed mtu "the receiver's MTU is larger" ip link set p1 mtu 1600
changed mtu-back "the sender's MTU is smaller" ip link set p0 mtu 1400
exact after "$([ "$kernel" = new ] && echo zero-copy || echo copy)" --phases a-to-b
