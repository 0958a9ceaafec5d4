#!/bin/bash
# SPDX-License-Identifier: MIT
# Ports that can't be used: exit status 1 and one line that says what would do.
. "$(dirname "$0")/lib.sh"
enter "$@"

refused() { # PATTERN TEXT ARGS...
	local pattern=$1 text=$2

	shift 2
	run refused "$@"
	expect_refusal 1 refused "$pattern" "$text"
}

# made_refused KIND PATTERN TEXT: a port of a kind that the kernel may lack, on top of pa.
made_refused() {
	local kind=$1 more=()

	[ "$kind" != vlan ] || more=(id 5)
	if ! ip -n a link add link pa name made type "$kind" "${more[@]}" 2>/dev/null &&
		! ip -n a link add name made type "$kind" 2>/dev/null; then
		skip "$3" "this kernel has no $kind"
		return
	fi
	ip -n a link set made up
	refused "$2" "$3" count a:made --duration 1s
	ip -n a link del made
}

pair 2
refused '"nosuch" in a.*pa' "a port that does not exist" count a:nosuch
refused 'nosuch' "a namespace that does not exist" count nosuch:pa
refused 'loopback.*demo' "loopback" count lo
made_refused bond 'bond.*ports' "a bond"
made_refused bridge 'bridge.*ports' "a bridge"
made_refused vlan 'VLAN.*below' "a VLAN"
refused '5.*--queues 2' "more queues than it has" count a:pa --queues 5
refused 'no queue 2.*0 to 1' "a queue that it has not" count a:pa --queue-ids 0,2
refused 'MTU of 2982.*mtu 2982.*--size 1518' "an MTU too small" bench a:pa b:pb --size 3000
refused 'zero-copy' "a mode that the driver has not" count a:pa --mode zero-copy

ip -n b link set pb down
refused 'b:pb is down.*ip -n b link set pb up' "a port that is down" bench a:pa b:pb
run sender send a:pa b:pb
expect_refusal 1 sender '(a:pa|b:pb).*(down|link|carrier|cable)' "a port whose far end is down"
ip -n b link set pb up

ip -n a addr add 192.0.2.1/24 dev pa
ip -n a route add default via 192.0.2.2
refused 'a:pa.*default route.*--force' "a port with the default route" count a:pa --duration 1s
run forced count a:pa --duration 200ms --force
expect_status 0 forced "the same with --force is done"
ip -n a route del default

# Everything that is not ours stays with the kernel: UDP to a closed port is answered through the
# port, and the answer makes the second write fail.
ip -n b addr add 192.0.2.2/24 dev pb
answered() {
	ip netns exec a bash -c 'exec 3<>/dev/udp/192.0.2.2/9 && echo 1 >&3 && sleep 0.5 &&
		! echo 2 >&3' 2>/dev/null
}
expect_true "the kernel's own traffic passes without us" answered
start reflect reflect b:pb
expect_true "it passes while reflect has the port" answered
kill -INT "$pid"
finish
expect_json reflect '[.trials[].queues[].program.passed] | add >= 1' "reflect counts it as passed"
nothing_left "after all of it nothing is left"
