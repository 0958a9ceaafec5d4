#!/bin/bash
# SPDX-License-Identifier: MIT
# The cases of this folder, in emulated machines with real kernels and drivers. Nothing is fetched
# by a test that nobody asked to: without QEMU and kernels in the cache it says how to get them.
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/xdploop/driver-lab

if [ ! -e "$cache/kernel/new/vmlinux" ]; then
	echo "skip - machines: make test-driver fetches QEMU and kernels once (300 MB); from then on" \
		"they are part of make test"
	exit 0
fi
exec "$(dirname "$0")/../../tools/driver-lab/run.sh" "$@"
