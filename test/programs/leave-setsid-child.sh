#!/bin/sh
# Starts a child in another session of the kernel that ignores HUP and TERM, then exits.
setsid sh -c 'trap "" HUP TERM; echo ready; while :; do sleep 1000; done' &
read -r _
