#!/bin/sh
# The program of a session that runs one command of an agent; agent-shell.sh is at the other end. It stays until all
# output has been shown.
place=$VTR_COMMAND_PLACE shell=$VTR_COMMAND_SHELL input=$VTR_COMMAND_INPUT errors=$VTR_COMMAND_ERRORS
# Nobody could continue a command that was suspended.
stty susp undef
# The other end may have given up.
[ -p "$place/answer" ] || exit 1
echo "$(tty) $input $errors" >"$place/answer"
exec 7>"$place/told"
# Ends the command when the other end was killed.
{
  if read -r group; then
    read -r _ || kill -s KILL -- "-$group"
  else
    kill -s KILL $$
  fi
} <"$place/alive" >/dev/null 2>&1 7>&- &
watcher=$!
umask "$VTR_COMMAND_UMASK"
set --
i=0
while [ $i -lt "$VTR_COMMAND_COUNT" ]; do
  eval "set -- \"\$@\" \"\$VTR_COMMAND_WORD_$i\"; unset VTR_COMMAND_WORD_$i"
  i=$((i + 1))
done
# shellcheck disable=SC2086
unset VTR_COMMAND_PLACE VTR_COMMAND_SHELL VTR_COMMAND_INPUT VTR_COMMAND_ERRORS VTR_COMMAND_UMASK VTR_COMMAND_COUNT \
  VTR_COMMAND_UNSET $VTR_COMMAND_UNSET
# A group of its own, in the foreground: at the end of a session, the kernel hangs up the foreground group, which is
# that of this process again. What the command has left in the background goes on, as without a terminal.
set -m
exec 2>/dev/null
(
  read -r pid _ </proc/self/stat
  echo "$pid" >&7
  read -r _ <"$place/answer" || exit 129
  case $input in
    passed) exec <"$place/in" ;;
    none) exec </dev/null ;;
  esac
  exec 7>&- >"$place/out"
  if [ "$errors" = apart ]; then exec 2>"$place/err"; else exec 2>&1; fi
  exec "$shell" "$@"
)
status=$?
echo $status >&7
exec 7>&-
wait $watcher
exit $status
