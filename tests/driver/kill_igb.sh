#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=new devices=igb2 limit=400
# kill -9 at any moment leaves nothing attached, and the next run works.
. "$(dirname "$0")/lib.sh"

RANDOM=42 # the moments are the same in every run of this test
best=copy
[ "$kernel" != new ] || best=zero-copy
left="" running=yes
for mode in $best copy generic auto auto; do
	for _ in 1 2; do
		"$XDPLOOP" bench p0 p1 --rate 2kpps --mode "$mode" >/dev/null 2>&1 &
		sleep "$((RANDOM % 4)).$((RANDOM % 9 + 1))"
		kill_hard || running=no
		left+=$(programs_here)
	done
done 2>/dev/null
expect_true "it was running each time" [ $running = yes ]
expect_true "never is anything left attached ($left)" [ ! "$left" ]
exact after $best --phases a-to-b
attached_nowhere "after all of it"
