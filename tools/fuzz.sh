#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the fuzzers of tests/fuzz with clang and runs each for some seconds.
#
#   tools/fuzz.sh [SECONDS] [NAME...]     default 10 s, all
#
# Starts from the files in tests/fuzz/NAME/, keeps what it finds in $B/fuzz/corpus/NAME, and leaves
# an input that breaks something in $B/fuzz/found/.
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
seconds=${1:-10}
[ $# = 0 ] || shift
failed=0

make --no-print-directory B="$B/fuzz" CC=clang OPT="-O1 -fno-omit-frame-pointer" \
	EXTRA_CFLAGS="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" \
	fuzz-programs || exit 1

for source in tests/fuzz/fuzz_*.c; do
	[ -e "$source" ] || {
		echo "no fuzzers in tests/fuzz"
		exit 1
	}
	name=$(basename "$source" .c)
	name=${name#fuzz_}
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	corpus=$B/fuzz/corpus/$name
	mkdir -p "$corpus" "$B/fuzz/found"
	seeds=()
	[ -d "tests/fuzz/$name" ] && seeds=("tests/fuzz/$name")
	if timeout $((seconds + 60)) "$B/fuzz/tests/fuzz/fuzz_$name" -max_total_time="$seconds" \
		-timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$B/fuzz/found/$name-" "$corpus" "${seeds[@]}" \
		</dev/null >"$B/fuzz/$name.log" 2>&1; then
		echo "ok    fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' \
			"$B/fuzz/$name.log") runs in $seconds s"
	else
		failed=1
		echo "FAIL  fuzz $name:"
		tail -n 40 "$B/fuzz/$name.log" | sed 's/^/    | /'
	fi
done
exit $failed
