#!/bin/bash
# SPDX-License-Identifier: MIT
# Every command x engine x {native, generic} x {1, 2} queues: N sent, exactly N counted, nothing left.
. "$(dirname "$0")/lib.sh"
enter "$@"

load=(--frames 2000 --rate 20kpps --flows 8)

check_bench() { # MODE QUEUES
	local what="bench, $engine, $1, $2 queue(s)"

	run bench bench a:pa b:pb --mode "$1" "${load[@]}" "${verify[@]}"
	expect_status 0 bench "$what: ends with 0"
	expect_json bench '[.trials[].name] == ["a-to-b", "b-to-a", "both", "reflected"] and
		([.trials[].directions[]] | length) == 6' "$what: four trials, six directions"
	expect_json bench '[.trials[].directions[].ledger | [.submitted, .completed, .matched,
		.received, .xdp_seen]] | all(. == [2000, 2000, 2000, 2000, 2000])' \
		"$what: 2000 sent, 2000 counted in every direction"
	expect_json bench '[.trials[].directions[].ledger | [.unexplained, .receive_unexplained,
		.wire_lost, .lost, .duplicate, .corrupt, .too_late, .stale, .flow_moved]] |
		all(add == 0 and all(. != null))' "$what: nothing lost, damaged or unexplained"
	expect_json bench '[.ports[].mode.obtained] | all(. == $m)' "$what: the mode asked for" \
		--arg m "$1"
	expect_json bench '[.ports[].queues] | all(. == $q)' "$what: all queues driven" --argjson q "$2"
	expect_json bench '[.trials[].queues[] | select(.worker.submitted > 0) | .queue] | unique ==
		[range($q)]' "$what: every queue sends" --argjson q "$2"
	expect_json bench '[.trials[].frames_held] | all(. == 0)' "$what: every buffer came back"
	expect_json bench '[.trials[0:3][].directions[].latency_ns | .source == "xdp" and
		.samples == 2000 and .negative == 0 and .min > 0 and .min <= .median and
		.median <= .max] | all' "$what: a latency of each frame"
}

check_count() { # MODE QUEUES
	local what="send to count, $engine, $1, $2 queue(s)"

	start count count b:pb --mode "$1" --expect 2000 --duration 30s
	run send send a:pa b:pb --mode "$1" "${load[@]}"
	expect_status 0 send "$what: send ends with 0"
	finish
	expect_status 0 count "$what: count ends with 0 when all have come"
	expect_json send '[directions[] | select(.from == "a:pa") | .ledger][0] |
		.submitted == 2000 and .completed == 2000 and .matched == null' \
		"$what: 2000 sent, what arrived is not known"
	expect_json count '[directions[] | select(.to == "b:pb") | .ledger][0] |
		.matched == 2000 and .lost == 0 and .received == 2000 and .receive_unexplained == 0' \
		"$what: exactly 2000 counted"
	expect_json count '[directions[0].flows.rows[].matched] | add == 2000' \
		"$what: the flows add up"
}

check_reflect() { # MODE QUEUES
	local what="send to reflect, $engine, $1, $2 queue(s)"

	start reflect reflect b:pb --mode "$1"
	run send send a:pa b:pb --mode "$1" "${load[@]}" --expect-return
	expect_status 0 send "$what: send ends with 0"
	kill -INT "$pid"
	finish
	expect_status 0 reflect "$what: reflect ends with 0 on Ctrl-C"
	expect_json send '[directions[] | select(.to == "a:pa") | .ledger][0] |
		.matched == 2000 and .lost == 0' "$what: all 2000 came back"
	expect_json reflect '[.trials[].queues[].worker | select(.matched > 0) |
		[.received, .matched, .submitted, .completed] | unique | length] | all(. == 1)' \
		"$what: what was received was sent back"
}

check_chain() { # MODE QUEUES
	local what="port to port, $engine, $1, $2 queue(s)"

	start reflect reflect c:d0 c:d1 --mode "$1"
	run bench bench a:pa b:pb --mode "$1" "${load[@]}" --phases a-to-b,b-to-a,both "${verify[@]}"
	expect_status 0 bench "$what: bench through it ends with 0"
	kill -INT "$pid"
	finish
	expect_status 0 reflect "$what: reflect ends with 0 on Ctrl-C"
	expect_json bench '[.trials[].directions[].ledger | [.submitted, .matched, .unexplained]] |
		length == 4 and all(. == [2000, 2000, 0])' "$what: 2000 sent, 2000 counted each way"
	expect_json reflect '[.trials[].queues[].worker.matched] | add >= 8000' \
		"$what: it forwarded them all"
}

# A veth port takes frames that are redirected to it when it has a native program or GRO.
gro_on() {
	local ns dev

	for ns in a b c; do
		for dev in pa pb d0 d1; do
			ip netns exec $ns ethtool -K $dev gro on 2>/dev/null
		done
	done
}

for engine in xsk kernel; do
	modes=(copy generic) verify=(--verify full)
	[ $engine = xsk ] || modes=(native generic) verify=()
	for queues in 1 2; do
		for mode in "${modes[@]}"; do
			what="$engine, $mode, $queues queue(s)"
			pair $queues
			[ "$engine,$mode" != kernel,generic ] || gro_on
			check_bench "$mode" $queues
			nothing_left "bench, $what: nothing is left"
			check_count "$mode" $queues
			check_reflect "$mode" $queues
			nothing_left "send, count, reflect, $what: nothing is left"
			chain $queues
			[ "$engine,$mode" != kernel,generic ] || gro_on
			check_chain "$mode" $queues
			nothing_left "port to port, $what: nothing is left"
		done
	done
done
