#!/bin/bash
# SPDX-License-Identifier: MIT
# The first process of a machine of the driver lab. Loads the drivers, names the ports p0, p1, ...
# by their MAC address, runs the cases named in /out/cases (NAME LIMIT), leaves.
#
# It speaks to the host by numbered lines on the serial line, "@LAB N WORD ...": a line that is
# missing or late tells the host where the machine hangs.
set -u
export PATH=/bin:/sbin HOME=/ XDPLOOP=/bin/xdploop B=/lab/build

mark() { # WORD ARGS...
	local n

	read -r n </tmp/marks
	echo $((n + 1)) >/tmp/marks
	printf '\n@LAB %s %s\n' "$n" "$*" >/dev/ttyS0
}

# value NAME: of the kernel's command line.
value() {
	local word words

	read -r words </proc/cmdline
	for word in $words; do
		case $word in "lab.$1="*) echo "${word#*=}" ;; esac
	done
}

prepare() {
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t devtmpfs dev /dev
	mount -t tmpfs tmpfs /tmp
	mount -t tmpfs tmpfs /run
	mount -t bpf bpf /sys/fs/bpf
	mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
	ln -s /proc/self/fd /dev/fd
	echo 0 >/tmp/marks
	echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
	echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
	ip link set lo up
}

# Drivers of cards that this machine has not are left out: a second less.
load_modules() {
	local module cards=" igb e1000e vmxnet3 virtio_net " here

	here=" $(value cards) "
	while read -r module; do
		case $cards in
		*" $module "*)
			case ${here//,/ } in *" $module "*) ;; *) continue ;; esac
			;;
		esac
		insmod "/mod/$module.ko" || mark problem "module $module"
	done </mod/order
}

name_ports() {
	local port name mac

	for port in /sys/class/net/*; do
		name=${port##*/}
		read -r mac <"$port/address"
		case $mac in
		02:00:00:00:00:0*)
			ip link set "$name" name "p${mac##*:0}" up || mark problem "port $name"
			;;
		esac
	done
}

# What a case that was killed left running must not disturb the next.
kill_left() {
	local comm

	for comm in /proc/[0-9]*/comm; do
		case $(cat "$comm" 2>/dev/null) in
		xdploop | bash | timeout) ;;
		*) continue ;;
		esac
		comm=${comm%/comm}
		[ "${comm#/proc/}" = 1 ] || kill -9 "${comm#/proc/}"
	done 2>/dev/null
}

run_case() { # NAME LIMIT
	local status key

	mkdir -p "/out/$1"
	mark case "$1" "$2"
	timeout -s KILL "$2" bash "/lab/$1.sh" >"/out/$1/log" 2>&1 </dev/null
	status=$?
	# Who waits for what in the kernel.
	[ $status != 137 ] || { echo w && echo l; } | while read -r key; do
		echo "$key" >/proc/sysrq-trigger
	done
	dmesg >"/out/$1/dmesg"
	mark end "$1" $status
	kill_left
}

prepare
load_modules
mkdir -p /out
if ! mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 out /out; then
	mark problem "no shared folder"
	poweroff -f
fi
name_ports
mark ready "$(uname -r)" "up $(cut -d' ' -f1 /proc/uptime) s"
while read -r name limit <&3; do
	run_case "$name" "$limit"
done 3</out/cases
mark exit 0
# isa-debug-exit: value 1 ends QEMU with status 3.
printf '\001' | dd of=/dev/port bs=1 seek=244 count=1 2>/dev/null
sleep 5
poweroff -f
