#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=new devices=igb4 limit=240 memory=768
# Four ports: a box between two ends that sends frames on from port to port, and two runs at once.
#
#   p0 === p1 [reflect] p2 === p3
. "$(dirname "$0")/lib.sh"

start box reflect p1 p2
run through bench p0 p3 --frames $frames --rate 2kpps --verify full --size 128 \
	--phases a-to-b,b-to-a
kill -INT "$pid"
finish
expect_status 0 through "bench through the box ends with 0"
expect_json through '[.trials[].directions[].ledger | [.matched, .lost, .corrupt, .unexplained]] ==
	[[$frames, 0, 0, 0], [$frames, 0, 0, 0]]' "each frame comes through the box" \
	--argjson frames $frames
expect_json through '[.ports[].mode.obtained] == ["zero-copy", "zero-copy"]' "the ends: zero-copy"
expect_status 0 box "the box ends with 0"
expect_json box '[.ports[].mode.obtained] == ["zero-copy", "zero-copy"]' "the box: zero-copy"

start other bench p2 p3 --phases a-to-b --frames 6000 --rate 1kpps
exact first zero-copy --phases a-to-b --rate 1kpps
finish
expect_status 0 other "two runs at once: the other ends with 0"
expect_json other '.trials[0].directions[0].ledger |
	[.submitted, .matched, .unexplained, .foreign, .stale] == [6000, 6000, 0, 0, 0]' \
	"two runs at once: the other's frames arrive, and no others"
attached_nowhere "after all of it"
