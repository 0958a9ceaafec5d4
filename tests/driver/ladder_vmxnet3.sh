#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=61,612,new devices=vmxnet3 limit=240
# vmxnet3: native from 6.6 on, never zero-copy.
. "$(dirname "$0")/lib.sh"

if [ "$kernel" = 61 ]; then
	ladder generic
	refused copy 'copy.*driver'
else
	ladder copy generic
fi
refused zero-copy 'zero-copy.*driver'
