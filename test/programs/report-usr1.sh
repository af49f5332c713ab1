#!/bin/sh
# Prints the given name at each USR1.
trap 'echo "$1 got usr1"' USR1
echo "$1 ready"
while :; do sleep 0.02; done
