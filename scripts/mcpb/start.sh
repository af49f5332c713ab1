#!/bin/sh
# Starts the MCP server of an unpacked bundle with the user's Node.js.
#
# Hosts run it with /bin/sh, because they may unpack files without execute permission. They may run it
# without the PATH of a terminal: an application started from a dock has only the system's directories.
# Nothing is written to stdout, which belongs to the protocol.
#
# usage: start.sh MAJOR.MINOR, the oldest supported Node.js

floor=$1
here=$(CDPATH='' cd -- "${0%/*}" && pwd) || exit 1

# Whether $1 is a Node.js that is not older than the floor.
is_enough() {
  [ -x "$1" ] || return 1
  version=$("$1" --version 2>/dev/null) || return 1
  case $version in v[0-9]*.[0-9]*) ;; *) return 1 ;; esac
  rest=${version#v*.}
  major=${version%%.*} minor=${rest%%.*}
  major=${major#v}
  [ "$major" -gt "${floor%.*}" ] || { [ "$major" -eq "${floor%.*}" ] && [ "$minor" -ge "${floor#*.}" ]; }
}

# Sets $node to the first supported Node.js in the directories of $1, a list like PATH.
find_in_path() {
  old_ifs=$IFS
  IFS=:
  set -f
  for directory in $1; do
    if is_enough "$directory/node"; then
      node=$directory/node
      break
    fi
  done
  set +f
  IFS=$old_ifs
  [ -n "$node" ]
}

# Sets $node to the first supported Node.js in these directories.
find_in_directories() {
  for directory; do
    if is_enough "$directory/node"; then
      node=$directory/node
      return 0
    fi
  done
  return 1
}

node=
if ! find_in_path "$PATH"; then
  # The PATH of the user's shell, so that programs in sessions have it too. The output of a profile
  # precedes the last line.
  line='
'
  told=$("${SHELL:-/bin/sh}" -lc 'printf "\n%s" "$PATH"' </dev/null 2>/dev/null)
  told=${told##*"$line"}
  case $told in */*) PATH=$told ;; esac
  if ! find_in_path "$PATH"; then
    # The directories of version managers, Homebrew and MacPorts.
    find_in_directories "$HOME"/.nvm/versions/node/*/bin "$HOME/.volta/bin" \
      "$HOME/.local/share/mise/shims" "$HOME/.asdf/shims" "$HOME/n/bin" \
      "$HOME"/.local/share/fnm/node-versions/*/installation/bin \
      "$HOME/Library/Application Support/fnm/node-versions"/*/installation/bin \
      /opt/homebrew/bin /usr/local/bin /opt/local/bin &&
      PATH=$PATH:${node%/node}
  fi
  export PATH
fi

if [ -z "$node" ]; then
  echo "vtr: Node.js $floor or newer is not in PATH, in the PATH of your shell, or in a directory of a version manager; install it from https://nodejs.org" >&2
  exit 1
fi

# Some hosts start their servers in the root directory.
[ "$(pwd)" != / ] || cd -- "$HOME" 2>/dev/null || cd /

exec "$node" "$here/dist/vtr.cjs" mcp
