# The shell that an agent of `vtr acp --shell` calls: it runs `-c LINE` in a session of vtr, and everything else as
# without vtr; also a line that gets no session. Before this text, vtr writes SHELL, the real shell; `place`, the
# directory of its requests; and `server`, the process that reads them.
#
# This process must not open the terminal: the leader of a session gets the first one that it opens.

without_session() { exec "$SHELL" "$@"; }

is_line=
for word; do
  case $word in
    --*) ;;
    -*c*) is_line=1; break ;;
    -*) ;;
    *) break ;;
  esac
done
# Agents start a command as the leader of a session, so that they can end it with what it has started. What they run
# for themselves they start otherwise.
[ "$is_line" ] && read -r _ _ _ _ _ leader _ <"/proc/$$/stat" && [ "$leader" = $$ ] || without_session "$@"
own=$place/$$
{ [ ! -t 0 ] && [ ! -t 1 ] && kill -0 "$server" && mkdir "$own"; } 2>/dev/null || without_session "$@"
mkfifo "$own/asks" "$own/answer" "$own/told" "$own/alive" "$own/in" "$own/out" "$own/err" || without_session "$@"
# While `read` reads, standard input is what it reads: the server looks at descriptor 4. It reads from 9 whether the
# command begins, and when this process ends.
exec 4<&0 6<>"$place/requests" 9<>"$own/asks"
echo $$ >&6
# It has no end before the server has: that has it open, too.
read -r terminal input errors 2>/dev/null <"$own/answer"
exec 6>&-
case $terminal in
  /*) exec 5<>"$own/answer" ;;
  unrecorded)
    rm -rf "$own"
    echo "vtr acp: the command was not run: it could not be recorded" >&2
    exit 126
    ;;
  *) exec 4<&- 9>&-; rm -rf "$own"; without_session "$@" ;;
esac

# A signal to the group of this process ends the command, which is in another group. What it writes then is passed on.
(trap '' HUP INT TERM; exec tee "$terminal" 4<&- 5>&- 9>&- 2>/dev/null <"$own/out") &
tees=$!
if [ "$errors" = apart ]; then
  (trap '' HUP INT TERM; exec tee "$terminal" 4<&- 5>&- 9>&- >&2 2>/dev/null <"$own/err") &
  tees="$tees $!"
fi
feeder=
if [ "$input" = passed ]; then
  (exec cat <&4 4<&- 5>&- 9>&- 2>/dev/null >"$own/in") &
  feeder=$!
fi
exec 4<&- 7<"$own/told" 8>"$own/alive"
# The session may be gone when it is told something.
trap '' PIPE

group= signal= signals=0
pass_signal() {
  signal=$1 signals=$((signals + 1))
  [ -z "$group" ] || kill -s "$1" -- "-$group" 2>/dev/null
}
for name in HUP INT QUIT TERM USR1 USR2; do
  # shellcheck disable=SC2064
  trap "pass_signal $name" $name
done
# Reads a word from the session. A signal interrupts the read.
hear() {
  word= signals_before=$signals
  until read -r word <&7; do
    [ "$signals" != "$signals_before" ] || return 1
    signals_before=$signals
  done
}
hear && group=$word && echo "$group" >&8 2>/dev/null
[ -z "$signal" ] || pass_signal "$signal"
# The command begins now: before, a signal would have ended this process and not reached it.
echo go >&5
echo begun >&9
# Without a status, the session was ended by force.
hear && status=$word || status=129

# A tee waits until somebody opens its pipe, which a command that was ended at once has not.
for output in "$own/out" "$own/err"; do
  true <>"$output"
done 2>/dev/null
# A process in the background may keep the output open; what it writes later is passed on, too. All that was written
# before has arrived when a tee has ended or waits for more: it is in read(0, ...), see proc_pid_syscall(5).
for tee in $tees; do
  tries=0
  while read -r call file _ <"/proc/$tee/syscall"; do
    case "$call $file" in
      '-1 '* | '0 0x0' | '63 0x0') break ;;
    esac
    tries=$((tries + 1))
    [ $tries -le 20 ] || sleep 0.01
  done 2>/dev/null
done
[ -z "$feeder" ] || kill "$feeder" 2>/dev/null
echo end >&8 2>/dev/null
if [ "$signal" ] && [ "$status" -gt 128 ]; then
  trap - "$signal"
  kill -s "$signal" $$
fi
exit "$status"
