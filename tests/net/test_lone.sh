#!/bin/bash
# SPDX-License-Identifier: MIT
# Frames that come alone come back: no worker waits for company.
. "$(dirname "$0")/lib.sh"
enter "$@"

for mode in copy generic; do
	pair 1
	start reflect reflect b:pb --mode $mode
	for n in 1 7 13; do
		run send send a:pa b:pb --mode $mode --frames $n --rate 10kpps --expect-return
		expect_status 0 send "$n alone, $mode: send ends with 0"
		expect_json send 'directions[] | select(.to == "a:pa") | .ledger |
			[.matched, .lost, .duplicate] == [$n, 0, 0]' \
			"$n alone, $mode: all of them come back" --argjson n $n
	done
	run send send a:pa b:pb --mode $mode --frames 200 --rate 100pps --expect-return
	expect_json send 'directions[] | select(.to == "a:pa") | .ledger.matched == 200 and
		.latency_ns.samples == 200' "200 one by one, $mode: all come back, each with its time"
	echo "# $mode: median $(jq '.trials[0].directions[] | select(.to == "a:pa") |
		.latency_ns.median / 1000' "$dir/send.json") us there and back"
	kill -INT "$pid"
	finish
	expect_status 0 reflect "reflect, $mode: ends with 0"
	expect_json reflect '[.trials[].queues[].worker | .received, .matched, .completed] |
		all(. == 221)' "reflect, $mode: 221 came and went"
done
nothing_left "after all of it nothing is left"
