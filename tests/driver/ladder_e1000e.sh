#!/bin/bash
# SPDX-License-Identifier: MIT
# lab: kernels=61,612,new devices=e1000e limit=240
# e1000e: no native XDP, whatever the kernel.
. "$(dirname "$0")/lib.sh"

ladder generic
refused copy 'copy.*driver'
refused zero-copy 'zero-copy.*driver'
