#!/bin/bash
# SPDX-License-Identifier: MIT
# The engines beside each other, and what only the kernel engine has or lacks.
. "$(dirname "$0")/lib.sh"
enter "$@"

load=(--frames 3001 --rate 30kpps --flows 7)

# A veth port takes frames that are redirected to it when it has a native program or GRO.
gro() { # on|off NS DEV...
	local how=$1 ns=$2 dev

	shift 2
	for dev; do
		ip netns exec "$ns" ethtool -K "$dev" gro "$how"
	done
}

# --- each with each ---

check_mix() { # SEND REFLECT COUNT
	local what="send by $1, reflect by $2, count by $3" reflector_timeout reflector

	start reflect reflect c:d0 c:d1 --engine "$2"
	reflector_timeout=$timeout_pid reflector=$pid
	start count count b:pb --engine "$3" --expect 3001 --duration 20s
	run send send a:pa --dst-mac 02:00:00:00:00:0b --engine "$1" "${load[@]}"
	expect_status 0 send "$what: send ends with 0"
	finish
	expect_status 0 count "$what: count ends with 0"
	kill -INT "$reflector"
	timeout_pid=$reflector_timeout
	finish
	expect_status 0 reflect "$what: reflect ends with 0"
	expect_json send '.trials[0].directions[0].ledger | [.wanted, .given_up_late, .submitted,
		.tx_uncompleted, .completed, .dev_tx_dropped] ==
		[3001 + .given_up_late, .given_up_late, 3001, 0, 3001, 0]' "$what: all are sent"
	expect_json reflect '[.trials[0].queues[].worker | .matched, .submitted, .completed] |
		add == 3 * 3001' "$what: all are forwarded"
	expect_json count 'directions[0] | .ledger as $l | [$l.xdp_seen, $l.received, $l.matched,
		$l.lost, $l.duplicate, $l.reordered, $l.corrupt, $l.receive_unexplained] ==
		[3001, 3001, 3001, 0, 0, 0, 0, 0] and .latency_ns.samples == 3001 and
		([.flows.rows[].matched] == [376, 500, 375, 500, 375, 500, 375])' \
		"$what: all are counted, flow by flow, each with its latency"
}

chain 2
for s in xsk kernel; do
	for r in xsk kernel; do
		for c in xsk kernel; do
			check_mix $s $r $c
		done
	done
done
nothing_left "after all pairs of engines nothing is left"

# --- exact numbers and rates ---

engine=kernel
for queues in 1 2 3; do
	pair $queues
	for n in 1 2 777; do
		what="$n frames over $queues queue(s)"
		run bench bench a:pa b:pb --phases a-to-b --frames $n --rate max --flows 5
		expect_json bench 'ab | [.submitted, .completed, .matched, .lost, .unexplained] ==
			[$n, $n, $n, 0, 0]' "$what: just so many" --argjson n $n
	done
done

pair 2
for rate in 1000 33333 100003; do
	run bench bench a:pa b:pb --phases a-to-b --duration 1s --rate ${rate}pps --flows 4
	expect_json bench 'ab | .wanted <= $n + 1 and .wanted > $n / 2 and
		.given_up_late + .submitted == .wanted and .submitted == .matched and
		.unexplained == 0' "1 s at $rate pps: no more is wanted, all of it sent or given up" \
		--argjson n $rate
	expect_json bench '.trials[0].directions[0].lateness_ns | .samples > 0 and
		.min >= 0 and .negative == 0' "1 s at $rate pps: lateness is noted"
done

run cpus bench a:pa b:pb --phases a-to-b --frames 500 --rate max --flows 4 --cpus 1
expect_json cpus '([.trials[0].cpus[].cpu] | unique) == [1] and ab.matched == 500' \
	"--cpus 1: all are sent there"

# --- stamps ---

for engine in xsk kernel; do
	what="--stamp none, $engine"
	run none bench a:pa b:pb --phases a-to-b,reflected "${load[@]}" --stamp none
	expect_status 0 none "$what: ends with 0"
	expect_json none '[.trials[].directions[].ledger | [.matched, .lost, .unexplained]] |
		all(. == [3001, 0, 0])' "$what: counts are right"
	expect_json none '[.trials[].directions[] | select(.leg != "leg 1") | .latency_ns |
		.source == null and .samples == 0 and .median == null and
		(.why | test("--stamp none"))] | length == 2 and all' "$what: no latency, and why"
	expect_json none '.trials[1].directions[0].flows.rows == []' \
		"$what: a reflector tells nothing of flows"
done

run every bench a:pa b:pb --phases a-to-b --frames 100000 --rate max --stamp-every 16
expect_json every 'ab.submitted == 100000 and (.trials[0].directions[0].latency_ns |
	.samples > 0 and .resolution_ns > 1 and .resolution_ns < 1000000000)' \
	"--stamp-every 16: latency with its resolution"
run single bench a:pa b:pb --phases a-to-b --frames 5000 --rate max --burst 1 --stamp-every 8
expect_json single '.trials[0].directions[0].latency_ns.resolution_ns > 100' \
	"--stamp-every 8, one at a time: the resolution is not that of one frame"

# --- then pass, then drop ---

# Counted frames reach the kernel's IP: its counter of delivered or refused packets goes up.
ip_received() {
	ip netns exec b awk '/^IpExt:/ && !n++ { split($0, h) }
		/^Ip:/ && /[0-9]/ { print $4 }' /proc/net/snmp
}

for then in pass drop; do
	before=$(ip_received)
	start count count b:pb --then $then --expect 3001 --duration 20s
	run send send a:pa b:pb "${load[@]}"
	finish
	expect_json count 'directions[0].ledger | [.matched, .lost, .receive_unexplained] ==
		[3001, 0, 0]' "--then $then: all are counted"
	got=$(($(ip_received) - before))
	want=3001
	[ $then = pass ] || want=0
	expect_true "--then $then: $got of 3001 reach the kernel's IP" [ $got = $want ]
done

# --- a far end that goes away ---

pair 1
what="the counter goes away"
start count count b:pb
run_count=$pid count_timeout=$timeout_pid
start send send a:pa b:pb --rate 20kpps --duration 2s
send_timeout=$timeout_pid
kill -9 "$run_count"
timeout_pid=$count_timeout
finish
timeout_pid=$send_timeout
finish
expect_status 0 send "$what: send ends with 0"
expect_json send '.trials[0].directions[0].ledger | .wanted <= 40000 and
	.tx_uncompleted + .dev_tx_dropped > 1000 and
	.submitted == .tx_uncompleted + .completed and .completed > 0' \
	"$what: what did not leave is shown"

what="the reflector goes away"
start reflect reflect b:pb
run_reflect=$pid reflect_timeout=$timeout_pid
start send send a:pa b:pb --rate 20kpps --duration 2s --expect-return
send_timeout=$timeout_pid
kill -INT "$run_reflect"
timeout_pid=$reflect_timeout
finish
expect_status 0 reflect "$what: it ends with 0"
timeout_pid=$send_timeout
finish
expect_json send '(.trials[0].directions[] | select(.to == "a:pa") | .ledger |
	.matched > 100 and .lost > 1000) and
	(.trials[0].directions[0].ledger | .submitted > 0 and .tx_uncompleted > 1000)' \
	"$what: what did not come back is lost"

what="nobody there"
gro off b pb
run send send a:pa b:pb --frames 500 --rate max
expect_refusal 1 send 'a:pa.*GRO.*--engine xsk' "$what: nothing would leave, and that is said"
gro on b pb
run send send a:pa b:pb --frames 500 --rate max
expect_json send '.trials[0].directions[0].ledger | [.submitted, .completed] == [500, 500]' \
	"GRO on the far end: all left"
nothing_left "after far ends that went away nothing is left"

# --- what does not go together ---

refused() { # PATTERN ARGS...
	local pattern=$1

	shift
	run refused "$@"
	expect_refusal 2 refused "$pattern" "$*: refused"
}

refused 'verify full.*xsk' count b:pb --engine kernel --verify full
refused 'zero-copy.*xsk' count b:pb --engine kernel --mode zero-copy
refused 'rx-ring.*xsk' count b:pb --engine kernel --rx-ring 64
refused 'tx-ring.*xsk' send a:pa b:pb --engine kernel --tx-ring 64
refused 'then pass.*kernel' count b:pb --engine xsk --then pass
refused 'stamp-every.*kernel' send a:pa b:pb --engine xsk --stamp-every 4
refused '.' count b:pb --engine auto --then pass --verify full

# --- auto ---

run auto bench a:pa b:pb --engine auto --phases a-to-b --frames 200 --rate 20kpps
expect_words auto.err 'engine kernel .*no zero-copy' \
	"auto: kernel where there is no zero-copy"
run auto bench a:pa b:pb --engine auto --phases a-to-b --frames 200 --rate 20kpps --verify full
expect_json auto '[.ports[].mode.obtained] | all(. == "copy")' \
	"auto: xsk for what the kernel engine can't do"
nothing_left "after all of it nothing is left"
