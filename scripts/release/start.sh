#!/bin/sh
# Starts vtr or termcp with the Node.js of this directory; nothing has to be in PATH.
self=$0
case $self in */*) ;; *) self=./$self ;; esac
while [ -L "$self" ]; do
  to=$(readlink "$self") || exit
  case $to in /*) self=$to ;; *) self=${self%/*}/$to ;; esac
done
here=$(CDPATH='' cd -- "${self%/*}/.." && pwd -P) || exit
exec "$here/libexec/node" "$here/lib/vtr/dist/${self##*/}.cjs" "$@"
