#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the initial file system of a machine of the driver lab: busybox, bash, jq, ip and ethtool
# with their libraries, the modules of a kernel, the freshly built xdploop, the cases.
#
#   tools/driver-lab/image.sh LAB KERNEL OUT     LAB: what fetch.sh printed; OUT: a .gz
set -u
cd "$(dirname "$0")/../.." || exit 1
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
B=${B:-build}
XDPLOOP=${XDPLOOP:-$B/xdploop}

die() {
	echo "driver-lab: $*" >&2
	exit 1
}

# A program and the libraries it needs, each library where the program looks for it.
add_program() { # FILE [NAME]
	local library

	install -D -m 755 "$1" "$root/bin/${2:-$(basename "$1")}" || die "can't add $1"
	while read -r library; do
		[ -e "$root$library" ] || install -D -m 755 "$library" "$root$library" || exit 1
	done < <(ldd "$1" 2>/dev/null | grep -o '/[^ ]*')
}

add_busybox() {
	local applet

	install -D -m 755 "$busybox" "$root/bin/busybox"
	for applet in $("$busybox" --list); do
		[ -e "$root/bin/$applet" ] || ln -s busybox "$root/bin/$applet"
	done
}

main() {
	local lab=$1 kernel=$2 out=$3 tool file

	busybox=$lab/qemu/bin/busybox
	[ -x "$busybox" ] || busybox=$lab/qemu/usr/bin/busybox
	root=$(mktemp -d) || exit 1
	trap 'rm -rf "$root"' EXIT
	mkdir -p "$root"/{proc,sys,dev,tmp,run,out,lab,bin,sbin,etc}
	for tool in bash jq ip ethtool realpath timeout sleep; do
		file=$(command -v "$tool") || die "needs $tool: tools/deps.sh test"
		add_program "$file"
	done
	add_program "$XDPLOOP" xdploop
	add_busybox
	cp -r "$lab/kernel/$kernel/mod" "$root/mod"
	install -m 755 tools/driver-lab/init.sh "$root/init"
	cp tests/driver/*.sh "$root/lab/"
	install -m 644 tests/net/lib.sh "$root/lab/net_lib.sh"
	(cd "$root" && find . | "$busybox" cpio -o -H newc 2>/dev/null) | gzip -1 >"$out.new" ||
		die "can't write $out"
	mv "$out.new" "$out"
}

main "$@"
