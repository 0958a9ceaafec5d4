#!/bin/bash
# SPDX-License-Identifier: MIT
# However a run ends, nothing stays attached and the next run works; others' programs survive.
. "$(dirname "$0")/lib.sh"
enter "$@"

RANDOM=42 # the moments are the same in every run of this test

works() { # TEXT
	run next bench a:pa b:pb --phases a-to-b --frames 500 --rate 50kpps
	expect_status 0 next "$1: the next run works"
	expect_json next 'ab | [.submitted, .matched, .unexplained] == [500, 500, 0]' \
		"$1: and counts right"
}

check_killed() { # MODE TEXT
	local running=yes left="" _

	for _ in 1 2 3 4 5 6 7 8; do
		"$XDPLOOP" bench a:pa b:pb --engine $engine --mode "$1" >/dev/null 2>&1 &
		sleep "0.$((RANDOM % 900 + 50))"
		kill_hard || running=no
		left+=$(programs_left; promiscuous_left)
	done 2>/dev/null
	expect_true "$2: it was running each time" [ $running = yes ]
	expect_true "$2: never is anything left attached ($left)" [ ! "$left" ]
	nothing_left "$2: nothing is left" killed
	works "$2"
}

check_interrupted() { # SIGNAL DELAY
	local what="stopped by $1 after $2 s, $engine"

	start bench bench a:pa b:pb --duration 20s --rate 20kpps
	sleep "$2"
	kill "-$1" "$pid"
	finish
	expect_status 0 bench "$what: ends with 0"
	expect_json bench '[.trials[].stopped_early] | any' "$what: the report says so"
	expect_json bench '[.trials[].directions[].ledger] | length > 0 and all(.submitted > 0 and
		.submitted == .matched and .unexplained == 0)' "$what: the ledger is full and closed"
	expect_json bench '.verdict.status == 0 and (.ports | length) == 2' "$what: so is the rest"
	nothing_left "$what: nothing is left"
}

check_second() {
	local what="a second run on the port"

	start first reflect b:pb
	run second count b:pb
	expect_refusal 1 second 'b:pb.*program.*[0-9]' "$what is refused with words"
	run send send a:pa b:pb --frames 500 --rate 50kpps --expect-return
	expect_json send 'directions[] | select(.to == "a:pa") | .ledger.matched == 500' \
		"$what: the first goes on"
	kill -INT "$pid"
	finish
	expect_status 0 first "$what: the first ends with 0"
}

program_id() {
	ip -n b -j -d link show pb | jq '.[0].xdp.prog.id'
}

check_foreign() { # HOW-IP-SAYS-IT MODE
	local what="a foreign program ($1)" id

	ip -n b link set pb "$1" obj "$B/tests/net/foreign.bpf.o" sec xdp || {
		skip "$what" "ip can't attach it"
		return
	}
	id=$(program_id)
	run foreign count b:pb --mode "$2" --duration 1s
	expect_refusal 1 foreign "b:pb.*program.*$id.*foreign" "$what is named and refused, $2"
	expect_true "$what survives, $2" [ "$(program_id)" = "$id" ]
	ip -n b link set pb "$1" off
}

pair 2
for mode in copy generic; do
	check_killed $mode "kill -9, $mode"
done
check_interrupted INT 0.2
check_interrupted INT 1.1
check_interrupted TERM 0.2
check_interrupted HUP 0.2
check_second
works "after all that"
engine=kernel
check_killed native "kill -9, kernel engine"
check_interrupted INT 0.2
check_interrupted INT 1.1
check_interrupted TERM 0.2
check_second
works "after all that, kernel engine"
engine=xsk

for mode in copy generic auto; do
	check_foreign xdpdrv $mode
	check_foreign xdpgeneric $mode
done
works "after a foreign program"

networks() {
	find /proc/[0-9]*/ns/net -printf '%l\n' 2>/dev/null | sort -u | wc -l
}

what="a killed demo"
"$XDPLOOP" demo >/dev/null 2>&1 &
demo_runs() {
	[ "$(ls /run/xdploop)" ]
}
wait_for 50 demo_runs
expect_true "$what: it was running" kill_hard 2>/dev/null
expect_true "$what leaves no namespace" [ "$(networks)" = 1 ]
nothing_left "$what leaves nothing" killed
