#!/bin/bash
# SPDX-License-Identifier: MIT
# What the bad wire did is what the ledger says: loss, repetition, reordering and damage, by list.
. "$(dirname "$0")/lib.sh"
enter "$@"

frames=4000
last=$((frames - 1))

# pick SEED COUNT: so many different frame numbers, sorted, with commas; neither the first nor the
# last two, which the cases add themselves where it matters.
pick() {
	awk -v seed="$1" -v count="$2" -v last=$last 'BEGIN {
		srand(seed)
		while (n < count) {
			f = 1 + int(rand() * (last - 2))
			if (!(f in s)) { s[f]; n++ }
		}
		for (f = 0; f < last; f++)
			if (f in s)
				printf "%s%d", (c++ ? "," : ""), f
	}'
}

# with SUFFIX LIST: the suffix behind each number of the list.
with() {
	echo "${2//,/$1,}$1"
}

# through RULES -- BENCH-ARGUMENTS: bench over the wire, whose truth is then $truth.
through() {
	local rules=()

	while [ "$1" != -- ]; do
		rules+=("$1")
		shift
	done
	shift
	wire_start --skip-runs 1 "${rules[@]}"
	run bench bench a:pa b:pb --frames $frames --rate 40kpps "$@"
	wire_stop
	expect_status 0 bench "$engine, $what: bench ends with 0"
}

# expect TEXT EXPRESSION [JQ-OPTIONS]: true of the result; $wire is the truth.
expect() {
	local text=$1 expression=$2

	shift 2
	expect_json bench "\$truth[0] as \$wire | $expression" "$engine, $what: $text" \
		--slurpfile truth "$truth" "$@"
}

expect_closed() {
	expect "every frame is explained" '[.trials[].directions[].ledger |
		[.unexplained, .receive_unexplained, .dropped_by_us]] | all(. == [0, 0, 0])'
}

# The rows of the flows are those of the ledger; lost ones too, but not over two legs.
expect_flows() {
	expect "the flows add up to it" '[.trials[].directions[] | select(.flows.rows != []) |
		.ledger as $sum | .flows.rows as $flows |
		"matched", "lost", "duplicate", "reordered", "too_late" |
		. as $row | $sum[$row] == ($flows | map(.[$row]) | add)] | length > 0 and all'
}

damaged_payload() {
	what="damaged payload"
	list=$(pick 5 20)
	through --corrupt "$(with :100:0x01 "$list")" -- --phases a-to-b --size 128
	expect "goes unseen when only stamps are verified" 'ab | [.matched, .corrupt] == [4000, 0]'
	through --corrupt "$(with :100:0x01 "$list")" -- --phases a-to-b --size 128 --verify full
	expect "is seen by --verify full" 'ab | [.matched, .corrupt, .lost] == [3980, 20, 0]'
	expect_closed
	through --corrupt "$(with :40:0x01 "$list")" -- --phases a-to-b --verify full
	expect "so is a damaged UDP checksum" 'ab | [.matched, .corrupt, .lost] == [3980, 20, 0]'
}

# What the wire loses on the way back is counted in the frames that come back, those are fewer.
reflected() {
	what="reflected"
	through --lose 10,20,30 --back --lose 5,6 -- --phases reflected --flows 2
	expect "leg 1 lost three" 'ab | [.submitted, .matched, .wire_lost, .lost] == [4000, 3997, 3, 3]'
	expect "leg 2 lost two" 'ba | [.submitted, .matched, .wire_lost, .lost] == [3997, 3995, 2, 2]'
	expect "the flows lost five there and back" '[directions[1].flows.rows[].lost] | add == 5'
	expect_closed
}

wired_pair 1
# veth takes what is redirected to it when GRO is on, but what is sent back by XDP_TX only when its
# peer, here a port of the wire, has a program.
for dev in wa wb; do
	ip netns exec w ethtool -K $dev gro on
done
peers_have_program=yes
for dev in wa wb; do
	ip -n w link set $dev xdpdrv obj "$B/tests/net/foreign.bpf.o" sec xdp || peers_have_program=no
done
for engine in xsk kernel; do
	what="loss"
	list="0,$(pick 1 40),$last"
	through --lose "$list" -- --phases a-to-b --flows 4
	expect "the wire lost the list" '$wire[0].runs[1].lost == $list' --argjson list "[$list]"
	expect "just these are lost between the ports" 'ab | [.submitted, .wire_lost, .lost, .matched,
		.duplicate, .reordered, .corrupt] == [4000, 42, 42, 3958, 0, 0, 0]'
	expect "each flow lost its own" '[directions[0].flows.rows[] | .lost] ==
		[range(4) as $f | $wire[0].runs[1].lost | map(select(. % 4 == $f)) | length]'
	expect_closed
	expect_flows

	what="the end is lost"
	through --cut $((frames - 700)) -- --phases a-to-b
	expect "all of it is counted" 'ab | [.wire_lost, .lost, .matched] == [700, 700, 3300]'
	expect_closed
	expect_flows

	what="repetition"
	list="0,$(pick 2 50),$last"
	through --dup "$list" -- --phases a-to-b --flows 3
	expect "the wire repeated the list" '$wire[0].runs[1].duplicated == $list' --argjson list "[$list]"
	expect "just these are duplicates" 'ab | [.matched, .duplicate, .lost, .reordered, .wire_lost] ==
		[4000, 52, 0, 0, 0]'
	expect_closed
	expect_flows

	what="reordering"
	list=$(pick 3 60)
	through --late "$(with :1 "$list")" -- --phases a-to-b
	expect "the wire was late with frames" '$wire[0].runs[1].late | length >= 20'
	expect "just these are reordered" 'ab | [.matched, .reordered, .lost, .duplicate, .wire_lost] ==
		[4000, ($wire[0].runs[1].late | length), 0, 0, 0]'
	expect_closed
	expect_flows

	# With one flow the window holds 4096 numbers: the last place within, the first beyond, far beyond.
	what="too late to tell"
	frames=6000
	through --late 10:4095,20:4096,30:5500 -- --phases a-to-b
	frames=4000
	expect "the wire was late with three" '$wire[0].runs[1].late == [10, 20, 30]'
	expect "within the window it is reordered, else too late" 'ab | [.submitted, .matched, .reordered,
		.too_late, .lost] == [6000, 5998, 1, 2, 0]'
	expect_closed
	expect_flows

	what="damage"
	list="0,$(pick 4 30),$last"
	through --corrupt "$(with :51:0x10 "$list")" -- --phases a-to-b
	expect "the wire damaged the list" '$wire[0].runs[1].corrupted == $list' --argjson list "[$list]"
	expect "just these are corrupt, none of them lost" 'ab | [.matched, .corrupt, .lost, .wire_lost] ==
		[3968, 32, 0, 0]'
	expect_closed
	expect_flows

	[ $engine = kernel ] || damaged_payload # only sockets give whole frames

	what="all at once, both ways"
	lose=10,20,30,31 dup=100,200 late=300,400,500 corrupt=1000,1001
	back_lose=11,12 back_dup=600,700,701
	through --lose $lose --dup $dup --late "$(with :1 $late)" --corrupt "$(with :44:0xff $corrupt)" \
		--back --lose $back_lose --dup $back_dup -- --phases a-to-b,b-to-a,both
	for trial in 0 2; do
		expect "A to B in trial $trial" '.trials[$t].directions[] | select(.from == "a:pa") | .ledger |
			[.matched, .lost, .duplicate, .reordered, .corrupt] == [3994, 4, 2, 3, 2]' \
			--argjson t $trial
	done
	for trial in 1 2; do
		expect "B to A in trial $trial" '.trials[$t].directions[] | select(.from == "b:pb") | .ledger |
			[.matched, .lost, .duplicate, .reordered, .corrupt] == [3998, 2, 3, 0, 0]' \
			--argjson t $trial
	done
	expect_closed
	expect_flows

	if [ $engine = xsk ] || [ $peers_have_program = yes ]; then
		reflected
	else
		skip "$engine, reflected" "ip can't attach a program"
	fi

	what="count alone"
	wire_start --lose 0,5,17,900,$last
	start count count b:pb
	run send send a:pa b:pb --frames $frames --rate 40kpps
	sleep 0.3
	kill -INT "$pid"
	finish
	wire_stop
	expect_status 0 count "$engine, $what: ends with 0 on Ctrl-C"
	expect_json count 'directions[0].ledger | [.matched, .lost] == [3995, 4]' \
		"$engine, $what: the gaps are counted, the end is not guessed"
done
for dev in wa wb; do
	ip -n w link set $dev xdpdrv off
done
nothing_left "after all of it nothing is left"
