#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=61,612,new devices=igb2 limit=300
# The kernel engine on a real driver: its program is taken, what it sends leaves by the driver's XDP
# transmit, every frame arrives, is verified and sent back.
. "$(dirname "$0")/lib.sh"

engine=kernel
exact inside native --flows 4
expect_json inside '[.ports[].engine] == ["kernel", "kernel"]' "the engine asked for"
exact sparse native --flows 1 --phases a-to-b --rate 500pps
