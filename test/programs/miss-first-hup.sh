#!/bin/sh
# Ignores TERM and acts on the second HUP only, like a shell that was busy at the first.
missed=no
trap '[ $missed = yes ] && exit 3; missed=yes' HUP
trap '' TERM
echo ready
while :; do sleep 0.02; done
