#!/bin/sh
# Starts the MCP server of an unpacked bundle, in a Node.js of the user's own.
#
# Hosts run it with /bin/sh, because they may unpack files without the right to execute them, and
# without the PATH of a terminal: an application that was started from a dock has the system's folders
# only. Nothing goes to stdout, which belongs to the protocol.
#
# usage: start.sh MAJOR.MINOR, the oldest Node.js that will do

floor=$1
here=$(CDPATH='' cd -- "${0%/*}" && pwd) || exit 1

# Whether the Node.js at $1 is one, and not older than the floor.
is_enough() {
  [ -x "$1" ] || return 1
  version=$("$1" --version 2>/dev/null) || return 1
  case $version in v[0-9]*.[0-9]*) ;; *) return 1 ;; esac
  rest=${version#v*.}
  major=${version%%.*} minor=${rest%%.*}
  major=${major#v}
  [ "$major" -gt "${floor%.*}" ] || { [ "$major" -eq "${floor%.*}" ] && [ "$minor" -ge "${floor#*.}" ]; }
}

# Sets $node to the first that will do in the folders of $1, which is written as PATH is.
find_in_path() {
  old_ifs=$IFS
  IFS=:
  set -f
  for folder in $1; do
    if is_enough "$folder/node"; then
      node=$folder/node
      break
    fi
  done
  set +f
  IFS=$old_ifs
  [ -n "$node" ]
}

# Sets $node to the first that will do of these folders.
find_in_folders() {
  for folder; do
    if is_enough "$folder/node"; then
      node=$folder/node
      return 0
    fi
  done
  return 1
}

node=
if ! find_in_path "$PATH"; then
  # What the user's shell finds, programs in sessions are to find as well. Whatever a profile prints
  # comes before the last line.
  line='
'
  told=$("${SHELL:-/bin/sh}" -lc 'printf "\n%s" "$PATH"' </dev/null 2>/dev/null)
  told=${told##*"$line"}
  case $told in */*) PATH=$told ;; esac
  if ! find_in_path "$PATH"; then
    # Where version managers, Homebrew and MacPorts put it.
    find_in_folders "$HOME"/.nvm/versions/node/*/bin "$HOME/.volta/bin" \
      "$HOME/.local/share/mise/shims" "$HOME/.asdf/shims" "$HOME/n/bin" \
      "$HOME"/.local/share/fnm/node-versions/*/installation/bin \
      "$HOME/Library/Application Support/fnm/node-versions"/*/installation/bin \
      /opt/homebrew/bin /usr/local/bin /opt/local/bin &&
      PATH=$PATH:${node%/node}
  fi
  export PATH
fi

if [ -z "$node" ]; then
  echo "vtr: there is no Node.js $floor or newer in PATH, in that of your shell, or where version managers put it; install it from https://nodejs.org" >&2
  exit 1
fi

# Some hosts start their servers in the root folder, where nobody wants to work.
[ "$(pwd)" != / ] || cd -- "$HOME" 2>/dev/null || cd /

exec "$node" "$here/dist/vtr.cjs" mcp
