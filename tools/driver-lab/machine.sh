#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs cases in one emulated machine, one boot.
#
#   tools/driver-lab/machine.sh LAB KERNEL DEVICES MEMORY IMAGE DIR CASE:LIMIT...
#
# DIR gets serial.log, qemu.log, share/CASE/{log,dmesg,...} (what the guest wrote), and result: one
# line for each case that began, "CASE STATUS" (124: it did not end in time), last "machine ended",
# "machine no boot" or "machine hangs". DEVICES, each with the wire between its ports when ":wire"
# is behind:
#
#   igb2 igb4   two or four igb cards, p0 cabled to p1, p2 to p3     vmxnet3  e1000e  two of them
#   igbdual     one dual-port igb card                               virtio   two, one queue pair
#   virtiomq    two virtio-net with four queue pairs over a bridge
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
BOOT_LIMIT=300 # seconds until the guest says that it is ready
GRACE=60       # seconds that a case may go on beyond its own limit

lab=$1 kernel=$2 devices=${3%:wire} wire=${3##*:} memory=$4 image=$5 dir=$6
shift 6
cases=("$@")
[ "$wire" = wire ] || wire=""
qemu_dir=$lab/qemu
qemu_pid="" wire_pid="" expected=0 phase=boot

# --- what is plugged in ---

args=()

# cable N: netdevs nN and nN+1, joined directly or by the wire.
cable() {
	local a=$1 b=$(($1 + 1)) to_a=$1 to_b=$(($1 + 1))

	[ ! "$wire" ] || to_a="w$a" to_b="w$b"
	[ "$wire" ] || { to_a=$b to_b=$a; }
	args+=(-netdev "dgram,id=n$a,local.type=unix,local.path=$sockets/$a,remote.type=unix,remote.path=$sockets/$to_a")
	args+=(-netdev "dgram,id=n$b,local.type=unix,local.path=$sockets/$b,remote.type=unix,remote.path=$sockets/$to_b")
}

# card N MODEL [OPTIONS]: on a root port of its own, so that it can be pulled.
card() {
	args+=(-device "pcie-root-port,id=rp$1,slot=$(($1 + 1)),chassis=$(($1 + 1))"
		-device "$2,id=nic$1,netdev=n$1,mac=02:00:00:00:00:0$1,bus=rp$1${3:+,$3}")
}

plug_in() {
	local plain="guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off" n

	plain+=",guest_uso4=off,guest_uso6=off,iommu_platform=on,disable-legacy=on"
	[ "$devices" = virtiomq ] || cable 0
	case $devices in
	igb2) card 0 igb && card 1 igb ;;
	igb4)
		cable 2
		for n in 0 1 2 3; do
			card $n igb
		done
		;;
	igbdual)
		args+=(-device "pcie-root-port,id=rp0,slot=1,chassis=1"
			-device "igb,id=nic0,netdev=n0,mac=02:00:00:00:00:00,bus=rp0,addr=00.0,multifunction=on,x-pcie-ari-nextfn-1=on"
			-device "igb,id=nic1,netdev=n1,mac=02:00:00:00:00:01,bus=rp0,addr=00.1")
		;;
	vmxnet3 | e1000e) card 0 "$devices" && card 1 "$devices" ;;
	virtio) card 0 virtio-net-pci "$plain" && card 1 virtio-net-pci "$plain" ;;
	virtiomq)
		for n in 0 1; do
			args+=(-netdev "tap,id=n$n,ifname=t$n,script=no,downscript=no,queues=4,vhost=off")
			card $n virtio-net-pci "mq=on,vectors=10,$plain"
		done
		;;
	*)
		echo "driver-lab: no devices '$devices'" >&2
		exit 2
		;;
	esac
}

# The module that drives them.
module_of() {
	case $devices in
	igb*) echo igb ;;
	virtio*) echo virtio_net ;;
	*) echo "$devices" ;;
	esac
}

# --- QEMU ---

start_qemu() {
	local libraries=$qemu_dir/usr/lib/x86_64-linux-gnu

	plug_in
	mkfifo "$dir/qmp.in" "$dir/qmp.out" || exit 1
	exec 5<>"$dir/qmp.in" 6<>"$dir/qmp.out"
	mkfifo "$dir/serial" || exit 1
	QEMU_MODULE_DIR=$libraries/qemu LD_LIBRARY_PATH=$libraries:$qemu_dir/lib/x86_64-linux-gnu \
		nice -n 19 "$qemu_dir/usr/bin/qemu-system-x86_64" -no-user-config -nodefaults \
		-L "$qemu_dir/usr/share/qemu" -L "$qemu_dir/usr/share/seabios" \
		-L "$qemu_dir/usr/lib/ipxe/qemu" -M q35 -accel tcg,thread=multi -cpu max \
		-m "$memory" -smp 2 -kernel "$lab/kernel/$kernel/vmlinux" -initrd "$image" \
		-append "console=ttyS0 panic=-1 quiet tsc=reliable tsc_early_khz=$("$B/tools/driver-lab/tsc") lab.cards=$(module_of)" \
		-display none -no-reboot -serial stdio -chardev "pipe,id=qmp,path=$dir/qmp" \
		-mon chardev=qmp,mode=control -device isa-debug-exit,iobase=0xf4,iosize=0x04 \
		-virtfs "local,path=$dir/share,mount_tag=out,security_model=none" \
		"${args[@]}" </dev/null >"$dir/serial" 2>"$dir/qemu.log" 5>&- 6>&- &
	qemu_pid=$!
	exec 4<"$dir/serial"
	echo '{"execute": "qmp_capabilities"}' >&5
}

stop_all() {
	[ ! "$wire_pid" ] || kill "$wire_pid" 2>/dev/null
	[ ! "$qemu_pid" ] || kill -9 "$qemu_pid" 2>/dev/null
	rm -rf "$sockets"
}

# --- what the guest asks for ---

# The reply to a request is a file in the shared folder, there at once and whole.
reply() { # N, text on stdin
	cat >"$dir/reply"
	mv "$dir/reply" "$dir/share/reply.$1"
}

# Replies to greeting and capabilities come before; events go to the log.
ask_qemu() { # N JSON
	local line

	echo "$2" >&5
	while read -r -t 20 -u 6 line; do
		echo "qmp: $line" >>"$dir/qemu.log"
		case $line in
		*'"QMP"'* | *'"event"'*) ;;
		*'"id": "'$1'"'*)
			reply "$1" <<<"$line"
			return
			;;
		esac
	done
	reply "$1" <<<'{"error": "no answer from QEMU"}'
}

start_wire() { # N RULES
	local n=$1 _

	shift
	nice -n 19 "$B/tests/wire/wire" "unix:$sockets/w0:$sockets/0" \
		"unix:$sockets/w1:$sockets/1" "$@" \
		>"$dir/wire.out" 2>"$dir/wire.err" 4<&- 5>&- 6>&- &
	wire_pid=$!
	for _ in {1..100}; do
		grep -q ready "$dir/wire.out" && break
		sleep 0.05
	done
	head -n 1 "$dir/wire.out" | cat - "$dir/wire.err" | reply "$n"
}

stop_wire() { # N
	if [ "$wire_pid" ]; then
		kill -TERM "$wire_pid" 2>/dev/null
		wait "$wire_pid" 2>/dev/null
	fi
	wire_pid=""
	tail -n 1 "$dir/wire.out" | reply "$1"
}

# --- the guest's lines ---

# Sets deadline and phase; false when it is the last line.
handle() { # N WORD ARGS...
	local n=$1 word=$2

	shift 2
	if [ "$n" != "$expected" ]; then
		echo "machine lost lines: $n instead of $expected" >>"$dir/notes"
	fi
	expected=$((n + 1))
	case $word in
	ready) phase=between deadline=$((SECONDS + GRACE)) ;;
	case) phase=$1 deadline=$((SECONDS + $2 + GRACE)) ;;
	end)
		echo "$1 $2" >>"$dir/result"
		phase=between deadline=$((SECONDS + GRACE))
		;;
	qmp) ask_qemu "$n" "$(jq -c --arg id "$n" '. + {id: $id}' <<<"$*")" ;;
	wire) start_wire "$n" "$@" ;;
	unwire) stop_wire "$n" ;;
	problem) echo "machine problem: $*" >>"$dir/notes" ;;
	exit) return 1 ;;
	esac
}

# One line from the serial line, however it comes in pieces; 1: end, 2: the deadline is over.
read_line() {
	local piece rc

	line=""
	while :; do
		[ "$SECONDS" -lt "$deadline" ] || return 2
		# Whoever wanted this may have been killed.
		kill -0 "${LAB_OWNER:-$$}" 2>/dev/null || exit 1
		IFS= read -r -t 1 -u 4 piece
		rc=$?
		line+=$piece
		[ $rc != 0 ] || return 0
		[ $rc -gt 128 ] || return 1
	done
}

listen() {
	local line words rc

	deadline=$((SECONDS + BOOT_LIMIT))
	while read_line; rc=$?; [ $rc = 0 ]; do
		line=${line//$'\r'/}
		printf '%s %s\n' "$SECONDS" "$line" >>"$dir/serial.log"
		case $line in
		*"@LAB "*)
			read -ra words <<<"${line##*@LAB }"
			handle "${words[@]}" || { phase='exit'; break; }
			;;
		esac
	done
	case $phase in
	boot) echo "machine no boot" >>"$dir/result" ;;
	exit)
		wait "$qemu_pid"
		rc=$?
		# Status 3 is the guest's word; anything else is QEMU's own.
		[ $rc = 3 ] && echo "machine ended" >>"$dir/result" ||
			echo "machine ended with QEMU's status $rc" >>"$dir/result"
		qemu_pid=""
		;;
	*)
		[ "$phase" = between ] || echo "$phase 124" >>"$dir/result"
		[ $rc = 2 ] && echo "machine hangs" >>"$dir/result" ||
			echo "machine died" >>"$dir/result"
		;;
	esac
}

# virtiomq: two taps with a bridge between them, in a network namespace that ends with us.
bridge_taps() {
	local t

	sysctl -qw net.ipv6.conf.default.disable_ipv6=1 net.ipv6.conf.all.disable_ipv6=1
	ip link add br0 type bridge ageing_time 0 mcast_snooping 0 || exit 1
	for t in t0 t1; do
		ip tuntap add dev $t mode tap multi_queue || exit 1
		ip link set $t master br0 up || exit 1
	done
	ip link set br0 up
}

main() {
	local owner

	if [ "$devices" = virtiomq ] && [ "${LAB_NETNS-}" != in ]; then
		[ "$(id -u)" = 0 ] || owner=-r
		LAB_NETNS=in exec unshare ${owner-} -n "$0" "$lab" "$kernel" "$devices" "$memory" "$image" \
			"$dir" "${cases[@]}"
	fi
	# Paths of sockets must be short; and two machines on one path would take each other's frames.
	sockets=$(mktemp -d) || exit 1
	trap stop_all EXIT
	mkdir -p "$dir/share"
	dir=$(cd "$dir" && pwd)
	printf '%s\n' "${cases[@]/:/ }" >"$dir/share/cases"
	[ "$devices" != virtiomq ] || bridge_taps
	start_qemu
	listen
}

main
