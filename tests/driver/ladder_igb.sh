#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=61,612,new devices=igb2 limit=400
# igb: zero-copy on kernels that have it, else copy; every frame arrives, in each mode and on each
# number of queues.
. "$(dirname "$0")/lib.sh"

best=copy
[ "$kernel" != new ] || best=zero-copy

ladder "$best" copy generic
[ $best = zero-copy ] || refused zero-copy 'zero-copy.*driver does not do it'

# More queues than CPUs are allowed on this card.
for n in 1 8; do
	ethtool -L p0 combined $n
	ethtool -L p1 combined $n
	exact "auto$n" $best --flows $((4 * n)) --phases a-to-b,b-to-a
	expect_json "auto$n" "[.ports[].queues] == [$n, $n]" "$n queues: all are driven"
done
# RSS looks at the ports of UDP only when told.
ethtool -N p1 rx-flow-hash udp4 sdfn
exact spread $best --flows 64 --phases a-to-b
expect_json spread '[.trials[0].queues[] | select(.port == "p1") | .worker.received] |
	length == 8 and all(. > 0)' "RSS: frames arrive on all 8 queues"
