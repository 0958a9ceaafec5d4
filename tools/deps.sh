#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs what is missing to build, test, check or measure xdploop on Debian and Ubuntu.
#
#   tools/deps.sh build|test|driver|check|bench ...      install what is missing
#   tools/deps.sh -n build|test|driver|check|bench ...   only name it (exit 1 when something is)
#
# Asks nothing and does nothing, offline too, when all is there. A need is a probe, not a package
# version: a compiler from elsewhere is as good as the distribution's.
set -u
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# group  probe               packages, the first one that apt knows is taken
needs='
build    c:gcc               gcc
build    h:stdio.h           libc6-dev
build    c:make              make
build    c:git               git
build    c:pkg-config        pkg-config|pkgconf
build    c:clang             clang
build    bpftool             bpftool|linux-tools-generic
build    h:linux/if_xdp.h    linux-libc-dev
build    p:libbpf            libbpf-dev
build    p:libxdp            libxdp-dev
build    p:libnl-3.0         libnl-3-dev
build    p:libnl-genl-3.0    libnl-genl-3-dev
build    p:libnl-route-3.0   libnl-route-3-dev
build    p:jansson           libjansson-dev
build    p:ncursesw          libncurses-dev
build    p:libcap-ng         libcap-ng-dev
test     h:cmocka.h          libcmocka-dev
test     c:ip                iproute2
test     c:ethtool           ethtool
test     c:jq                jq
test     c:tmux              tmux
test     c:setpriv           util-linux
check    c:clang-format      clang-format
check    c:cppcheck          cppcheck
check    c:shellcheck        shellcheck
check    c:llvm-symbolizer   llvm
check    sanitizers          libclang-rt-VERSION-dev|libclang-common-VERSION-dev
driver   c:zstd              zstd
driver   c:xz                xz-utils
driver   keyring             debian-archive-keyring
bench    c:valgrind          valgrind
'

say() {
	echo "tools/deps.sh: $*" >&2
}

# Ubuntu's bpftool is a wrapper that fails when the tools of the running kernel are not there.
have_bpftool() {
	local tool

	for tool in bpftool /usr/lib/linux-tools*/bpftool /usr/lib/linux-tools/*/bpftool; do
		"$tool" version >/dev/null 2>&1 && return 0
	done
	return 1
}

have_sanitizers() {
	local dir rc

	dir=$(mktemp -d) || return 1
	echo 'int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { return p == 0 && n; }' \
		>"$dir/t.c"
	clang -fsanitize=fuzzer,address,undefined "$dir/t.c" -o "$dir/t" >/dev/null 2>&1
	rc=$?
	rm -rf "$dir"
	return $rc
}

have() {
	case $1 in
	c:*) command -v "${1#c:}" >/dev/null ;;
	p:*) pkg-config --exists "${1#p:}" 2>/dev/null ;;
	h:*) echo "#include <${1#h:}>" | gcc -E -xc -include stdarg.h -include stddef.h \
		-include setjmp.h -include stdint.h - >/dev/null 2>&1 ;;
	bpftool) have_bpftool ;;
	sanitizers) have_sanitizers ;;
	keyring) [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] ;;
	esac
}

# The major version of the clang that is here, or that the package clang would bring.
clang_version() {
	local version

	version=$(clang -dumpversion 2>/dev/null) ||
		version=$(apt-cache show clang 2>/dev/null | sed -n 's/^Depends:.*clang-\([0-9]*\).*/\1/p' | head -n 1)
	version=${version%%.*}
	echo "${version:-14}"
}

# The first of "a|b" that apt can install, else the first.
choose() {
	local names=${1//VERSION/$(clang_version)} name

	for name in ${names//|/ }; do
		if apt-cache policy "$name" 2>/dev/null | grep -q 'Candidate: [^(]'; then
			echo "$name"
			return
		fi
	done
	echo "${names%%|*}"
}

missing_rows() {
	local group probe packages

	while read -r group probe packages; do
		case " $groups " in
		*" $group "*) have "$probe" || echo "$packages" ;;
		esac
	done <<<"$needs"
}

# How to become root: "", "sudo -n", "sudo", or nothing (exit status 1).
root_by() {
	if [ "$(id -u)" = 0 ]; then
		return 0
	elif sudo -n true 2>/dev/null; then
		echo "sudo -n"
	elif command -v sudo >/dev/null && [ -t 0 ]; then
		echo sudo
	else
		return 1
	fi
}

main() {
	local only_name="" groups=" " rows packages row root log

	if [ "${1-}" = -n ]; then
		only_name=1
		shift
	fi
	for row; do
		case $row in
		build | test | driver | check | bench) groups+="$row " ;;
		*)
			say "unknown word '$row': give build, test, driver, check or bench"
			return 2
			;;
		esac
	done
	if [ $# = 0 ]; then
		say "what for? give build, test, driver, check or bench"
		return 2
	fi

	mapfile -t rows < <(missing_rows)
	[ ${#rows[@]} = 0 ] && return 0

	if ! command -v apt-get >/dev/null; then
		say "missing: ${rows[*]} (names of Debian; this system has no apt-get)"
		return 1
	fi
	packages=()
	if [ "$only_name" ] || ! root=$(root_by); then
		for row in "${rows[@]}"; do
			packages+=("$(choose "$row")")
		done
		say "missing: ${packages[*]}"
		say "install them with: sudo apt-get install --no-install-recommends ${packages[*]}"
		return 1
	fi

	log=$(mktemp) || return 1
	# shellcheck disable=SC2086 # root is "", "sudo -n" or "sudo"
	if ! $root apt-get -q update </dev/null >"$log" 2>&1; then
		say "apt-get update failed, trying with the lists that are here:"
		tail -n 3 "$log" >&2
	fi
	for row in "${rows[@]}"; do
		packages+=("$(choose "$row")")
	done
	say "installing ${packages[*]}"
	# shellcheck disable=SC2086
	if ! $root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install \
		--no-install-recommends "${packages[@]}" </dev/null >"$log" 2>&1; then
		tail -n 20 "$log" >&2
		say "could not install: ${packages[*]}"
		rm -f "$log"
		return 1
	fi
	rm -f "$log"

	mapfile -t rows < <(missing_rows)
	[ ${#rows[@]} = 0 ] && return 0
	say "installed, but still not found: ${rows[*]}"
	return 1
}

main "$@"
