#!/bin/bash
# SPDX-License-Identifier: MIT
# The monitor: in a run, and from another process as another user, with the totals of the result.
. "$(dirname "$0")/lib.sh"
enter "$@"
need setpriv tmux

# Group xdploop may watch; /etc/group is ours in this world.
cp /etc/group "$dir/group"
echo "xdploop:x:64999:" >>"$dir/group"
mount --bind "$dir/group" /etc/group
install -m 755 "$XDPLOOP" "$dir/xdploop"
export TERM=screen-256color LC_ALL=C.UTF-8

# as GROUP COMMAND...: as nobody.
as() {
	setpriv --reuid 65534 --regid 65534 --groups "$1" --bounding-set -all --no-new-privs "${@:2}"
}

# The totals as the monitor prints them, from the result.
totals_of() {
	jq -r '[.trials[].queues[]] as $q | .ports[].name as $port |
		[$q[] | select(.port == $port) | .worker] |
		"total \($port) submitted \(map(.submitted) | add) completed \(map(.completed) | add)" +
		" received \(map(.received) | add) matched \(map(.matched) | add)"' "$dir/$1.json"
}

check_outside() {
	local what="from outside"

	start bench bench a:pa b:pb --rate 20kpps --frames 20000 --flows 16 --phases a-to-b,both
	as 64999 "$dir/xdploop" monitor "$pid" --interval 200ms </dev/null >"$dir/first" 2>"$dir/first.err" &
	first=$!
	as 65534 "$dir/xdploop" monitor "$pid" </dev/null >"$dir/stranger" 2>&1
	status=$?
	expect_true "$what: a stranger is refused" [ $status = 1 ]
	expect_words stranger 'group xdploop|sudo' "$what: with words"
	as 64999 "$dir/xdploop" monitor </dev/null >"$dir/second" 2>&1 &
	second=$!
	finish
	wait $first
	expect_true "$what: it ends with the run, with 0" [ $? = 0 ]
	wait $second
	expect_true "$what: so does a second one, that found the only run" [ $? = 0 ]
	expect_status 0 bench "$what: the run ends with 0"
	totals_of bench >"$dir/expected"
	for who in first second; do
		grep ^total "$dir/$who" >"$dir/totals"
		expect_true "$what: the $who one's totals are those of the result" \
			diff "$dir/totals" "$dir/expected"
	done
	expect_words first '20\.[0-9]* k|19\.[0-9]* k' "$what: the rate is seen"
	expect_json bench '[.trials[].directions[].ledger | [.matched, .unexplained]] |
		all(. == [20000, 0])' "$what: it does not disturb the run"

	run none monitor 2>/dev/null
	"$XDPLOOP" monitor </dev/null >"$dir/none.out" 2>"$dir/none.err"
	status=$?
	expect_refusal 1 none 'no .*run' "$what: without a run it says so"
}

screen() {
	tmux -S "$dir/tmux" "$@"
}

# seen FILE PATTERN: the screen, kept in FILE, shows the pattern.
seen() {
	screen capture-pane -p >"$dir/$1"
	grep -Eq -- "$2" "$dir/$1"
}

expect_seen() { # PATTERN TEXT
	if wait_for 50 seen pane "$1"; then
		ok "$2"
	else
		not_ok "$2"
		echo "#   /$1/ is not on:"
		details "$dir/pane"
	fi
}

fits() { # COLUMNS LINES: no row was cut or wrapped, the keys are in the last one
	[ "$(wc -L <"$dir/pane")" -le "$1" ] && sed -n "$2p" "$dir/pane" | grep -q 'q quit'
}

check_screen() { # COLUMNS LINES
	local what="screen of $1x$2"

	screen -f /dev/null new-session -d -x "$1" -y "$2" \
		"$XDPLOOP bench a:pa b:pb --engine xsk --phases both --rate 20kpps --duration 60s --monitor \
		--json $dir/screen.json; echo ended with \$?; sleep 60"
	expect_seen 'a:pa +tx +(20\.0|19\.9)' "$what: the overview shows the rate"
	expect_true "$what: the overview fits" fits "$1" "$2"
	screen send-keys 2
	expect_seen '^ +1 .*[0-9]' "$what: 2 shows the queues"
	screen send-keys 3
	expect_seen 'no room in the RX ring +0' "$what: 3 shows the drops"
	screen send-keys f
	expect_seen 'no frame was dropped' "$what: f folds what is idle"
	expect_true "$what: the drops fit" fits "$1" "$2"
	screen send-keys 4
	expect_seen 'peak .*% at' "$what: 4 draws the histogram"
	expect_true "$what: the histogram fits" fits "$1" "$2"
	screen send-keys h
	expect_seen 'baseline|reset' "$what: h explains the keys"
	screen send-keys h
	screen send-keys Space
	expect_seen 'paused' "$what: space pauses"
	screen send-keys Space
	screen resize-window -x 60 -y 15
	screen send-keys 1
	expect_seen 'a:pa +tx +[0-9]' "$what: it survives a smaller window"
	screen send-keys q
	expect_seen 'ended with 0' "$what: q ends the run with 0"
	expect_json screen '[.trials[].directions[].ledger.unexplained] | length == 2 and all(. == 0)' \
		"$what: the result is whole"
	screen kill-server
	nothing_left "$what: nothing is left"
}

check_watcher() {
	local what="full screen from outside"

	start bench bench a:pa b:pb --phases a-to-b --rate 20kpps --duration 30s
	screen -f /dev/null new-session -d -x 80 -y 24 "$XDPLOOP monitor $pid; echo ended with \$?; sleep 60"
	expect_seen 'b:pb|rx +(20\.0|19\.9)' "$what: the rate is seen"
	screen send-keys q
	expect_seen 'ended with 0' "$what: q ends only the monitor"
	expect_true "$what: the run goes on" kill -0 "$pid"
	kill -INT "$pid"
	finish
	expect_status 0 bench "$what: the run ends with 0"
	screen kill-server
}

pair 2
check_outside
check_screen 80 24
check_screen 120 40
check_watcher
nothing_left "after all of it nothing is left"
