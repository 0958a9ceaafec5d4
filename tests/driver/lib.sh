# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the cases of the driver lab share. A case is a script that runs inside an emulated machine as
# root, with the ports p0, p1, ... that its head asks for:
#
#     # lab: kernels=61,612,new devices=igb2 limit=60 [memory=512]
#
# "kernels" are those of tools/driver-lab/fetch.sh, "devices" those of machine.sh, "limit" is in
# seconds. It begins with
#
#     . "$(dirname "$0")/lib.sh"
#
# and has run, start, finish, expect_... of tests/net/lib.sh. Results go to the host with it.
# shellcheck source=tests/net/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/net_lib.sh"

world_name=$(basename "$0" .sh)
dir=/tmp/$(basename "$0" .sh)
rm -rf "$dir"
mkdir -p "$dir"
out=/out/$(basename "$0" .sh)
trap lab_leave EXIT

lab_leave() {
	local rc=$?

	[ "$cases" != 0 ] || not_ok "the case ran to its end"
	[ $rc = 0 ] || [ $failures != 0 ] || not_ok "the case ended with status $rc"
	cp -r "$dir/." "$out/" 2>/dev/null
	exit $((failures != 0))
}

# For ports without a namespace.
jq_words+='
def ab: ledger("p0"; "p1");
def ba: ledger("p1"; "p0");
def port(p): first(.ports[] | select(.name == p or .port == p));
'

# --- asking the host ---

# host WORD ARGS...: prints the reply.
host() {
	local n i

	read -r n </tmp/marks
	echo $((n + 1)) >/tmp/marks
	printf '\n@LAB %s %s\n' "$n" "$(tr -s '\n\t' '  ' <<<"$*")" >/dev/ttyS0
	for ((i = 0; i < 300; i++)); do
		[ ! -e "/out/reply.$n" ] || { cat "/out/reply.$n"; return 0; }
		sleep 0.1
	done
	return 1
}

link() { # N on|off: QEMU's end of the cable of port N
	local up=true

	[ "$2" = on ] || up=false
	host qmp '{"execute": "set_link", "arguments": {"name": "nic'"$1"'", "up": '$up'}}' |
		grep -q return || not_ok "QEMU switches the link of port $1 $2"
}

# shellcheck disable=SC2034 # for the cases
case $(uname -r) in
6.1.*) kernel=61 ;;
6.12.*) kernel=612 ;;
*) kernel=new ;;
esac

# An earlier case of this boot may have left them otherwise. The cards of the lab drop what finds no
# descriptor and count it nowhere, and an emulated CPU may stand still for a while: hence long rings.
ports_settle() {
	local port

	for port in /sys/class/net/p[0-9]*; do
		port=${port##*/}
		ip link set "$port" mtu 1500 up
		ethtool -L "$port" combined 2
		ethtool -G "$port" rx "${RX_RING:-1024}"
	done >/dev/null 2>&1
	for port in /sys/class/net/p[0-9]*; do
		wait_for 100 grep -q 1 "$port/carrier" || not_ok "${port##*/} has a link"
	done
}
ports_settle

# --- common runs ---

frames=2000
rate=2kpps

# exact NAME MODE ARGS...: bench of p0 and p1 that obtains MODE and in which each frame arrives.
exact() {
	local name=$1 mode=$2

	shift 2
	run "$name" bench p0 p1 --frames $frames --rate $rate "$@"
	expect_status 0 "$name" "$name ($mode): bench ends with 0"
	expect_json "$name" '[.ports[].mode.obtained] == [$mode, $mode]' \
		"$name: both ports are in mode $mode" --arg mode "$mode"
	expect_json "$name" '[.trials[].directions[].ledger] | length > 0 and
		all([.submitted, .matched, .lost, .unexplained, .receive_unexplained,
		.duplicate, .dropped_by_us] == [$frames, $frames, 0, 0, 0, 0, 0])' \
		"$name: $frames frames arrive each way, no more and no less" \
		--argjson frames $frames
}

# ladder MODE...: auto obtains the first, each is obtained when it is asked for.
ladder() {
	local mode

	exact auto "$1"
	for mode; do
		exact "$mode" "$mode" --mode "$mode" --phases a-to-b
	done
}

# refused MODE PATTERN: asked for, the mode is refused with words.
refused() {
	run refused bench p0 p1 --frames 10 --mode "$1"
	expect_refusal 1 refused "$2" "mode $1 is refused with words"
	attached_nowhere "a refused mode"
}

programs_here() {
	ip -j -d link | jq -r '.[] | select(.xdp) | "\(.ifname) program \(.xdp.prog.id)"'
}

attached_nowhere() { # TEXT
	local left

	left=$(processes_left; programs_here)
	expect_true "$1: nothing is left ($left)" [ ! "$left" ]
}

# --- the bad wire, on machines whose devices end in ":wire" ---

wire_start() { # RULES
	host wire "$*" >"$dir/wire.out"
	expect_words wire.out ready "the wire starts"
}

# What it did, an array of the two directions, is then in $truth.
wire_stop() {
	truth=$dir/truth.json
	host unwire >"$truth"
	if ! jq -e 'all(.overrun == 0 and .send_failed == 0)' "$truth" >/dev/null; then
		not_ok "the wire kept up, so its count is the truth"
		details "$truth"
	fi
}

# --- faults while it runs ---

# begin NAME ARGS...: bench from p0 to p1 in the background, at a rate that loses nothing by itself.
begin() {
	local name=$1

	shift
	LIMIT=60 start "$name" bench p0 p1 --phases a-to-b --rate 2kpps "$@"
}

# However it ended: in time, with a report that closes.
ended() { # NAME TEXT
	finish
	expect_true "$2: it ends by itself (status $status)" [ "$status" -lt 124 ]
	expect_json "$1" '[.trials[].directions[].ledger] | length > 0 and
		all(.submitted > 0 and .lost == .submitted - .matched - .corrupt - (.too_late // 0))' \
		"$2: what was done is reported"
	attached_nowhere "$2"
}
