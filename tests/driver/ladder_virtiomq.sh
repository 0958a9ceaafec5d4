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
exact spread "$([ "$kernel" = new ] && echo zero-copy || echo copy)" --flows 64 --phases a-to-b,b-to-a
