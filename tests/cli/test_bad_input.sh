#!/bin/bash
# SPDX-License-Identifier: MIT
# Nonsense on the command line: exit status 2, nothing on standard output, and exactly one line on
# standard error that names the word and shows what would do. No port is touched.
#
# XDPLOOP: the program under test (default build/xdploop).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/lib.sh

tested=" "

# A line that names WORD and shows SHOWN, and nothing else.
bad() { # WORD SHOWN ARGUMENT...
	local word=$1 shown=$2 name why="" arg

	shift 2
	for arg; do
		case $arg in
		--) break ;;
		--*) arg=${arg%%=*} && tested="$tested$arg " ;;
		esac
	done
	name=$(printf '%q ' "$@")
	[ ${#name} -le 90 ] || name="${name:0:80}... "
	name="xdploop ${name}is refused"
	run "$@"
	if [ "$status" != 2 ]; then
		why="exit status $status, not 2"
	elif [ -s "$out" ]; then
		why="prints on standard output"
	elif [ "$(wc -l <"$err")" != 1 ]; then
		why="$(wc -l <"$err") lines on standard error"
	elif ! grep -q '^xdploop: ' "$err"; then
		why="does not begin with xdploop:"
	elif ! grep -qFe "$word" "$err"; then
		why="does not name $word"
	elif ! grep -qFe "$shown" "$err"; then
		why="does not show $shown"
	fi
	if [ "$why" ]; then
		not_ok "$name" "$why"
		sed 's/^/#   /' "$err"
	else
		ok "$name"
	fi
}

# OPTION | what must be shown | command that takes it | bad values
values=$(
	cat <<'END'
--mode|zero-copy|bench a b|fast AUTO zerocopy copy,generic
--queues|examples: 1|bench a b|0 65 -1 1.5 all 0x2 2q
--queue-ids|examples: 0|bench a b|64 3-1 0,,1 0- a 0-99 -1
--rx-ring|examples: 512|bench a b|0 32 100 131072 4k big
--tx-ring|examples: 512|bench a b|0 63 1000 -64 65537 2048x
--lab-queues|examples: 1|demo|0 65 two -2 1e1
--size|examples: 64|bench a b|0 63 9217 64b -64 0x40 64.5 1518,64
--flows|examples: 1|bench a b|0 1000001 many -1 1.0001 10M
--rate|1Mpps, 5Gbps, 80%, max|bench a b|10x 0 0pps -1Mpps 1e6pps fast 5Gbit 5Gbps/l3 %80 0% 1,000pps max2
--burst|examples: 1|bench a b|0 257 x -4 1.5
--frames|examples: 1000|bench a b|0 -1 1.5 1x 99999999999999999999999 ten
--dst-mac|02:00:00:00:00:0a|send a|02:00:00:00:00 02:00:00:00:00:0g 020000000000a 00:00:00:00:00:00 01:00:5e:00:00:01 ff:ff:ff:ff:ff:ff
--swap|one of: none, l2, l3, l4|reflect a|l1 L2 mac l2,l3 4
--match|stamped, udp:7|reflect a|udp udp: udp:0 udp:65536 udp:9-7 udp:x tcp:7 any stamped,all udp:1,2,3,4,5,6,7,8,9
--engine|one of: auto, xsk, kernel|count a|none all XSK 1
--stamp-every|examples: 1|bench a b|0 1025 x -4 1.5
--stamp|one of: xdp, none|count a|user all XDP 1
--then|one of: drop, pass|count a|none DROP 1
--verify|one of: stamp, full|count a|none all FULL 1
--expect|examples: 1000|count a|0 -5 some 1.5 5x
--duration|examples: 10s|bench a b|0 0s 1us -1s 10parsec 1s1h 2000h 1.5.5s forever
--repeat|examples: 1|bench a b|0 1001 -1 twice 1.5
--phases|a-to-b, b-to-a, both, reflected|bench a b|a-b both, ,both all,none A-to-B b-to-a;both
--cpus|examples: 0|bench a b|1024 5-2 x 0,,1 -1
--fail-if|loss>0|bench a b|loss loss>=0 loss>x loss=0 speed<1 rx_pps>fast p99>50x >0
--format|one of: text, json, ndjson|bench a b|xml JSON yaml text,json
--interval|examples: 1s|bench a b|0 99ms 2h x -1s 1fortnight
--interval|examples: 1s|monitor|0 1ms soon
END
)

while IFS='|' read -r option shown command words; do
	read -ra before <<<"$command"
	read -ra list <<<"$words"
	for value in "${list[@]}"; do
		bad "$value" "$shown" "${before[@]}" "$option" "$value"
	done
	bad "$option" "$shown" "${before[@]}" "$option="
	bad "$option" "$shown" "${before[@]}" "$option" # the value is missing
done <<<"$values"

bad "--json ''" "result.json" bench a b --json ""
bad "--json" "result.json" bench a b --json

# Options without a value.
for option in --force --spin --latency-mode --monitor --verbose --quiet --help --version --print-man \
	--print-completion --print-options; do
	bad "$option=yes" "takes no value" bench a b "$option=yes"
done
bad "--expect-return=1" "takes no value" send a b --expect-return=1

# Words that are nearly right.
bad "bnech" "did you mean bench?" bnech a b
bad "Demo" "did you mean demo?" Demo
bad "teleport" "there are: demo, send" teleport
bad "helpp" "did you mean help?" helpp send
bad "sned" "did you mean send?" help sned
bad "--ratte" "did you mean --rate?" bench a b --ratte 1Mpps
bad "--sizes" "did you mean --size?" bench a b --sizes 64
bad "--wormhole" "xdploop --help" bench a b --wormhole
bad "-z" "xdploop --help" bench a b -z
bad "--queue" "--queues" bench a b --queue 2
bad "COMMAND" "xdploop demo"
bad "COMMAND" "xdploop demo" --

# Options of other commands.
bad "--rate" "count has no --rate: it sends nothing" count a --rate 1Mpps
bad "--size" "reflect has no --size" reflect a --size 64
bad "--swap" "send has no --swap: it sends nothing back" send a b --swap l2
bad "--dst-mac" "it is an option of send" bench a b --dst-mac 02:00:00:00:00:0a
bad "--expect" "it is an option of count" send a b --expect 5
bad "--expect-return" "it is an option of send" bench a b --expect-return
bad "--lab-queues" "it is an option of demo" bench a b --lab-queues 2
bad "--phases" "it is an option of demo, bench" send a b --phases both
bad "--match" "it is an option of reflect" bench a b --match all
bad "--force" "demo has no --force" demo --force
bad "--json" "it only watches" monitor --json x

# Ports.
bad "PORT is missing" "xdploop send eth1" send
bad "PORT is missing" "xdploop reflect eth1" reflect
bad "PORT is missing" "xdploop count eth2" count
bad "A is missing" "xdploop bench eth1 eth2" bench
bad "B is missing" "xdploop bench eth1 eth2" bench a
bad "c" "usage: xdploop bench A B" bench a b c
bad "a" "usage: xdploop demo" demo a
bad "send a" "--dst-mac 02:00:00:00:00:0a" send a
bad "a a" "twice the same port" bench a a
bad "a a" "twice the same port" reflect a a
bad "a a" "twice the same port" send a a
for port in "" a/b "a b" : :eth1 eth1: . .. abcdefghijklmnop $'a\tb' ns:a/b; do
	bad "not a name of a port" "eth1, NETNS:eth1" count "$port"
done
bad "eth1" "12345" monitor eth1
bad "0" "12345" monitor 0
bad "99999999999" "12345" monitor 99999999999
bad "12x" "12345" monitor 12x

# What excludes what.
bad "--queues with --queue-ids" "give one of them" bench a b --queues 2 --queue-ids 0
bad "--quiet with --verbose" "give one of them" bench a b -q -v
bad "--json -" "--json FILE" bench a b --format json --json -
bad "--json -" "--json FILE" bench a b --format ndjson --json -
bad "--monitor with --format json" "--json FILE" bench a b --format json --monitor
bad "--dst-mac with PORT2 b" "give one of them" send a b --dst-mac 02:00:00:00:00:0a
bad "--swap none" "l2, l3 or l4" reflect a --swap none
bad "--swap none" "l2, l3 or l4" bench a b --swap none

# Whatever a word holds, it is one line.
bad "--rate 1?2" "1Mpps" bench a b --rate $'1\n2'
bad "--rate ?[2J" "1Mpps" bench a b --rate $'\033[2J'
bad "aaaaaaaaaaaaaaaaaaaa" "there are: demo" "$(printf 'a%.0s' {1..5000})"
# shellcheck disable=SC2046 # the words
bad "loss>0" "one too many" bench a b $(printf -- '--fail-if loss>0 %.0s' {1..9})
# shellcheck disable=SC2046 # the words
bad "too many words" "xdploop --help" bench a b $(printf -- '-v %.0s' {1..200})
# shellcheck disable=SC2046 # the words
bad "too many words" "xdploop --help" bench $(printf 'x%d ' {1..200})
POSIXLY_CORRECT=1 bad "--rate 10x" "1Mpps" bench a b --rate 10x

# Files that can't be written are found before anything is run.
run bench a b --json /nonexistent/result.json
expect "a JSON file that can't be made is said before the run" 1 \
	grep -qx "xdploop: --json /nonexistent/result.json: can't be written: No such file or directory" "$err"

# Every option the program has was refused at least once above.
run --print-options
while IFS=$'\t' read -r option _; do
	case $tested in
	*" $option "*) ok "$option has a test" ;;
	*) not_ok "$option has a test" "add a line to tests/cli/test_bad_input.sh" ;;
	esac
done <"$out"
finish
