# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the scripts of tests/cli share. They run the built program without any right or port:
# XDPLOOP (default build/xdploop). One line per case, "ok - NAME" or "not ok - NAME: WHY"; the last
# line counts them.
XDPLOOP=$(realpath -m "${XDPLOOP:-${B:-build}/xdploop}")
passed=0 failed=0 skipped=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
out=$dir/out err=$dir/err status=0
[ -x "$XDPLOOP" ] || { echo "not ok - $XDPLOOP: is not there"; exit 1; }

ok() { # NAME
	passed=$((passed + 1))
	echo "ok - $1"
}

not_ok() { # NAME WHY
	failed=$((failed + 1))
	echo "not ok - $1: $2"
}

skip() { # NAME WHY
	skipped=$((skipped + 1))
	echo "skip - $1: $2"
}

# Run the program: output in $out and $err, exit status in $status. Never waits for long.
run() {
	timeout 20 "$XDPLOOP" "$@" >"$out" 2>"$err" </dev/null
	status=$?
}

# Did the last run end with STATUS, and does the command hold?
expect() { # NAME STATUS COMMAND...
	local name=$1 wanted=$2

	shift 2
	if [ "$status" != "$wanted" ]; then
		not_ok "$name" "exit status $status, not $wanted"
		sed 's/^/#   /' "$err"
	elif ! "$@"; then
		not_ok "$name" "$*"
	else
		ok "$name"
	fi
}

finish() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
	exit
}
