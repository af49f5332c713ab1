#!/bin/sh
# At TERM, prints a last line after a moment, and exits.
trap '' HUP
trap 'echo cleaned up; exit 7' TERM
echo ready
while :; do sleep 0.02; done
