#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs a command as root if there is a way: as it is, through sudo without a password, through sudo
# that asks at the terminal. Without any, runs it all the same, so that its own words explain.
set -u
if [ "$(id -u)" = 0 ]; then
	exec "$@"
elif sudo -n true 2>/dev/null; then
	exec sudo -n "$@"
elif command -v sudo >/dev/null && [ -t 0 ]; then
	exec sudo "$@"
fi
exec "$@"
