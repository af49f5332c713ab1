#!/bin/sh
# Leaves a child behind that has left the kernel's session and ignores HUP and TERM, then exits.
setsid sh -c 'trap "" HUP TERM; echo ready; while :; do sleep 1000; done' &
read -r _
