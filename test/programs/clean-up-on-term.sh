#!/bin/sh
# Needs a moment and a last word before it ends by itself.
trap '' HUP
trap 'echo cleaned up; exit 7' TERM
echo ready
while :; do sleep 0.02; done
