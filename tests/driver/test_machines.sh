#!/bin/bash
# SPDX-License-Identifier: MIT
# The cases of this folder, in emulated machines with real kernels and drivers.
exec "$(dirname "$0")/../../tools/driver-lab/run.sh" "$@"
