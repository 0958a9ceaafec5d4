#!/bin/bash
# SPDX-License-Identifier: MIT
# The help of every command against tests/golden/help_*.txt, and what is made of the same rows: man
# page and completion. Only output is looked at; nothing is run.
#
# XDPLOOP: the program under test (default build/xdploop). What differs is left in $GOLDEN_ACTUAL
# (default build/golden), from where tools/bless.sh takes it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/lib.sh

golden=${GOLDEN_DIR:-tests/golden}
actual=${GOLDEN_ACTUAL:-build/golden}
commands="demo send reflect count bench monitor help"

check_golden() { # NAME COMMAND...
	local name=$1

	shift
	run "$@"
	if [ "$status" != 0 ] || [ -s "$err" ]; then
		not_ok "$name: exit status 0 and nothing on standard error" "status $status"
	elif diff -u "$golden/$name" "$out" >"$dir/diff" 2>&1; then
		ok "$name is as it was approved"
	else
		mkdir -p "$actual" && cp "$out" "$actual/$name"
		not_ok "$name is as it was approved" "see tools/bless.sh -n $name"
		sed 's/^/#   /' "$dir/diff"
	fi
}

check_width() { # NAME
	if awk 'length > 80 { bad = 1; print "#   " $0 } END { exit bad }' "$out"; then
		ok "$1 has at most 80 columns"
	else
		not_ok "$1 has at most 80 columns" "the lines above"
	fi
}

# The same text by all ways to ask for it.
check_same() { # COMMAND
	run "$1" --help
	cp "$out" "$dir/first"
	for words in "--help $1" "help $1" "$1 -h" "-v $1 --rate 10x --help"; do
		# shellcheck disable=SC2086 # the words
		run $words
		expect "xdploop $words prints the help of $1" 0 cmp -s "$out" "$dir/first"
	done
}

check_man() {
	local word

	run --print-man
	cp "$out" "$dir/xdploop.8"
	expect "--print-man prints the man page" 0 grep -q '^.TH XDPLOOP 8' "$out"
	for word in NAME SYNOPSIS DESCRIPTION COMMANDS OPTIONS "EXIT STATUS" FILES EXAMPLES "SEE ALSO"; do
		expect "the man page has a section $word" 0 grep -qx ".SH $word" "$dir/xdploop.8"
	done
	if command -v man >/dev/null; then
		LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$dir/xdploop.8" >"$dir/z" 2>"$err"
		status=$?
		expect "man formats the page without a warning" 0 test ! -s "$err"
		# shellcheck disable=SC2086 # the words
		LC_ALL=C.UTF-8 MANWIDTH=100 man -E UTF-8 -l "$dir/xdploop.8" 2>/dev/null | col -b >"$dir/text"
		for word in $options; do
			expect "the man page explains $word" 0 grep -qe "$word" "$dir/text"
		done
	else
		skip "man formats the page without a warning" "there is no man"
	fi
}

# What bash would offer for a line; the last word is the one that is being written.
completions() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_xdploop
	echo " ${COMPREPLY[*]} "
}

offers() { # NAME WORDS-OFFERED WORDS-OF-THE-LINE...
	local name=$1 wanted=$2 got

	shift 2
	got=$(completions "$@")
	if [ "$got" = " $wanted " ]; then
		ok "$name"
	else
		not_ok "$name" "offered:$got, not: $wanted"
	fi
}

check_completion() {
	run --print-completion
	expect "--print-completion prints a script that bash takes" 0 bash -n "$out"
	# shellcheck disable=SC1090 # what was printed
	. "$out"
	offers "commands are completed" "$commands" xdploop ""
	offers "a command is completed" "send" xdploop se
	offers "a command behind an option is completed" "bench" xdploop --rate 1Mpps be
	offers "a command behind an option with = is completed" "count" xdploop --interval = 1s cou
	offers "values that are numbers are not completed" "" xdploop send --size ""
	offers "options of a command are completed" "--rx-ring --rate --repeat" xdploop send --r
	offers "a command has only its own options" "" xdploop count --rat
	offers "values that are words are completed" "copy" xdploop send --mode c
	offers "values behind = are completed" "zero-copy" xdploop send --mode = z
	offers "formats are completed" "json" xdploop bench a b --format js
	offers "ports are completed" "lo" xdploop count lo
	offers "demo takes no ports" "" xdploop demo lo
	offers "help takes commands" "monitor" xdploop help mon
	if grep -qE "_init_completion|_get_comp_words" "$out"; then
		not_ok "the completion needs only bash" "it calls the package bash-completion"
	else
		ok "the completion needs only bash"
	fi
}

check_golden help_main.txt --help
check_width help_main.txt
for command in $commands; do
	check_golden "help_$command.txt" "$command" --help
	check_width "help_$command.txt"
	check_same "$command"
done
run --print-options
options=$(cut -f 1 "$out")
run help
cp "$out" "$dir/main"
for command in $commands; do
	expect "the main help names $command" 0 grep -qE "^  $command( |\$)" "$dir/main"
done
for code in 0 1 2 3 77; do
	expect "the main help explains exit status $code" 0 grep -qE "^ +$code  [a-z]" "$dir/main"
done
run --version
expect "--version prints one line" 0 test "$(wc -l <"$out")" = 1
check_man
check_completion
if [ -e /dev/full ]; then
	"$XDPLOOP" --help >/dev/full 2>"$err"
	status=$?
	expect "help that can't be written is an error" 1 grep -q "standard output" "$err"
fi
finish
