#!/bin/sh
# Ignores what an ending asks with, and says when it is ready to.
trap '' HUP INT TERM
echo ready
while :; do sleep 1000; done
