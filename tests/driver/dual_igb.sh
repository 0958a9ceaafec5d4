#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=new devices=igbdual limit=400
# One dual-port card in one slot, cabled to itself: every frame's content there and back.
. "$(dirname "$0")/lib.sh"

exact there zero-copy --verify full --size 512 --flows 16
expect_json there '[.ports[].bus] == ["0000:01:00.0", "0000:01:00.1"]' \
	"both ports are functions of one card"
# This card knows buffers in whole KiB: frames of more than one must not come in pieces.
for size in 1028 1032 1518; do
	exact size$size zero-copy --verify full --size $size --phases reflected
	expect_json size$size '[directions[] | [.leg, .ledger.matched, .ledger.corrupt]] ==
		[["leg 1", $frames, 0], ["leg 2", $frames, 0]]' \
		"reflected, $size bytes: each frame's content is right" --argjson frames $frames
done
attached_nowhere "after all of it"
