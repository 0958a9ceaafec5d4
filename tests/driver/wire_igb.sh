#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=new,61 devices=igb2:wire limit=400
# What the bad wire did to real cards' frames is what the ledger says, by list, each way.
. "$(dirname "$0")/lib.sh"

frames=3000
last=$((frames - 1))

# through RULES -- BENCH-ARGUMENTS: bench over the wire, whose truth is then $truth.
through() {
	local rules=()

	while [ "$1" != -- ]; do
		rules+=("$1")
		shift
	done
	shift
	wire_start --skip-runs 1 "${rules[@]}"
	run bench bench p0 p1 --frames $frames --rate $rate "$@"
	wire_stop
	cp "$truth" "$dir/truth-${what// /-}.json"
	cp "$dir/bench.json" "$dir/${what// /-}.json"
	expect_status 0 bench "$what: bench ends with 0"
	expect "every frame is explained" '[.trials[].directions[].ledger |
		[.unexplained, .receive_unexplained, .dropped_by_us]] | all(. == [0, 0, 0])'
}

# expect TEXT EXPRESSION [JQ-OPTIONS]: true of the result; $wire is the truth.
expect() {
	local text=$1 expression=$2

	shift 2
	expect_json bench "\$truth[0] as \$wire | $expression" "$what: $text" \
		--slurpfile truth "$truth" "$@"
}

what="nothing"
through -- --verify full --size 256
expect "the wire passed all on" '[$wire[].runs[1:][] | [.seen, .forwarded]] |
	length == 6 and all(. == [$frames, $frames])' --argjson frames $frames
expect "all arrives" '[.trials[].directions[].ledger | [.matched, .lost, .corrupt]] |
	all(. == [$frames, 0, 0])' --argjson frames $frames

what="all at once"
lose=0,10,20,30,31,$last dup=100,200,1500 late=300,400,500 corrupt=1000,1001
back_lose=11,12 back_dup=600,700,701 back_corrupt=2000
through --lose $lose --dup $dup --late ${late//,/:1,}:1 --corrupt ${corrupt//,/:44:0xff,}:44:0xff \
	--back --lose $back_lose --dup $back_dup --corrupt $back_corrupt:51:0x10 -- \
	--phases a-to-b,b-to-a
expect "the wire did as told" '$wire | [.[0].runs[1], .[1].runs[1]] |
	map([.lost, .duplicated, .late, .corrupted]) ==
	[[$lose, $dup, $late, $corrupt], [$back_lose, $back_dup, [], $back_corrupt]]' \
	--argjson lose "[$lose]" --argjson dup "[$dup]" --argjson late "[$late]" \
	--argjson corrupt "[$corrupt]" --argjson back_lose "[$back_lose]" \
	--argjson back_dup "[$back_dup]" --argjson back_corrupt "[$back_corrupt]"
expect "A to B is just that" '.trials[0].directions[0].ledger |
	[.matched, .lost, .wire_lost, .duplicate, .reordered, .corrupt] ==
	[$frames - 8, 6, 6, 3, 3, 2]' --argjson frames $frames
expect "B to A is just that" '.trials[1].directions[0].ledger |
	[.matched, .lost, .wire_lost, .duplicate, .reordered, .corrupt] ==
	[$frames - 3, 2, 2, 3, 0, 1]' --argjson frames $frames

what="reflected"
through --lose 10,20,30 --back --lose 5,6 -- --phases reflected
expect "leg 1 lost three, leg 2 two" '[directions[].ledger | [.matched, .wire_lost, .lost]] ==
	[[$frames - 3, 3, 3], [$frames - 5, 2, 2]]' --argjson frames $frames

what="one in a hundred"
through --lose-every 100 -- --phases a-to-b --mode generic
expect "in generic mode too" 'ab | [.matched, .wire_lost, .lost] == [$frames - 30, 30, 30]' \
	--argjson frames $frames
attached_nowhere "after all of it"
