#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the tests and counts their cases. Last line: 'N passed, N failed, N skipped'.
#
#   tools/test.sh                    everything
#   tools/test.sh unit net:commands  a layer, or one test program of a layer
#
# driver boots machines in QEMU: about ten minutes (T="unit fake cli bpf net" leaves it out).
#
# B=build: where the programs were built (make test-programs). XDPLOOP: the program under test.
# V=1: show all output. bpf and net need root and go through sudo if there is a way.
#
# A case is a line of output: "ok ...", "not ok ..." (TAP, as cmocka and tests/net/lib.sh print it),
# "skip - NAME: REASON", or cmocka's "# SKIP". A program that dies, hangs or runs nothing has failed.
set -u
cd "$(dirname "$0")/.." || exit 1
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
B=${B:-build}
XDPLOOP=$(realpath -m "${XDPLOOP:-$B/xdploop}")
export B XDPLOOP

layers="unit fake cli bpf net driver"
passed=0 failed=0 skipped=0 root=none
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# Test programs of a layer: C programs by their source, then scripts.
programs_of() {
	local file

	for file in "tests/$1"/test_*.c "tests/$1"/test_*.sh; do
		case $file in
		*\**) ;;
		*.bpf.c) ;;
		*.c) echo "$B/${file%.c}" ;;
		*.sh) echo "$file" ;;
		esac
	done
}

limit_of() {
	case $1 in
	net) echo 300 ;;
	driver) echo 2700 ;;
	*) echo 120 ;;
	esac
}

# Prints "passed failed skipped" of a log, and its skips as "reason" lines on descriptor 3.
count_cases() {
	awk '
		/^(not )?ok [0-9]+ # SKIP/ {
			skip++
			sub(/^(not )?ok [0-9]+ # SKIP */, "")
			print "    skipped: " $0 (note == "" ? "" : ": " note) > "/dev/fd/3"
			note = ""
			next
		}
		/^skip - / { skip++; sub(/^skip - /, ""); print "    skipped: " $0 > "/dev/fd/3"; next }
		/^ok( |$)/ { ok++; note = ""; next }
		/^not ok( |$)/ { bad++; note = ""; next }
		/^[^#]/ { note = $0 }
		END { print ok + 0, bad + 0, skip + 0 }' "$log"
}

# How a privileged layer is run: a command in front, or "none" when there is no way.
find_root() {
	if [ "$(id -u)" = 0 ]; then
		echo env
	elif sudo -n true 2>/dev/null; then
		echo "sudo -n"
	elif command -v sudo >/dev/null && [ -t 0 ] && sudo true; then
		echo sudo
	else
		echo none
	fi
}

run_program() {
	local layer=$1 program=$2 name limit status start ok bad skip why=""
	local -a as=()

	name=$layer:$(basename "$program" .sh)
	name=${name/test_/}
	limit=$(limit_of "$layer")
	case $layer in
	bpf | net)
		if [ "$root" = none ]; then
			skipped=$((skipped + 1))
			echo "skip  $name: needs root or sudo"
			return
		fi
		read -ra as <<<"$root"
		as+=(env "B=$B" "XDPLOOP=$XDPLOOP")
		;;
	esac

	start=$SECONDS
	"${as[@]}" env CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 10 "$limit" "$program" \
		</dev/null >"$log" 2>&1
	status=$?
	read -r ok bad skip < <(count_cases 3>"$log.skips")
	if [ $((SECONDS - start)) -ge "$limit" ]; then
		why="stopped after $limit s"
	elif [ $status != 0 ] && [ "$bad" = 0 ]; then
		why="ended with status $status"
	elif [ $((ok + bad + skip)) = 0 ]; then
		why="ran no test"
	fi
	[ "$why" ] && bad=$((bad + 1))
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))

	if [ "$bad" != 0 ]; then
		echo "FAIL  $name: $ok passed, $bad failed, $skip skipped${why:+ ($why)}"
		sed 's/^/    | /' "$log"
	else
		[ "${V-}" ] && sed 's/^/    | /' "$log"
		echo "ok    $name: $ok passed$([ "$skip" = 0 ] || echo ", $skip skipped")" \
			"($((SECONDS - start)) s)"
	fi
	cat "$log.skips"
	rm -f "$log.skips"
}

run_layer() {
	local layer=$1 only=$2 program found=""

	while read -r program; do
		[ "$only" ] && [ "$(basename "$program" .sh)" != "test_$only" ] && continue
		found=1
		run_program "$layer" "$program"
	done < <(programs_of "$layer")
	if [ ! "$found" ]; then
		failed=$((failed + 1))
		echo "FAIL  $layer${only:+:$only}: there is no such test"
	fi
}

main() {
	local word

	root=$(find_root)
	# shellcheck disable=SC2086 # the words of layers
	[ $# = 0 ] && set -- $layers
	for word; do
		case " $layers " in
		*" ${word%%:*} "*) ;;
		*)
			echo "tools/test.sh: unknown layer '${word%%:*}': one of $layers" >&2
			exit 2
			;;
		esac
		case $word in
		*:*) run_layer "${word%%:*}" "${word#*:}" ;;
		*) run_layer "$word" "" ;;
		esac
	done
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed = 0 ]
}

main "$@"
