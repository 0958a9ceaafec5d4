#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=61,612,new devices=virtiomq limit=240
# virtio-net with several queues. While a native program is attached the driver uses more of them
# than before, and the other side spreads frames over those too.
. "$(dirname "$0")/lib.sh"

if [ "$kernel" = new ]; then
	ladder zero-copy copy generic
else
	ladder copy generic
	refused zero-copy 'zero-copy.*driver'
fi
best=copy
[ "$kernel" != new ] || best=zero-copy
run grown bench p0 p1 --frames $frames --rate $rate --flows 64 --phases a-to-b
expect_words grown.err 'p1 has 4 RX queues.*2 before.*ethtool -L p1 combined 4' \
	"more queues than before: words name the remedy"
expect_json grown 'ab | .submitted == $frames and .unexplained == 0 and .no_socket > 0 and
	.matched + .no_socket == $frames' "what comes in on those has no socket, by its row" \
	--argjson frames $frames

for port in p0 p1; do
	ethtool -L $port combined 4
done
exact spread $best --flows 64 --phases a-to-b,b-to-a
expect_json spread '[.ports[].queues] == [4, 4]' "with all its queues before: all are driven"
expect_true "and nothing is to be said" [ ! -s "$dir/spread.err" ]
