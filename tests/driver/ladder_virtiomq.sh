#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=61,612,new devices=virtiomq limit=240
# virtio-net with several queues: native XDP makes the driver use more of them.
. "$(dirname "$0")/lib.sh"

ethtool -l p0
ethtool -l p1
if [ "$kernel" = new ]; then
	ladder zero-copy copy generic
else
	ladder copy generic
	refused zero-copy 'zero-copy.*driver'
fi
