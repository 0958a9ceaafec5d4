#!/bin/bash
# SPDX-License-Identifier: MIT
# Makes, once, the root that the peers of xdploop run in: Debian 13 with dpdk and netsniff-ng from
# its packages, in a cache folder outside the tree. xdp-tools comes from Debian 14: that of Debian
# 13 asks for a tracepoint which kernels from 6.16 on no longer have, and lacks the AF_XDP modes.
# Asks nothing; a second call only looks whether all is there; rm -rf of the folder undoes it.
#
#   tools/bench/peers.sh                 make what is missing
#   tools/bench/peers.sh -n              only say what is missing (exit 1 when something is)
#   tools/bench/peers.sh -p              print the folder
#   tools/bench/peers.sh --mirror URL    where Debian's packages come from; without it, from where
#                                        this machine's apt has them
#   XDPLOOP_PEERS=DIR                    the folder, instead of ~/.cache/xdploop/peers
set -u
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
suite=trixie
later=forky
packages=(xdp-tools netsniff-ng dpdk-dev librte-net-af-xdp25 librte-mempool-ring25)
later_packages=("xdp-tools/$later" "libxdp1/$later" "libxdp-dev/$later")
programs="xdp-trafficgen xdp-bench dpdk-testpmd trafgen"

say() {
	echo "tools/bench/peers.sh: $*" >&2
}

as_listed() {
	echo "${packages[*]} ${later_packages[*]}"
}

# What is not in the root. The file "made" is the last thing that is written.
missing() { # ROOT
	local program

	for program in $programs; do
		[ -x "$1/usr/sbin/$program" ] || [ -x "$1/usr/bin/$program" ] || echo "$program"
	done
	[ "$(cat "$1/made" 2>/dev/null)" = "$(as_listed)" ] || echo "the packages as listed here"
}

# The mirrors that apt of this machine takes Debian from.
mirrors() {
	apt-get indextargets --format "\$(ORIGIN) \$(LABEL) \$(REPO_URI)" 'Created-By: Packages' \
		2>/dev/null | awk '$1 == "Debian" && $2 == "Debian" && !seen[$3]++ { print $3 }'
}

# What apt is told about proxies, debootstrap has to be told too.
use_proxy_of_apt() {
	local proxy

	proxy=$(apt-config shell proxy Acquire::http::Proxy 2>/dev/null)
	proxy=${proxy#proxy=}
	proxy=${proxy//\'/}
	[ -z "$proxy" ] || [ "${http_proxy-}" ] || export http_proxy="$proxy"
}

need_debootstrap() {
	command -v debootstrap >/dev/null && return 0
	if command -v apt-get >/dev/null; then
		DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends \
			debootstrap </dev/null >>"$log" 2>&1
	fi
	command -v debootstrap >/dev/null && return 0
	say "debootstrap is missing and could not be installed: apt-get install debootstrap"
	return 1
}

# In a folder of its own until it is whole, so that an interrupted call leaves nothing half made.
make_base() { # ROOT
	local from=$mirror url

	[ -x "$1/usr/bin/apt-get" ] && return 0
	need_debootstrap || return 1
	[ "$from" ] || from=$(mirrors)
	if [ -z "$from" ]; then
		say "apt of this machine knows no mirror of Debian: give one with --mirror URL"
		return 1
	fi
	for url in $from; do
		rm -rf "$1.new"
		say "making $1 from $url"
		if debootstrap --variant=minbase "$suite" "$1.new" "$url" </dev/null >>"$log" 2>&1; then
			mv "$1.new" "$1" && return 0
		fi
	done
	rm -rf "$1.new"
	return 1
}

# The later release serves only what is asked of it by name. Before it is stable its index expires
# after a week, which a mirror that stands still or a clock that is wrong would run into; it is
# signed all the same.
add_later_release() { # ROOT
	sed "s/^deb \(.*\) $suite /deb [check-valid-until=no] \1 $later /" \
		"$1/etc/apt/sources.list" >"$1/etc/apt/sources.list.d/later.list"
	printf 'Package: *\nPin: release n=%s\nPin-Priority: 100\n' "$later" \
		>"$1/etc/apt/preferences.d/later"
}

install_in() { # ROOT PACKAGES...
	local root=$1

	shift
	chroot "$root" apt-get -q update &&
		chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -y install \
			--no-install-recommends "$@"
} </dev/null >>"$log" 2>&1

# Without services: nothing may start in there. In two steps: with both releases in sight apt finds
# no way.
add_packages() { # ROOT
	cp -L /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null
	printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
	chmod 755 "$1/usr/sbin/policy-rc.d"
	say "installing ${packages[*]}"
	install_in "$1" "${packages[@]}" || return 1
	add_later_release "$1"
	say "installing ${later_packages[*]}"
	install_in "$1" "${later_packages[@]}" || return 1
	chroot "$1" apt-get -q clean
	as_listed >"$1/made"
}

# Of the user who asked, also through sudo.
cache_folder() {
	local home=$HOME

	[ "${SUDO_USER-}" ] && home=$(getent passwd "$SUDO_USER" | cut -d: -f6)
	echo "${XDPLOOP_PEERS:-${XDG_CACHE_HOME:-$home/.cache}/xdploop/peers}"
}

main() {
	local only_say="" root rest

	root=$(cache_folder)
	while [ $# -gt 0 ]; do
		case $1 in
		-n) only_say=1 ;;
		-p)
			echo "$root"
			return 0
			;;
		--mirror)
			[ $# -gt 1 ] || { say "--mirror needs a URL" && return 2; }
			mirror=$2
			shift
			;;
		*)
			say "unknown word '$1': give -n, -p or --mirror URL"
			return 2
			;;
		esac
		shift
	done
	rest=$(missing "$root")
	[ "$rest" ] || return 0
	if [ "$only_say" ]; then
		say "not in $root: ${rest//$'\n'/ }"
		return 1
	fi
	if [ "$(id -u)" != 0 ]; then
		say "only root can make a root: run it with sudo"
		return 1
	fi
	mkdir -p "${root%/*}" && log=$root.log && : >"$log" || return 1
	use_proxy_of_apt
	if ! make_base "$root" || ! add_packages "$root"; then
		tail -n 15 "$log" >&2
		say "could not be made; all that was said is in $log"
		return 1
	fi
	rest=$(missing "$root")
	[ "$rest" ] || return 0
	say "installed, but still not found: ${rest//$'\n'/ }"
	return 1
}

mirror=""
main "$@"
