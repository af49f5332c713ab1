#!/bin/sh
# Says so whenever USR1 reaches it, under the name given.
trap 'echo "$1 got usr1"' USR1
echo "$1 ready"
while :; do sleep 0.02; done
