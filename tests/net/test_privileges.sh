#!/bin/bash
# SPDX-License-Identifier: MIT
# Less than root: capabilities, locked memory, and nothing at all.
. "$(dirname "$0")/lib.sh"
enter "$@"
need setpriv prlimit

# As somebody, in the namespace of both ports (no capability to enter others), with a copy of the
# program that everybody can reach.
install -m 755 "$XDPLOOP" "$dir/xdploop"
XDPLOOP=$dir/xdploop
mkdir -m 700 "$dir/user"
chown 65534:65534 "$dir/user"

# as CAPABILITIES LOCKED-KIB NAME ARGS...: like run. A limit above the own one is left as it is.
as() {
	local caps=$1 locked=$2 name=$3 own

	shift 3
	own=$(ulimit -H -l)
	[ "$own" = unlimited ] || [ "$own" -ge "$locked" ] || locked=$own
	ip netns exec a prlimit --memlock=$((locked * 1024)):$((locked * 1024)) \
		setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs \
		--inh-caps "-all$caps" --ambient-caps "-all$caps" --bounding-set "-all$caps" \
		env XDG_RUNTIME_DIR="$dir/user" timeout -k 5 60 "$XDPLOOP" "$@" \
		--json "$dir/user/$name.json" >"$dir/$name.out" 2>"$dir/$name.err"
	status=$?
	mv "$dir/user/$name.json" "$dir/$name.json" 2>/dev/null
}

load=(--engine xsk --frames 1000 --rate 20kpps --mode copy)
inside=(--engine kernel --frames 1000 --rate 20kpps)
three=,+net_raw,+net_admin,+bpf
both 2

if ! setpriv --bounding-set -all$three true 2>/dev/null; then
	skip "capabilities" "setpriv knows no bpf"
else
	as $three 65536 caps bench pa pb "${load[@]}"
	expect_status 0 caps "NET_RAW, NET_ADMIN and BPF are enough"
	expect_json caps '[.trials[].directions[].ledger | [.matched, .unexplained]] |
		all(. == [1000, 0])' "with them all is sent and counted"

	as $three 64 inside bench pa pb "${inside[@]}"
	expect_status 0 inside "they are enough for the kernel engine too, with little memory"
	expect_json inside '[.trials[].directions[].ledger | [.matched, .unexplained]] |
		length > 0 and all(. == [1000, 0])' "with them it sends and counts all"

	as $three 8192 memory bench pa pb "${load[@]}"
	expect_status 0 memory "8 MiB of locked memory: works"
	expect_json memory '[.ports[] | .umem.frames_per_queue * .umem.chunk_bytes * .queues] |
		add > 2000000 and add <= 8388608' "8 MiB of locked memory: the frames are fitted to it"
	expect_json memory '[.trials[].directions[].ledger | .submitted == 1000 and
		.unexplained == 0] | all' "8 MiB of locked memory: every frame is explained"

	as $three 1024 little bench pa pb "${load[@]}"
	expect_refusal 1 little '[0-9]+ KiB.*ulimit -l.*CAP_IPC_LOCK' \
		"1 MiB of locked memory: refused, with the KiB needed"

	as ,+net_raw,+net_admin 65536 nobpf bench pa pb "${load[@]}"
	expect_refusal 1 nobpf 'CAP_BPF' "without CAP_BPF: refused by name"
	as ,+net_admin,+bpf 65536 noraw bench pa pb "${load[@]}"
	expect_refusal 1 noraw 'CAP_NET_RAW' "without CAP_NET_RAW: refused by name"
	as $three 65536 other bench a:pa a:pb "${load[@]}"
	expect_refusal 1 other 'CAP_SYS_ADMIN' "another namespace without CAP_SYS_ADMIN: refused by name"
fi

as "" 65536 nothing bench pa pb
expect_refusal 1 nothing 'CAP_NET_ADMIN.*sudo|sudo.*CAP_NET_ADMIN' "no capability: one line that says what to do"
as "" 65536 demo -q demo
expect_refusal 77 demo 'sudo|root|CAP_' "demo without any right: one line that says what to do"

# Root of a container: no CAP_SYS_RESOURCE, no CAP_IPC_LOCK, no bpffs.
umount /sys/fs/bpf 2>/dev/null
setpriv --bounding-set -sys_resource,-ipc_lock --inh-caps -sys_resource,-ipc_lock \
	timeout -k 5 60 "$XDPLOOP" bench a:pa a:pb "${load[@]}" --json "$dir/root.json" \
	>"$dir/root.out" 2>"$dir/root.err"
status=$?
expect_status 0 root "root without CAP_SYS_RESOURCE and bpffs: works"
expect_json root '[.trials[].directions[].ledger | [.matched, .unexplained]] |
	all(. == [1000, 0])' "root without CAP_SYS_RESOURCE and bpffs: counts right"
nothing_left "after all of it nothing is left"
