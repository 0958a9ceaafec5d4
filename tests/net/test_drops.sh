#!/bin/bash
# SPDX-License-Identifier: MIT
# Each cause of loss is provoked, and its own row explains all of it.
. "$(dirname "$0")/lib.sh"
enter "$@"

# into NAME FRAMES COUNT-ARGS -- SEND-ARGS: count is held still while send sends to it.
into_stopped() {
	local name=$1 frames=$2 count=()

	shift 2
	while [ "$1" != -- ]; do
		count+=("$1")
		shift
	done
	shift
	start "$name" count b:pb "${count[@]}"
	[ ! "${between-}" ] || $between
	kill -STOP "$pid"
	run send send a:pa b:pb --frames "$frames" --rate 50kpps "$@"
	expect_status 0 send "$what: send ends with 0"
	kill -CONT "$pid"
	sleep 0.3
	kill -INT "$pid"
	finish
	expect_status 0 "$name" "$what: count ends with 0"
	expect_json send 'directions[] | select(.from == "a:pa") | .ledger | [.completed,
		.dev_tx_dropped] == [$n, 0]' "$what: all frames were sent" --argjson n "$frames"
	expect_json "$name" 'directions[0].ledger | [.xdp_seen, .receive_unexplained] == [$n, 0]' \
		"$what: all were seen by the program, none is unexplained" --argjson n "$frames"
}

for mode in copy generic; do
	pair 1

	what="tiny RX ring, $mode"
	into_stopped ring 1000 --mode $mode --rx-ring 64 --
	expect_json ring 'directions[0].ledger | [.received, .matched, .ring_full, .fill_empty,
		.too_long, .no_socket] == [64, 64, 936, 0, 0, 0]' \
		"$what: it holds 64, the other 936 are in ring_full"

	# No frame comes back to the fill ring while count stands still, and the RX ring is as long.
	what="starved fill ring, $mode"
	into_stopped fill 6000 --mode $mode --
	expect_json fill 'directions[0].ledger | .received as $got |
		$got > 0 and $got < 6000 and .matched == $got and .fill_empty == 6000 - $got and
		[.ring_full, .too_long, .no_socket] == [0, 0, 0]' \
		"$what: all that found no buffer are in fill_empty"

	what="too long, $mode"
	mtu_up() {
		ip -n a link set pa mtu 3000
		ip -n b link set pb mtu 3000
	}
	between=mtu_up
	into_stopped long 300 --mode $mode -- --size 2500
	between=""
	expect_json long 'directions[0].ledger | [.received, .matched, .too_long, .ring_full,
		.fill_empty] == [0, 0, 300, 0, 0]' "$what: all of them are in too_long"

	# veth without a native program delivers everything to queue 0.
	pair 2
	what="queue without a socket, $mode"
	missed=500
	[ $mode = copy ] || missed=1000
	into_stopped queue 1000 --mode $mode --queue-ids 1 -- --flows 2
	expect_json queue 'directions[0].ledger | [.received, .matched, .no_socket, .ring_full,
		.fill_empty] == [1000 - $n, 1000 - $n, $n, 0, 0]' "$what: $missed are in no_socket" \
		--argjson n $missed

	what="as fast as it goes, tiny RX ring, $mode"
	run bench bench a:pa b:pb --mode $mode --rx-ring 64 --burst 256 --duration 500ms --flows 2
	expect_status 0 bench "$what: bench ends with 0"
	expect_json bench '[.trials[].directions[].ledger | [.unexplained, .receive_unexplained,
		.dropped_by_us, .wire_lost]] | all(. == [0, 0, 0, 0])' "$what: nothing is unexplained"
	expect_json bench '[.trials[].directions[].ledger | .lost == .ring_full + .fill_empty +
		.dev_tx_dropped] | all' "$what: what is lost is in the rows of the socket"
	expect_json bench '[.trials[].directions[].ledger.ring_full] | add > 0' \
		"$what: the ring was full at times"
done

# Two queues of A, each with a CPU of its own, feed the one queue of B.
what="two CPUs into one generic queue"
if [ "$(nproc)" -lt 2 ]; then
	skip "$what" "there is one CPU"
else
	pair 2 1
	start count count b:pb --mode generic
	run send send a:pa b:pb --mode generic --flows 64 --rate max --duration 1s --cpus 0,1
	expect_status 0 send "$what: send ends with 0"
	sleep 0.2
	kill -INT "$pid"
	finish
	expect_json send '[.trials[0].queues[] | select(.worker.submitted > 0)] | length == 2' \
		"$what: both queues of A sent"
	expect_json send '[.trials[0].cpus[].cpu] | unique | length == 2' "$what: each on its CPU"
	left=$(jq '.trials[0].directions[] | select(.from == "a:pa") |
		.ledger.completed - .ledger.dev_tx_dropped' "$dir/send.json")
	expect_json count 'directions[0].ledger | .xdp_seen == $n and .receive_unexplained == 0' \
		"$what: no count is lost" --argjson n "$left"
	expect_json count 'directions[0].ledger | .matched + .fill_empty + .ring_full == $n and
		.flow_moved == 0' "$what: nor a frame" --argjson n "$left"
fi
nothing_left "after all of it nothing is left"
