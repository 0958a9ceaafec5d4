#!/bin/bash
# SPDX-License-Identifier: MIT
# What the worker's loops cost per frame: CPU nanoseconds (best and median of nine rounds) and
# instructions (counted by callgrind inside the role functions, where valgrind is there).
#
#   B=build tools/bench/user_loops.sh [-a] [LOOP...]     -a: annotate the source, loop by loop
set -u
cd "$(dirname "$0")/../.." || exit 1
bench=${B:-build}/tools/bench/user_loops
annotate=
[ "${1:-}" = -a ] && annotate=1 && shift
batches=8
frames=$((batches * 4096))
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

# Targets: nanoseconds and instructions per frame.
target() {
	case $1 in
	send-*) echo 6 35 ;;
	verify-full | verify-1000000-*) echo - - ;;
	verify-*) echo 8 75 ;;
	reflect-*) echo 5 30 ;;
	esac
}

role_of() {
	case $1 in
	send-*) echo role_generate ;;
	verify-*) echo role_count ;;
	reflect-*) echo role_reflect ;;
	esac
}

# Instructions of a loop per frame, or "-".
instructions() {
	command -v valgrind >/dev/null || { echo -; return; }
	valgrind -q --tool=callgrind --toggle-collect="$(role_of "$1")" --callgrind-out-file="$out" \
		"$bench" -r 1 -b $batches "$1" >/dev/null 2>&1 || { echo -; return; }
	awk -v n=$frames '/^(summary|totals):/ { sum = $2 } END { printf "%.1f\n", sum / n }' "$out"
}

printf '%-22s %8s %8s %8s %8s %8s\n' loop best median target instr target
"$bench" "$@" | while read -r loop best median; do
	read -r max_ns max_instructions < <(target "$loop")
	printf '%-22s %8s %8s %8s %8s %8s\n' "$loop" "$best" "$median" "$max_ns" \
		"$(instructions "$loop")" "$max_instructions"
	[ -z "$annotate" ] || callgrind_annotate --auto=yes "$out"
done
