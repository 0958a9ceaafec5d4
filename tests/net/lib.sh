# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the net test scripts share. A script begins with
#
#     . "$(dirname "$0")/lib.sh"
#     enter "$@"
#
# and is then process 1 of a world of its own: own processes, mounts, /run and networks, which all
# end with it, however it ends. Everything is printed as "ok - ...", "not ok - ...",
# "skip - NAME: REASON", and details as "# ...".
#
#     pair N [M]     [ns a: pa] ======= [pb :ns b]                   N queues on pa, M on pb
#     both N         [ns a: pa ======= pb]
#     wired_pair N   [ns a: pa] === [wa: ns w :wb] === [pb :ns b]    wire_start joins wa and wb
#     chain N        [ns a: pa] === [d0: ns c :d1] === [pb :ns b]    for reflect c:d0 c:d1
#
# For xdploop the ports are then "a:pa" and "b:pb".
set -u
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
B=${B:-build}
XDPLOOP=$(realpath -m "${XDPLOOP:-$B/xdploop}")
wire=$(realpath -m "$B/tests/wire/wire")
failures=0 cases=0 wire_pid="" status=0 pid=0
world_name=$(basename "$0" .sh)

ok() {
	cases=$((cases + 1))
	echo "ok - $*"
}

not_ok() {
	cases=$((cases + 1)) failures=$((failures + 1))
	echo "not ok - $*"
}

skip() { # NAME REASON
	cases=$((cases + 1))
	echo "skip - $1: $2"
}

skip_all() { # REASON
	skip "${world_name#test_}" "$*"
	exit 0
}

details() { # FILE...
	local file

	for file; do
		[ -s "$file" ] || continue
		echo "# $(basename "$file"):"
		head -c 2000 "$file" | sed 's/^/#   /'
	done
}

# Become process 1 of a new world. Runs the script a second time.
enter() {
	if [ "${XDPLOOP_TEST_WORLD-}" != in ]; then
		[ "$(id -u)" = 0 ] || skip_all "needs root"
		need ip jq ethtool
		[ -x "$XDPLOOP" ] || { echo "not ok - $XDPLOOP is there"; exit 1; }
		unshare -n -m -p -f --mount-proc true 2>/dev/null ||
			skip_all "no right to make namespaces"
		XDPLOOP_TEST_WORLD=in exec unshare -n -m -p -f --kill-child --mount-proc \
			--propagation private bash "$0" "$@"
	fi
	unset XDPLOOP_TEST_WORLD # for scripts that run scripts
	dir=$(mktemp -d) || exit 1
	chmod 755 "$dir"
	trap leave EXIT
	trap 'exit 1' INT TERM
	mount -t tmpfs -o mode=755 tmpfs /run || exit 1
	ip link set lo up
}

leave() {
	local rc=$?

	[ "$cases" != 0 ] || not_ok "$world_name ran to its end"
	[ $rc = 0 ] || [ $failures != 0 ] || not_ok "$world_name ended with status $rc"
	rm -rf "$dir"
	[ $failures = 0 ]
	exit
}

need() {
	local command

	for command; do
		command -v "$command" >/dev/null || skip_all "$command is not installed"
	done
}

# --- topology ---

ns_add() {
	ip netns add "$1" || exit 1
	ip netns exec "$1" tee /proc/sys/net/ipv6/conf/{all,default}/disable_ipv6 \
		<<<1 >/dev/null 2>&1
	ip -n "$1" link set lo up
}

veth_add() { # NS1 DEV1 NS2 DEV2 QUEUES [QUEUES2]
	local other=${6:-$5}

	ip -n "$1" link add "$2" numrxqueues "$5" numtxqueues "$5" type veth \
		peer name "$4" netns "$3" numrxqueues "$other" numtxqueues "$other" || exit 1
	ip -n "$1" link set "$2" up
	ip -n "$3" link set "$4" up
}

world_clear() {
	local ns

	[ "$wire_pid" ] && wire_stop >/dev/null
	for ns in $(ip netns list | cut -d' ' -f1); do
		ip netns del "$ns"
	done
}

pair() { # QUEUES [QUEUES of pb]
	world_clear
	ns_add a
	ns_add b
	veth_add a pa b pb "$@"
}

wired_pair() { # QUEUES
	world_clear
	ns_add a
	ns_add b
	ns_add w
	veth_add a pa w wa "$1"
	veth_add w wb b pb "$1"
}

both() { # QUEUES: two cabled ports in one namespace, a: pa and pb
	world_clear
	ns_add a
	veth_add a pa a pb "$1"
}

chain() { # QUEUES
	world_clear
	ns_add a
	ns_add b
	ns_add c
	veth_add a pa c d0 "$1"
	veth_add c d1 b pb "$1"
}

# --- the bad wire ---

wire_start() { # RULES
	ip netns exec w "$wire" wa wb "$@" >"$dir/wire.out" 2>"$dir/wire.err" &
	wire_pid=$!
	wait_for 50 grep -q ready "$dir/wire.out" || {
		not_ok "the wire starts"
		details "$dir/wire.err"
		exit 1
	}
}

# End the wire; what it did, an array of the two directions, is then in $truth.
wire_stop() {
	truth=$dir/truth.json
	kill -TERM "$wire_pid"
	wait "$wire_pid"
	wire_pid=""
	tail -n 1 "$dir/wire.out" >"$truth"
	if ! jq -e 'all(.overrun == 0 and .send_failed == 0)' "$truth" >/dev/null; then
		not_ok "the wire kept up, so its count is the truth"
		details "$truth" "$dir/wire.err"
	fi
}

# --- running xdploop ---

# Every run is of this engine, unless its arguments name one.
engine=xsk

with_engine() { # ARGS...: them, and the engine, in the array $args
	args=("$@")
	case " $* " in
	*" --engine "* | " monitor "*) ;;
	*) args+=(--engine "$engine") ;;
	esac
}

# Run NAME ARGS...: output to $dir/NAME.{out,err,json}, exit status to $status.
run() {
	local name=$1

	shift
	rm -f "$dir/$name".*
	with_engine "$@"
	timeout -k 5 "${LIMIT:-60}" "$XDPLOOP" "${args[@]}" --json "$dir/$name.json" \
		>"$dir/$name.out" 2>"$dir/$name.err"
	status=$?
}

# The same in the background, once its first trial runs: the first interval line tells. Its process
# is then $pid.
start() {
	local name=$1

	shift
	rm -f "$dir/$name".*
	with_engine "$@"
	timeout --foreground -k 5 "${LIMIT:-60}" "$XDPLOOP" "${args[@]}" --json "$dir/$name.json" \
		--format ndjson --interval 100ms >"$dir/$name.out" 2>"$dir/$name.err" &
	timeout_pid=$!
	wait_for 200 test -s "$dir/$name.out" || {
		not_ok "$name: $1 gets ready"
		details "$dir/$name.err"
	}
	# shellcheck disable=SC2034 # for the scripts
	pid=$(pid_of_child "$timeout_pid")
}

pid_of_child() {
	local children

	read -r children _ <"/proc/$1/task/$1/children" 2>/dev/null
	echo "$children"
	[ "$children" ]
}

finish() { # wait for what start began
	wait "$timeout_pid"
	status=$?
}

# wait_for TENTHS COMMAND...: until the command is true.
wait_for() {
	local tenths=$1

	shift
	while ! "$@" >/dev/null 2>&1; do
		tenths=$((tenths - 1))
		[ $tenths -gt 0 ] || return 1
		sleep 0.1
	done
}

attached() { # NS DEV: is there an XDP program?
	ip -n "$1" -j -d link show dev "$2" | jq -e '.[0].xdp' >/dev/null
}

# --- what is expected ---

# An array of the last trial's directions and short names for jq.
jq_words='
def directions: [.trials[-1].directions[]];
def ledger(from; to): first(directions[] | select(.from == from and .to == to) | .ledger);
def port_queue(p; q): first(.trials[-1].queues[] | select(.port == p and .queue == q));
def ab: ledger("a:pa"; "b:pb");
def ba: ledger("b:pb"; "a:pa");
def closed: [.trials[].directions[].ledger | .unexplained] | all(. == 0 or . == null);
'

expect_true() { # TEXT COMMAND...
	local text=$1

	shift
	if "$@"; then
		ok "$text"
	else
		not_ok "$text"
	fi
}

expect_status() { # WANTED NAME TEXT
	if [ "$status" = "$1" ]; then
		ok "$3"
	else
		not_ok "$3 (exit status $status, expected $1)"
		details "$dir/$2.err" "$dir/$2.out"
	fi
}

expect_json() { # NAME EXPRESSION TEXT [jq options]
	local name=$1 expression=$2 text=$3

	shift 3
	if jq -e "$@" "$jq_words $expression" "$dir/$name.json" >/dev/null 2>"$dir/jq.err"; then
		ok "$text"
	else
		not_ok "$text"
		echo "#   $expression is not true in:"
		jq -c '.trials[]? | .name as $name | .directions[]? | {$name, from, to, leg} +
			(.ledger | with_entries(select(.value != 0 and .value != null)))' \
			"$dir/$name.json" 2>&1 | head -c 6000 | sed 's/^/#   /'
		details "$dir/jq.err" "$dir/$name.err"
	fi
}

expect_words() { # FILE PATTERN TEXT
	if grep -Eq -- "$2" "$dir/$1"; then
		ok "$3"
	else
		not_ok "$3"
		echo "#   /$2/ is not in:"
		details "$dir/$1"
	fi
}

# A refusal: this status, exactly one line on stderr, with these words in it.
expect_refusal() { # STATUS NAME PATTERN TEXT
	local lines

	lines=$(wc -l <"$dir/$2.err")
	if [ "$status" = "$1" ] && [ "$lines" = 1 ] && grep -Eqi -- "$3" "$dir/$2.err"; then
		ok "$4"
	else
		not_ok "$4 (exit status $status, expected $1; $lines lines, expected 1 with /$3/)"
		details "$dir/$2.err" "$dir/$2.out"
	fi
}

# Process ids of xdploop in this world, one a line.
processes_left() {
	local comm pid

	for comm in /proc/[0-9]*/comm; do
		pid=${comm%/comm}
		grep -qx xdploop "$comm" 2>/dev/null && echo "${pid#/proc/}"
	done
}

# Kill them all, without a chance to tidy up; false when there was none.
kill_hard() {
	local left

	mapfile -t left < <(processes_left)
	[ ${#left[@]} != 0 ] || return 1
	kill -9 "${left[@]}"
	wait 2>/dev/null
	wait_for 50 no_process_left
}

no_process_left() {
	[ ! "$(processes_left)" ]
}

sockets_left() {
	find /run/xdploop -name '*.sock' 2>/dev/null
}

programs_left() {
	local ns

	for ns in $(ip netns list | cut -d' ' -f1); do
		ip -n "$ns" -j -d link | jq -r --arg ns "$ns" \
			'.[] | select(.xdp) | "\($ns):\(.ifname) program \(.xdp.prog.id)"'
	done
}

promiscuous_left() {
	local ns

	for ns in $(ip netns list | cut -d' ' -f1); do
		[ "$ns" = w ] || ip -n "$ns" -j -d link | jq -r --arg ns "$ns" \
			'.[] | select(.promiscuity > 0) | "\($ns):\(.ifname) promiscuous"'
	done
}

# After a run: nothing attached, no process, no promiscuous port, no live socket ("killed": a file
# without a listener may stay behind a killed run).
nothing_left() { # TEXT [killed]
	local left

	wait_for 20 no_process_left
	left=$(processes_left; programs_left; promiscuous_left)
	if [ "${2-}" = killed ]; then
		rm -f /run/xdploop/*.sock
	else
		left+=$(sockets_left)
	fi
	if [ "$left" ]; then
		not_ok "$1"
		echo "#   left: $left"
	else
		ok "$1"
	fi
}
