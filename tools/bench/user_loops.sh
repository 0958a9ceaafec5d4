#!/bin/bash
# SPDX-License-Identifier: MIT
# What the worker's loops cost per frame: CPU nanoseconds (best and median of nine rounds, with 4096
# frames that no near cache holds, and with 256 that stay there) and instructions, counted by
# callgrind where valgrind is there: in the role itself, and with the queue functions it calls.
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

# Targets of a role: nanoseconds and instructions per frame.
target() {
	case $1 in
	verify-full | verify-1000000-*) echo - - ;;
	send-*) echo 6 35 ;;
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

# Instructions of a loop per frame: in the role, and in all; "-" where they can't be counted.
instructions() {
	if ! valgrind -q --tool=callgrind --toggle-collect="$(role_of "$1")" \
		--callgrind-out-file="$out" "$bench" -r 1 -b $batches "$1" >/dev/null 2>&1; then
		echo - -
		return
	fi
	callgrind_annotate --auto=no --threshold=100 "$out" 2>/dev/null | awk -v n=$frames '
		{ count = $1; gsub(/,/, "", count) }
		/PROGRAM TOTALS/ { all = count }
		/:queue_[a-z_]*( |$)/ { queue += count }
		END { printf "%.1f %.1f\n", (all - queue) / n, all / n }'
}

printf '%-22s %8s %8s %8s %8s %7s %8s %8s %7s\n' \
	"ns per frame:" best median best median "" instruc- "" ""
printf '%-22s %8s %8s %8s %8s %7s %8s %8s %7s\n' \
	loop "of 4096" "" "of 256" "" target "tions" "in all" target
paste -d ' ' <("$bench" "$@") <("$bench" -f 256 -b 1600 "$@") |
	while read -r loop best median _ near_best near_median; do
		read -r max_ns max_instructions < <(target "$loop")
		read -r role all < <(instructions "$loop")
		printf '%-22s %8s %8s %8s %8s %7s %8s %8s %7s\n' "$loop" "$best" "$median" \
			"$near_best" "$near_median" "$max_ns" "$role" "$all" "$max_instructions"
		[ -z "$annotate" ] || callgrind_annotate --auto=yes "$out"
	done
