#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=new,612 devices=igb2 limit=400
# The link goes away and comes back while frames run: at the receiver, at the sender, at both, by
# the administrator.
. "$(dirname "$0")/lib.sh"

modes="copy"
[ "$kernel" != new ] || modes="zero-copy copy"

off_and_on() { # HOW
	case $1 in
	receiver) link 1 off && sleep 1.5 && link 1 on ;;
	sender) link 0 off && sleep 1.5 && link 0 on ;;
	both) link 0 off && link 1 off && sleep 1.5 && link 0 on && link 1 on ;;
	administrator) ip link set p0 down && sleep 1.5 && ip link set p0 up ;;
	esac
}

for mode in $modes; do
	for how in receiver sender both administrator; do
		what="$mode, link down: $how"
		name=$mode-$how
		begin "$name" --duration 6s --mode "$mode"
		sleep 1
		off_and_on $how
		ended "$name" "$what"
		expect_json "$name" '.trials[0].directions[0].ledger.matched > 4000' \
			"$what: it goes on afterwards"
		expect_json "$name" '.trials[0].duration_ns < 9e9' "$what: it takes no longer"
		cat "$dir/$name.err"
		jq -c '.trials[].directions[].ledger | with_entries(select(.value != 0))' \
			"$dir/$name.json" | sed 's/^/# /'
		jq -c '.verdict' "$dir/$name.json" | sed 's/^/# /'
		sleep 1
	done
done
exact after "${modes%% *}" --phases a-to-b
