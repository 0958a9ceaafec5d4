#!/bin/bash
# SPDX-License-Identifier: MIT
# Brings what the driver lab needs into a cache outside the tree: QEMU, three kernels with the
# modules of the lab, busybox. All of it are Debian packages from the mirror that this machine's
# apt uses, verified with Debian's keyring; nothing is installed and the machine's own apt sources,
# lists and state stay as they are.
#
#   tools/driver-lab/fetch.sh            prints the folder of the cache
#   tools/driver-lab/fetch.sh --refresh  looks for newer packages even if it did so lately
#
# Exit status 77, and a line that says why, when this machine can't have them. What is there:
#
#   qemu/       unpacked packages: usr/bin/qemu-system-x86_64, busybox
#   kernel/K/   for K of 61, 612, new: vmlinux, release, packages, mod/*.ko, mod/order
set -u
export LC_ALL=C # binary files go through grep and sed
cd "$(dirname "$0")/../.." || exit 1

lab=${XDG_CACHE_HOME:-${HOME:?}/.cache}/xdploop/driver-lab
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
fresh_days=7

# kernel  suite
kernels='
61   bookworm
612  bookworm-backports
new  trixie-backports
'
# Loaded in this order, each behind what it depends on; what a kernel has built in is passed over.
modules="virtio_pci 9pnet_virtio 9p igb e1000e vmxnet3 virtio_net veth"
must_have="9p igb e1000e vmxnet3 virtio_net veth"

say() {
	echo "driver-lab: $*" >&2
}

cannot() {
	say "$*"
	exit 77
}

apt_options() {
	echo "-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$lab/apt/parts" \
		"-o Dir::State::Lists=$lab/apt/lists -o Dir::Cache=$lab/apt/cache" \
		"-o Debug::NoLocking=1 -o Acquire::Retries=2 -o APT::Sandbox::User="
}

# shellcheck disable=SC2046 # options are words
apt() { # get|cache WORDS...
	local tool=apt-$1

	shift
	timeout -k 5 300 "$tool" $(apt_options) -q "$@" </dev/null
}

# Where this machine gets Debian from.
find_mirror() {
	apt-get indextargets 'Created-By: Packages' \
		--format '$(REPO_URI) $(COMPONENT) $(RELEASE) $(CODENAME)' 2>/dev/null |
		awk -v code="$codename" '$2 == "main" && ($3 == code || $4 == code) { print $1; exit }'
}

write_sources() {
	local mirror suites

	mirror=$(find_mirror)
	[ "$mirror" ] || return 1
	suites="bookworm bookworm-backports trixie-backports"
	[ "$codename" = bookworm ] || suites+=" $codename"
	mkdir -p "$lab"/apt/{parts,lists/partial,cache/archives/partial}
	cat >"$lab/apt/parts/lab.sources" <<-END
		Types: deb
		URIs: $mirror
		Suites: $suites
		Components: main
		Architectures: amd64
		Signed-By: $keyring
	END
}

# The packages with files behind a kernel's meta package of a suite.
kernel_packages() { # SUITE
	local todo=("linux-image-amd64/$1") seen=" " name next

	while [ ${#todo[@]} != 0 ]; do
		name=${todo[0]}
		todo=("${todo[@]:1}")
		while read -r next; do
			case $seen in *" $next "*) continue ;; esac
			seen+="$next "
			todo+=("$next")
		done < <(apt cache depends --no-recommends --no-suggests --no-conflicts --no-breaks \
			--no-replaces "$name" 2>/dev/null |
			sed -nE 's/^ *\|?(Pre)?Depends: (linux-(image|base|binary|modules)-[0-9][^ ]*).*/\2/p')
	done
	for name in $seen; do
		apt cache show "$name" >/dev/null 2>&1 && echo "$name"
	done | grep -v '^linux-base-' | sort
}

# --- unpacking ---

# The compressed kernel starts somewhere in the image, with the magic of zstd or xz.
extract_vmlinux() { # VMLINUZ OUT
	local at how

	while read -r at how; do
		tail -c "+$((at + 1))" "$1" | $how -dc >"$2" 2>/dev/null
		[ "$(head -c 4 "$2" | tail -c 3)" = ELF ] && [ "$(stat -c %s "$2")" -gt 10000000 ] &&
			return 0
	done < <(
		grep -obUaP '\x28\xb5\x2f\xfd' "$1" | sed 's/:.*/ zstd/'
		grep -obUaP '\xfd7zXZ' "$1" | sed 's/:.*/ xz/'
	)
	return 1
}

# take_module FOLDER NAME OUT: the module and before it what it depends on.
take_module() {
	local file needs need

	[ -e "$3/$2.ko" ] && return
	file=${module_file[$2]-}
	[ "$file" ] || return
	case $file in
	*.xz) xz -dc "$file" >"$3/$2.ko" ;;
	*.zst) zstd -qdc "$file" >"$3/$2.ko" ;;
	*) cp "$file" "$3/$2.ko" ;;
	esac
	needs=$(tr '\0' '\n' <"$3/$2.ko" | sed -n 's/^depends=//p' | head -n 1)
	for need in ${needs//,/ }; do
		take_module "$1" "${need//-/_}" "$3"
	done
	echo "$2" >>"$3/order"
}

unpack_kernel() { # DEBS-FOLDER OUT
	local tree=$2/tree deb file name

	for deb in "$1"/*.deb; do
		dpkg-deb -x "$deb" "$tree" || return 1
	done
	file=$(find "$tree" -name 'vmlinuz*' | head -n 1)
	if [ ! "$file" ] || ! extract_vmlinux "$file" "$2/vmlinux"; then
		say "no kernel found in $(basename -a "$1"/*.deb | tr '\n' ' ')"
		return 1
	fi
	declare -A module_file=()
	while read -r file; do
		name=${file##*/}
		name=${name%%.ko*}
		module_file[${name//-/_}]=$file
	done < <(find "$tree" -name '*.ko' -o -name '*.ko.xz' -o -name '*.ko.zst')
	mkdir -p "$2/mod"
	for name in $modules; do
		take_module "$tree" "$name" "$2/mod"
	done
	for name in $must_have; do
		[ -e "$2/mod/$name.ko" ] || { say "the kernel has no module $name"; return 1; }
	done
	rm -rf "$tree"
}

fetch_kernel() { # KERNEL SUITE
	local out=$lab/kernel/$1 work=$lab/work packages

	packages=$(kernel_packages "$2")
	[ "$packages" ] || { say "the mirror has no kernel in $2"; return 1; }
	packages+=$'\n'"modules: $modules"
	[ "$(cat "$out/packages" 2>/dev/null)" = "$packages" ] && return 0
	say "fetching kernel $1: $(sed '$d' <<<"$packages" | tr '\n' ' ')"
	rm -rf "$work"
	mkdir -p "$work/debs" "$work/out" "$lab/kernel"
	# shellcheck disable=SC2046 # packages are words
	(cd "$work/debs" && apt get download $(sed '$d' <<<"$packages") >"$lab/log" 2>&1) || {
		say "$(tail -n 1 "$lab/log")"
		return 1
	}
	unpack_kernel "$work/debs" "$work/out" || return 1
	echo "$packages" >"$work/out/packages"
	rm -rf "$out"
	mv "$work/out" "$out"
	rm -rf "$work"
}

# What apt would install for QEMU on this machine, with the libraries that it lacks.
fetch_qemu() {
	local out=$lab/qemu suite=bookworm-backports debs=$lab/apt/cache/archives deb packages

	[ "$codename" = bookworm ] || suite=$codename
	rm -f "$debs"/*.deb
	# shellcheck disable=SC2046 # options are words
	packages=$(apt get --print-uris -y --no-install-recommends -t "$suite" --reinstall \
		install qemu-system-x86 qemu-system-common qemu-system-data seabios ipxe-qemu \
		busybox-static 2>/dev/null | awk -F"'" '/\.deb/ { print $2 }' | sort)
	[ "$packages" ] || { say "the mirror has no QEMU in $suite"; return 1; }
	[ "$(cat "$out/packages" 2>/dev/null)" = "$packages" ] && return 0
	say "fetching QEMU"
	apt get -y -d --no-install-recommends -t "$suite" --reinstall install qemu-system-x86 \
		qemu-system-common qemu-system-data seabios ipxe-qemu busybox-static \
		>"$lab/log" 2>&1 || { say "$(tail -n 1 "$lab/log")"; return 1; }
	rm -rf "$out.new"
	for deb in "$debs"/*.deb; do
		dpkg-deb -x "$deb" "$out.new" || return 1
	done
	echo "$packages" >"$out.new/packages"
	rm -rf "$out"
	mv "$out.new" "$out"
	rm -f "$debs"/*.deb
}

complete() {
	local kernel suite

	[ -e "$lab/qemu/packages" ] || return 1
	while read -r kernel suite; do
		[ ! "$kernel" ] || [ -e "$lab/kernel/$kernel/packages" ] || return 1
	done <<<"$kernels"
}

fetch_all() {
	local kernel suite

	write_sources || { say "apt's sources name no mirror of Debian $codename"; return 1; }
	if ! apt get update --error-on=any >"$lab/log" 2>&1; then
		say "the mirror's lists can't be had: $(grep '^[EW]:' "$lab/log" | tail -n 1)"
		return 1
	fi
	fetch_qemu || return 1
	while read -r kernel suite; do
		[ ! "$kernel" ] || fetch_kernel "$kernel" "$suite" || return 1
	done <<<"$kernels"
	touch "$lab/fresh"
}

main() {
	local tool

	mkdir -p "$lab" || cannot "$lab can't be made"
	exec 9>"$lab/lock"
	flock -w 1200 9 || cannot "another run has held $lab/lock for 20 minutes"
	if [ "${1-}" != --refresh ] && complete && [ "$(find "$lab/fresh" -mtime "-$fresh_days" 2>/dev/null)" ]; then
		echo "$lab"
		return 0
	fi
	[ "$(uname -m)" = x86_64 ] || cannot "needs x86_64"
	for tool in apt-get dpkg-deb zstd xz; do
		command -v "$tool" >/dev/null || cannot "needs $tool: tools/deps.sh driver"
	done
	[ -e "$keyring" ] || cannot "needs Debian's keyring: tools/deps.sh driver"
	# shellcheck disable=SC1091
	[ "$(. /etc/os-release && echo "$ID")" = debian ] || cannot "needs Debian, for its mirror"
	# shellcheck disable=SC1091
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	if ! fetch_all; then
		complete || cannot "QEMU and its kernels can't be fetched"
		say "going on with what was fetched before"
	fi
	echo "$lab"
}

main "$@"
