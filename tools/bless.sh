#!/bin/sh
# SPDX-License-Identifier: MIT
# Accept what a test printed as the new golden file. The reason is kept in tests/golden/REASONS, so
# that a reader of the change learns why it is right and not only that it differs.
set -eu

usage() {
	cat <<-'END'
	usage: tools/bless.sh NAME REASON    show the difference and accept NAME
	       tools/bless.sh -n [NAME...]   only show differences (default: all)
	NAME is a file in tests/golden. Tests leave what they got in build/golden ($GOLDEN_ACTUAL).
	END
	exit 2
}

cd "$(dirname "$0")/.."
golden=${GOLDEN_DIR:-tests/golden}
actual=${GOLDEN_ACTUAL:-build/golden}

show() {
	old=$golden/$1
	[ -e "$old" ] || old=/dev/null
	diff -u "$old" "$actual/$1"
}

if [ "${1:-}" = -n ]; then
	shift
	[ $# -gt 0 ] || set -- "$actual"/*
	for name; do
		[ ! -e "$actual/${name##*/}" ] || show "${name##*/}" || true
	done
	exit 0
fi
[ $# -eq 2 ] || usage
name=$1 reason=$2
case $name in
''|*/*|-*) usage ;;
esac
case $reason in
*[![:space:]]*) ;;
*) echo "bless: say why $name may change: tools/bless.sh $name 'REASON'" >&2; exit 2 ;;
esac
if [ ! -e "$actual/$name" ]; then
	echo "bless: no $actual/$name: run the test that prints it first" >&2
	exit 1
fi
if show "$name"; then
	echo "bless: $name is already so"
else
	mkdir -p "$golden"
	cp "$actual/$name" "$golden/$name"
	printf '%s: %s\n' "$name" "$(printf %s "$reason" | tr '\n' ' ')" >> "$golden/REASONS"
	echo "bless: $golden/$name accepted"
fi
rm -f "$actual/$name"
