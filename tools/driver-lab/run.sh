#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the cases of tests/driver in emulated machines, two at a time, and prints what they printed:
# "ok - ...", "not ok - ...", "skip - NAME: REASON", details as "# ...".
#
#   tools/driver-lab/run.sh [CASE...]     K="61 new": only on these kernels
#
# Cases that need the same kernel, devices and memory share a machine and a boot. A machine that
# does not boot is tried once more: that is no test that failed, but if it happens again it is
# called one. When a case makes the machine hang, the cases behind it get a machine of their own.
# Everything that the machines said stays in $B/driver-lab/KERNEL-DEVICES-N/.
set -u
cd "$(dirname "$0")/../.." || exit 1
export B=${B:-build} LAB_OWNER=$$ # machines end when we do, however that is
MACHINES=2
PER_MACHINE=2 # cases that share a boot, at most
work=$B/driver-lab
failures=0

not_ok() {
	failures=$((failures + 1))
	echo "not ok - $*"
}

# --- what there is to run ---

# head_value FILE NAME DEFAULT: of the line "# lab: NAME=VALUE ..."
head_value() {
	local value

	value=$(sed -n 's/^# lab: //p' "$1" | tr ' ' '\n' | sed -n "s/^$2=//p")
	echo "${value:-$3}"
}

# "KERNEL DEVICES MEMORY NAME LIMIT" of each case on each of its kernels.
list_cases() {
	local file name kernel kernels limit

	for file in tests/driver/*.sh; do
		grep -q '^# lab: ' "$file" || continue
		name=$(basename "$file" .sh)
		[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
		kernels=$(head_value "$file" kernels new)
		limit=$(head_value "$file" limit 60)
		for kernel in ${kernels//,/ }; do
			[ ! "${K-}" ] || [[ " $K " == *" $kernel "* ]] || continue
			echo "$kernel $(head_value "$file" devices igb2)" \
				"$(head_value "$file" memory 512) $name $limit"
		done
	done
}

# Machines, those with most cases first: "CASES KERNEL DEVICES MEMORY CASE:LIMIT...".
group_cases() {
	sort -k 1,3 | awk -v most=$PER_MACHINE '
		{ key = $1 " " $2 " " $3 }
		key != last || n == most { if (line) print n, line; line = key; n = 0 }
		{ line = line " " $4 ":" $5; n++; last = key }
		END { if (line) print n, line }' | sort -rn
}

# --- one machine ---

# The lines of a case, with the machine's name in front of its words.
print_case() { # LOG WHERE
	sed -nE "s/\r\$//; s/^(ok|not ok|skip) - /\1 - $2: /p; /^#/p" "$1"
}

# Prints what the cases printed; the cases that have not been run are then in $left.
print_machine() { # DIR WHERE CASE:LIMIT...
	local dir=$1 where=$2 word name status log

	shift 2
	left=()
	for word; do
		name=${word%:*}
		status=$(awk -v name="$name" '$1 == name { print $2 }' "$dir/result")
		log=$dir/share/$name/log
		case $status in
		"")
			left+=("$word")
			continue
			;;
		124) not_ok "$where $name: the machine $(sed -n 's/^machine //p' "$dir/result")" ;;
		137) not_ok "$where $name: ended within ${word#*:} s" ;;
		*)
			if ! grep -qE '^(ok|not ok|skip)( |$)' "$log" 2>/dev/null; then
				not_ok "$where $name: ran a test (status $status)"
			fi
			;;
		esac
		print_case "$log" "$where $name"
		if [ "$status" = 124 ]; then
			grep -E 'BUG|panic|Oops|RIP: 0010' "$dir/serial.log" | head -n 5 | sed 's/^/#   serial: /'
			tail -n 10 "$dir/serial.log" | sed 's/^/#   serial: /'
		elif [ "$status" != 0 ] || grep -q '^not ok' "$log"; then
			failures=$((failures + 1))
			tail -n 5 "$dir/share/$name/dmesg" 2>/dev/null | sed 's/^/#   kernel: /'
		fi
	done
}

# As often as cases are left and the last boot got at least one of them done.
run_machine() { # KERNEL DEVICES MEMORY CASE:LIMIT...
	local kernel=$1 devices=$2 memory=$3 where="$1 $2" dir end boots=0 n=0

	shift 3
	left=("$@")
	while [ ${#left[@]} != 0 ]; do
		n=$((n + 1))
		dir=$(mktemp -d "$work/$kernel-${devices/:/-}-XXXX") || return 1
		tools/driver-lab/machine.sh "$lab" "$kernel" "$devices" "$memory" \
			"$work/$kernel.gz" "$dir" "${left[@]}"
		end=$(sed -n 's/^machine //p' "$dir/result" | tail -n 1)
		set -- "${left[@]}"
		print_machine "$dir" "$where" "$@"
		sed 's/^/# /' "$dir/notes" 2>/dev/null
		[ "$end" = ended ] || [ ${#left[@]} != 0 ] || not_ok "$where: the machine $end"
		if [ ${#left[@]} = $# ]; then
			boots=$((boots + 1))
			echo "# $where: the machine gives: $end (boot $boots)"
			[ $boots -lt 2 ] || break
		fi
	done
	for end in "${left[@]}"; do
		not_ok "$where ${end%:*}: the machine came so far (see $dir)"
	done
	return $((failures != 0))
}

# What it prints comes in one piece, since another prints beside it.
machine_at_once() { # KERNEL DEVICES MEMORY CASE:LIMIT...
	local out=$work/out.$BASHPID rc

	run_machine "$@" >"$out" 2>&1
	rc=$?
	flock "$work/lock" cat "$out"
	return $rc
}

main() {
	local rows row kernel why

	if ! lab=$(tools/driver-lab/fetch.sh 2>"$work.why"); then
		why=$(tail -n 1 "$work.why")
		echo "skip - driver: ${why#driver-lab: }"
		return 0
	fi
	cat "$work.why" >&2
	rm -rf "$work"
	mkdir -p "$work"
	mapfile -t rows < <(list_cases "$@" | group_cases)
	if [ ${#rows[@]} = 0 ]; then
		not_ok "there is a case ${*:-at all}${K:+ for the kernels $K}"
		return 1
	fi
	for kernel in $(printf '%s\n' "${rows[@]}" | cut -d' ' -f2 | sort -u); do
		tools/driver-lab/image.sh "$lab" "$kernel" "$work/$kernel.gz" || return 1
	done
	for row in "${rows[@]}"; do
		while [ "$(jobs -rp | wc -l)" -ge $MACHINES ]; do
			wait -n || failures=$((failures + 1))
		done
		# shellcheck disable=SC2086 # words
		machine_at_once ${row#* } &
	done
	while [ "$(jobs -rp | wc -l)" != 0 ]; do
		wait -n || failures=$((failures + 1))
	done
	[ $failures = 0 ]
}

main "$@"
