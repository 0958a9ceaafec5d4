#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=61,612,new devices=virtio limit=240
# virtio-net with one pair of queues: zero-copy on kernels that have it, else copy.
. "$(dirname "$0")/lib.sh"

if [ "$kernel" = new ]; then
	ladder zero-copy copy generic
else
	ladder copy generic
	refused zero-copy 'zero-copy.*driver'
fi
