#!/bin/bash
# SPDX-License-Identifier: MIT
# The quality gate. One line per check, details when it fails; all checks run even if one fails.
#
#   tools/check.sh             all of them
#   tools/check.sh walls asan  only these
#
# B=build: builds go to $B/check. T=10: seconds for each fuzzer.
set -u
cd "$(dirname "$0")/.." || exit 1
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
out=${B:-build}/check
mkdir -p "$out"

# In this order, two at a time; "gcc" first, since others look at what it built.
checks="gcc format shell spdx length walls clang cppcheck analyze asan tsan fuzz"

c_files() {
	find user bpf include tests tools -name '*.[ch]' | sort
}

scripts() {
	find tools tests .ci -name '*.sh' -o -path .ci/run | sort
}

build() { # NAME MAKE-ARGS...
	local dir=$out/$1

	shift
	make --no-print-directory B="$dir" "$@"
}

# Every program with every warning an error, by both compilers; the compilers see different things.
check_gcc() {
	build gcc EXTRA_CFLAGS=-Werror BPF_CFLAGS=-Werror all test-programs bench-programs
}

check_clang() {
	build clang CC=clang EXTRA_CFLAGS=-Werror BPF_CFLAGS=-Werror all test-programs bench-programs
}

check_format() {
	c_files | xargs clang-format --dry-run --Werror
}

check_shell() {
	scripts | xargs shellcheck -x
}

# The licence is the first line, or the second behind "#!".
check_spdx() {
	local file bad=0

	while read -r file; do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT$\|SPDX-License-Identifier: MIT \*/$' ||
			{ echo "$file: no SPDX line"; bad=1; }
	done < <(c_files; scripts; echo Makefile)
	return $bad
}

check_length() {
	c_files | xargs wc -l | awk '
		$2 == "total" { next }
		$1 > 700 { print $2 ": " $1 " lines, more than 700"; bad = 1; next }
		$1 > 500 { print "note: " $2 ": " $1 " lines, better below 500" }
		END { exit bad }'
}

check_walls() {
	B=$out/gcc tools/walls.sh
}

# unusedStructMember: fields of the X-macro tables are read through pointers.
# uninitvar in tests: it loses sight of a struct that a fixture fills; gcc and clang watch that too.
check_cppcheck() {
	cppcheck -q -j2 --std=c11 --enable=warning,performance,portability --inline-suppr \
		--error-exitcode=1 -Iinclude -D_GNU_SOURCE -D__x86_64__ \
		'-DSEC(name)=' '-DLIBBPF_OPTS(type, name, ...)=struct type name = {__VA_ARGS__}' \
		--suppress=unusedStructMember --suppress=missingIncludeSystem \
		'--suppress=uninitvar:tests/*' user tests tools
}

# A finding inside a generated skeleton is not ours to mend.
check_analyze() {
	# shellcheck disable=SC2046 # flags are words
	find user tools -name '*.c' ! -name '*.bpf.c' | sort | xargs -n 1 -P 2 clang --analyze -Xclang \
		-analyzer-output=text -std=gnu11 -D_GNU_SOURCE -Iinclude "-I$out/gcc/gen" \
		$(pkg-config --cflags libxdp libnl-3.0 jansson ncursesw libcap-ng) \
		>"$out/analyze.all" 2>&1
	! grep -E '(warning|error):' "$out/analyze.all" | grep -v '^[^:]*/gen/' ||
		{ cat "$out/analyze.all"; return 1; }
}

sanitized() { # NAME SANITIZERS LAYERS...
	local name=$1 flags="-fsanitize=$2 -fno-sanitize-recover=all -fno-omit-frame-pointer"

	shift 2
	build "$name" OPT=-O1 EXTRA_CFLAGS="$flags" test-programs || return 1
	UBSAN_OPTIONS=print_stacktrace=1 B=$out/$name tools/test.sh "$@"
}

check_asan() {
	sanitized asan address,undefined unit fake
}

# Programs of tests/fake that start threads have "thread" in their name.
check_tsan() {
	local file names=()

	for file in tests/fake/test_*thread*.c; do
		[ -e "$file" ] || return 0
		file=${file##*/test_}
		names+=("fake:${file%.c}")
	done
	sanitized tsan thread "${names[@]}"
}

check_fuzz() {
	B=$out tools/fuzz.sh "${T:-10}"
}

run_check() {
	local start=$SECONDS

	if "check_$1" </dev/null >"$out/$1.log" 2>&1; then
		echo "ok    $1 ($((SECONDS - start)) s)"
		grep '^note: ' "$out/$1.log" | sed 's/^/    /'
		return 0
	fi
	echo "FAIL  $1 ($((SECONDS - start)) s):"
	tail -n 100 "$out/$1.log" | sed 's/^/    | /'
	touch "$out/failed"
}

main() {
	local check

	rm -f "$out/failed"
	# shellcheck disable=SC2086 # the words of checks
	[ $# = 0 ] && set -- $checks
	for check; do
		case " $checks " in
		*" $check "*) ;;
		*)
			echo "tools/check.sh: no check '$check': one of $checks" >&2
			exit 2
			;;
		esac
		if [ "$check" = gcc ]; then
			run_check gcc
			continue
		fi
		while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
			wait -n
		done
		run_check "$check" &
	done
	wait
	[ ! -e "$out/failed" ]
}

main "$@"
