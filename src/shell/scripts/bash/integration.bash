# Marks prompts and commands (OSC 133) and reports the working directory (OSC 7). Read before the user's
# files, so that their aliases and options do not affect it. It takes effect with __vtr_install after
# them. Needs bash 4.4, for PS0 and `local -`.
#
# The text added to PS0, PS1, PS2 and PROMPT_COMMAND refers to variables that are never exported. If the
# user exports PS0 or PROMPT_COMMAND, the references are empty in a child bash, which then prints no marks. Other
# shells would show those of PS1 and PS2, so these are not exported while they have marks.

# What proves that a mark is this shell's: the keys of a cipher, and the proof of the first marks, which bash
# computes itself. They are in a file that is emptied here, because every program of the user can read the
# environment of this shell.
builtin declare +x __vtr_keys=
{
  IFS=' ' builtin read -r -a __vtr_keys <"$VTR_SHELL_PROOF"
  builtin printf '' >|"$VTR_SHELL_PROOF"
} 2>/dev/null
builtin unset -v VTR_SHELL_PROOF
# bash executes what is in a subscript of a number that it calculates with.
if [[ ${__vtr_keys[*]} == *[!0123456789\ ]* ]]; then
  __vtr_keys=()
fi

# The cipher, Speck64/128, as an arithmetic expression for the block x, y: its rounds are written out, because that
# takes half the time of a loop. A word times 2^32 + 1 is the word twice, so one shift rotates it. The second
# expression is for the block f, g.
builtin declare +x __vtr_x=0 __vtr_y=0 __vtr_f=0 __vtr_g=0 __vtr_key= __vtr_rounds=
for __vtr_key in "${__vtr_keys[@]:0:27}"; do
  __vtr_rounds+=",y=(y*4294967297>>29&4294967295)^(x=((x*4294967297>>8)+y&4294967295)^$__vtr_key)"
done
# The number of the marks of the prompt and of the end before it. The mark of the next command has the one
# after it. It rises, and each mark contains its number encrypted, so marks that are printed again are ignored.
builtin declare +x __vtr_turn=0
# Begins the next turn: x and y are then its number encrypted.
builtin declare +x __vtr_advance="__vtr_turn+=2,x=0,y=__vtr_turn$__vtr_rounds"
__vtr_advance=${__vtr_advance//x/__vtr_x}
__vtr_advance=${__vtr_advance//y/__vtr_y}
# Begins a command: f and g are then the number of its mark encrypted.
builtin declare +x __vtr_begin="x=0,y=__vtr_turn+1$__vtr_rounds"
__vtr_begin=${__vtr_begin//x/__vtr_f}
__vtr_begin=${__vtr_begin//y/__vtr_g}
builtin unset -v __vtr_key __vtr_rounds

builtin declare +x __vtr_osc=$'\e]133'
# Set at the first prompt, after the user's files.
builtin declare +x __vtr_armed=
# The history number of the next line.
builtin declare +x __vtr_next=0
# The number of the first command that bash reports outside of prompts: 0 or 1, depending on its version.
builtin declare +x __vtr_base=0
# The number that the next command has in the prompt of this turn. A prompt with a higher one begins the
# next turn, because the user has replaced PROMPT_COMMAND.
builtin declare +x __vtr_shown=0
# The turn whose prompt bash has expanded. bash expands it again in the same turn, without PROMPT_COMMAND, after a
# line whose history expansion failed (`echo a!b`). That prompt begins the next turn, too: the line has ended,
# and its status is unknown, because $? is still that of the command before.
builtin declare +x __vtr_drawn=0 __vtr_again=0
builtin declare +x __vtr_renew='__vtr_again=__vtr_drawn==__vtr_turn,__vtr_again&&(__vtr_advance),__vtr_drawn=__vtr_turn'
# In place of $? if `__vtr_again` is 1.
__vtr_unknown=([1]='')
builtin declare +x __vtr_unknown
# The beginning of PS1, the end of PS1 and PS2, the beginning of PS2, and PS0: first with `promptvars`,
# then without, as literal marks of this turn, then those of the turn before. PS1 also marks the end of the
# command, in case the user has replaced PROMPT_COMMAND.
__vtr_texts=('${__vtr_d+${__vtr_d:\#>__vtr_shown&&(__vtr_shown=\#,__vtr_drawn=0,__vtr_advance),__vtr_renew:0}}')
__vtr_texts[0]+='${__vtr_d-}${__vtr_d+${__vtr_unknown[__vtr_again]-$?}}${__vtr_p-}'
__vtr_texts[0]+='${__vtr_d+$__vtr_x.$__vtr_y.$__vtr_turn}'
__vtr_texts[0]+='${__vtr_a-}${__vtr_d+$__vtr_x.$__vtr_y.$__vtr_turn}${__vtr_z-}'
__vtr_texts+=('${__vtr_b-}${__vtr_d+$__vtr_x.$__vtr_y.$__vtr_turn}${__vtr_z-}')
__vtr_texts+=('${__vtr_s-}${__vtr_d+${__vtr_d:(__vtr_rest=1):0}$__vtr_x.$__vtr_y.$__vtr_turn}${__vtr_z-}')
# The line that vtr has typed, as the option of the mark, at the index of its turn, so that it is taken from there and
# not from the history, for which bash forks. PS2 says that the command has further lines: then the index is another.
__vtr_lines=()
builtin declare +x __vtr_lines __vtr_rest=0
# PS0. Its parts are in __vtr_h, at indices that begin with four times the turn: the newest line of the history
# with its number, and what is made of it, in this shell, because a fork takes longer than all of it. Only lines
# that are long or contain control characters are encoded by a fork. The pattern is no beginning of __vtr_osc, so
# what is assigned in it is not printed. First of all, the history expansion is as before the line. A prompt cannot contain `!`, which POSIX mode replaces.
__vtr_h=()
__vtr_urls=(';cmdline_url=' ';history_url=')
builtin declare +x __vtr_h __vtr_urls
__vtr_texts+=('${__vtr_d+${__vtr_d:__vtr_begin:0}${__vtr_osc#"${__vtr_characters:+${histchars:=$__vtr_characters}}${__vtr_lines[__vtr_turn+__vtr_rest]-')
__vtr_texts[3]+='${@0]:=$({ __vtr_newest;} 3>&1 >/dev/null)}${@1]:=${@0]:(${#@0]}>1024)*${#@0]}}}${@2]:=${@1]##*[[:cntrl:]]*}}${@3]:=${@2]#"${@2]%%[0-9]*}"}}'
__vtr_texts[3]+='${@4]:=${@3]#*[^0-9] }}${@5]:=${@4]//[%]/%25}}'
__vtr_texts[3]+='${@6]:=${@3]:+${__vtr_urls[10#0${@3]%%[^0-9]*}<__vtr_next]}${@5]//;/%3B}}}}"};C${__vtr_lines[__vtr_turn+__vtr_rest]-'
__vtr_texts[3]+='${@0]:+${@6]:-$({ __vtr_encode_newest;} 3>&1 >/dev/null)}}};nonce=$__vtr_f.$__vtr_g.$((__vtr_turn+1))'$'\a}'
__vtr_texts[3]=${__vtr_texts[3]//@/__vtr_h[__vtr_turn*4+}
builtin declare +x __vtr_texts
# The names of functions, for PROMPT_COMMAND.
builtin declare +x __vtr_before=__vtr_before __vtr_after=__vtr_after
# What calls the first, in PROMPT_COMMAND and by the key: bash-preexec takes it for a command of PROMPT_COMMAND in
# both cases. bind(1) would remove quotes around all of it. The last word of a command becomes $_: bash keeps the user's
# around PROMPT_COMMAND, but not around a key.
builtin declare +x __vtr_call='${__vtr_none-}"${__vtr_before-:}" ${READLINE_POINT+"${_-}"}'
# The user's characters of history expansion while it is off for one line, and whether they are set.
builtin declare +x __vtr_characters= __vtr_had_characters=
# The prompts that the user has exported, while they have marks; and whether a command has them without marks.
__vtr_exported=()
builtin declare +x __vtr_exported __vtr_given=
# The prompts as they were when all of their marks were added, and whether readline was used; empty if they
# must be looked at again.
__vtr_made=()
builtin declare +x __vtr_made
# Where the key was typed: the turn, and what the beginning of each command changes.
builtin declare +x __vtr_taken=
# The turn and the directory that were reported last.
builtin declare +x __vtr_placed=
# Whether the key notes the line that is typed; empty before the first prompt.
builtin declare +x __vtr_notes=

# Makes the first command of PROMPT_COMMAND mark the end of the command, and the last one prepare the
# prompt. The user's commands in between may print, or set PS1.
__vtr_hook() {
  builtin local before="$__vtr_call" after='"${__vtr_after-:}"' index last=0
  if [[ ${PROMPT_COMMAND@a} == *r* ]]; then
    builtin return 0
  fi
  # An array since bash 5.1. If it is exported it must remain a string, because arrays are not exported.
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)) || [[ ${PROMPT_COMMAND@a} == *x* && ${PROMPT_COMMAND@a} != *a* ]]; then
    if [[ ${PROMPT_COMMAND-} != "$before"*"$after" ]]; then
      PROMPT_COMMAND=${PROMPT_COMMAND//"$before"$'\n'/}
      PROMPT_COMMAND=${PROMPT_COMMAND//"$before"/:}
      PROMPT_COMMAND=${PROMPT_COMMAND//$'\n'"$after"/}
      PROMPT_COMMAND=${PROMPT_COMMAND//"$after"/:}
      PROMPT_COMMAND=$before$'\n'$PROMPT_COMMAND$'\n'$after
    fi
    builtin return 0
  fi
  # The user's first command keeps its index: setting PROMPT_COMMAND as a string sets the first element. Another
  # integration may have put a command of its own before ours, after which the status is lost.
  if [[ ${PROMPT_COMMAND-} != "$before"* ]]; then
    for index in "${!PROMPT_COMMAND[@]}"; do
      PROMPT_COMMAND[index]=${PROMPT_COMMAND[index]//"$before"$'\n'/}
      PROMPT_COMMAND[index]=${PROMPT_COMMAND[index]//"$before"/:}
    done
    PROMPT_COMMAND[0]=$before${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
  fi
  for index in "${!PROMPT_COMMAND[@]}"; do
    last=$index
  done
  if [[ $last == 0 || ${PROMPT_COMMAND[last]} != "$after" ]]; then
    for index in "${!PROMPT_COMMAND[@]}"; do
      if [[ ${PROMPT_COMMAND[index]} == "$after" ]]; then
        builtin unset -v "PROMPT_COMMAND[$index]"
      fi
    done
    PROMPT_COMMAND+=("$after")
  fi
}

# Called after the user's files.
__vtr_install() {
  builtin local status="$?"
  { builtin local -; builtin set +efuvx; } 2>/dev/null
  if [[ ${#__vtr_keys[@]} == 29 ]]; then
    __vtr_hook
    if [[ ${PROMPT_COMMAND@a} == *r* ]]; then
      __vtr_after
    fi
  fi
  builtin return "$status"
}

# The first command of PROMPT_COMMAND: the command has ended.
__vtr_before() {
  # A trace (`set -x`) of this would be in the output of the command.
  { builtin local status="$?" -; builtin set +x; } 2>/dev/null
  if [[ -n ${READLINE_POINT+set} ]]; then
    __vtr_take "$status"
    builtin return 0
  fi
  __vtr_give_back
  if [[ -n $__vtr_armed ]]; then
    __vtr_count
    builtin : "$((__vtr_advance))"
    builtin local place=
    __vtr_place
    __vtr_print_end "$status" "$place"
  fi
  # Restores the status for the commands that follow, unless that would exit the shell (`set -e`).
  [[ $- == *e* ]] || builtin return "$status"
}

# Called by the key that vtr types before a line that it runs: history expansion is off for this line, and the
# prompts that the user has exported are as the user set them. vtr types it also at a prompt without marks. Then the
# next one has marks, and the command has ended. Typed twice, it removes the marks from PS1, for a line that reads it.
# Typed behind the line, it notes it.
# @param the status of the last command
__vtr_take() {
  if [[ ${PROMPT_COMMAND[*]-} == *__bp_interactive_mode* ]]; then
    __bp_preexec_interactive_mode=on
  fi
  if [[ -z $__vtr_characters ]]; then
    __vtr_had_characters=${histchars+set}
    __vtr_characters=${histchars-'!^#'}
    histchars=
  fi
  if [[ -n $READLINE_LINE ]]; then
    __vtr_note
    __vtr_export
    builtin return 0
  fi
  if [[ $__vtr_taken == "$__vtr_turn.$__vtr_f" ]]; then
    __vtr_wrap PS1 '' ''
    builtin return 0
  fi
  __vtr_taken=$__vtr_turn.$__vtr_f
  # A command that has the prompts without marks may read (`read -e`): its hooks are still there.
  if [[ -n $__vtr_armed && -z $READLINE_LINE ]] && ! __vtr_is_marked &&
    [[ -z $__vtr_given || ${PROMPT_COMMAND[*]-} != *__vtr_after* ]]; then
    __vtr_hook
    builtin : "$((__vtr_advance))"
    __vtr_print_end "$1"
  fi
  __vtr_export
}

# Notes the line that is typed, if it is the whole command unless PS2 is shown. Other lines come from the history.
__vtr_note() {
  __vtr_rest=0 __vtr_lines=()
  if [[ ${#READLINE_LINE} -le 1024 && $READLINE_LINE != *[[:cntrl:]]* && ${PS2-} == *"${__vtr_texts[2]}"* ]]; then
    builtin local encoded="${READLINE_LINE//'%'/%25}"
    __vtr_lines[__vtr_turn]=";cmdline_url=${encoded//;/%3B}"
  fi
}

# Exports the prompts again, without marks.
__vtr_export() {
  builtin local name
  for name in "${__vtr_exported[@]}"; do
    __vtr_wrap "$name" '' ''
    builtin declare -gx "$name"
    __vtr_given=1
  done
  __vtr_exported=()
}

# Whether PS1 has marks.
__vtr_is_marked() {
  builtin local each
  for each in "${__vtr_texts[1]}" "${__vtr_texts[5]-}"; do
    if [[ -n $each && ${PS1-} == *"$each"* ]]; then
      builtin return 0
    fi
  done
  builtin return 1
}

# @param the status of the command that has ended, and what is printed with it: each write is handled by itself
__vtr_print_end() {
  builtin printf '%s;D;%s;nonce=%s\a%s' "$__vtr_osc" "$1" "$__vtr_x.$__vtr_y.$__vtr_turn" "${2-}" >&2 || builtin :
}

# Undoes that, where no command began, and what PS0 could not do: the characters may have been unset.
__vtr_give_back() {
  if [[ -z $__vtr_characters ]]; then
    builtin return 0
  fi
  if [[ -z ${histchars-} || $histchars == "$__vtr_characters" ]]; then
    histchars=$__vtr_characters
    if [[ -z $__vtr_had_characters ]]; then
      builtin unset -v histchars
    fi
  fi
  __vtr_characters=
}

# Notes the number that the next command has in the prompt.
__vtr_count() {
  builtin local number='\#'
  __vtr_shown=$((${number@P} - __vtr_base + 1))
}

# The last command of PROMPT_COMMAND: the prompt is about to be shown.
__vtr_after() {
  { builtin local -; builtin set +efuvx; } 2>/dev/null
  if [[ -z $__vtr_armed ]]; then
    builtin local number='\#'
    __vtr_base=${number@P}
    __vtr_armed=1
  fi
  builtin local shown=$__vtr_shown
  __vtr_count
  if ((__vtr_shown > shown)); then
    builtin : "$((__vtr_advance))"
  fi
  __vtr_hook
  __vtr_mark
  __vtr_h=()
  # A number that is never reached, for when the history is off.
  __vtr_next=999999999999
  if [[ -o history && -n ${HISTCMD-} ]]; then
    __vtr_next=$HISTCMD
  fi
  # A hook of the user may have changed it since the end of the command.
  if [[ $__vtr_placed != "$__vtr_turn.${PWD-}" ]]; then
    builtin local place=
    __vtr_place
    builtin printf '%s' "$place" >&2
  fi
  # The last command of bash-preexec says that the next one is the user's, for its DEBUG trap. That was this one.
  if [[ ${PROMPT_COMMAND[*]-} == *__bp_interactive_mode* ]]; then
    __bp_preexec_interactive_mode=on
  fi
}

# Adds the marks to the prompts, if the user has changed anything since.
__vtr_mark() {
  builtin local edits=
  if [[ -o emacs || -o vi ]]; then
    edits=1
  fi
  if [[ ${#__vtr_made[@]} != 0 && $edits == "${__vtr_made[3]}" && ${PS1-} == "${__vtr_made[0]}" &&
    ${PS2-} == "${__vtr_made[1]}" && ${PS0-} == "${__vtr_made[2]}" && ${PS1@a}${PS2@a} != *x* ]] &&
    builtin shopt -q promptvars; then
    builtin return 0
  fi
  __vtr_embed
  __vtr_made=()
  if builtin shopt -q promptvars; then
    __vtr_made=("${PS1-}" "${PS2-}" "${PS0-}" "$edits")
  fi
}

# Adds the marks to the prompts that lack them.
__vtr_embed() {
  builtin local open= close= name key first=0
  # Mark the text as without width for readline. Without readline these bytes would be printed.
  if [[ -o emacs || -o vi ]]; then
    open=$'\001' close=$'\002'
  fi
  __vtr_given=
  __vtr_d=$open$__vtr_osc';D;'
  __vtr_p=';nonce='
  __vtr_a=$'\a'$__vtr_osc';A;redraw=last;nonce='
  for name in PS1 PS2; do
    if [[ ${!name@a} == *x* && ${!name@a} != *r* && " ${__vtr_exported[*]} " != *" $name "* ]]; then
      __vtr_exported+=("$name")
    fi
  done
  if [[ -n $open ]] && __vtr_bind; then
    key=typed
    if [[ $__vtr_notes == 1 ]]; then
      key=noted
    elif [[ -n ${__vtr_exported[*]} ]]; then
      key=always
    fi
    __vtr_a=$'\a'$__vtr_osc";A;redraw=last;line_key=$key;nonce="
  fi
  __vtr_s=$open$__vtr_osc';A;k=s;nonce='
  __vtr_b=$open$__vtr_osc';B;nonce='
  __vtr_z=$'\a'$close
  for name in d p a s b z; do
    builtin declare -g +x "__vtr_$name"
  done
  if ! builtin shopt -q promptvars; then
    first=4
    __vtr_embed_literally
  fi
  __vtr_wrap PS1 "${__vtr_texts[first]}" "${__vtr_texts[first + 1]}"
  __vtr_wrap PS2 "${__vtr_texts[first + 2]}" "${__vtr_texts[first + 1]}"
  __vtr_wrap PS0 '' "${__vtr_texts[first + 3]}"
  # After all assignments: `set -a` exports what is assigned.
  for name in "${__vtr_exported[@]}"; do
    builtin declare -g +x "$name"
  done
}

# Binds the key that vtr types before or behind a line. It notes the line if Enter accepts lines as they are, which is
# asked once: by a fork. Before 5.1, bash does not clear all rows of the line before it draws it again.
__vtr_bind() {
  builtin local key='"\e[133;1~": '"$__vtr_call" keys
  if [[ -z $__vtr_notes ]]; then
    keys=$(builtin bind -m emacs -q accept-line && builtin bind -m vi-insert -q accept-line)
    __vtr_notes=$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501))
    [[ $keys == *'"\C-m"'*'"\C-m"'* ]] || __vtr_notes=0
  fi
  builtin bind -m emacs -x "$key" && builtin bind -m vi-insert -x "$key"
} 2>/dev/null

__vtr_embed_literally() {
  builtin local code proof=";nonce=$__vtr_x.$__vtr_y.$__vtr_turn"
  builtin : "$((__vtr_begin))"
  code=$__vtr_f.$__vtr_g.$((__vtr_turn + 1))
  __vtr_texts=("${__vtr_texts[@]:0:4}" "\\[$__vtr_osc;A;redraw=last$proof\\a\\]" "\\[$__vtr_osc;B$proof\\a\\]" \
    "\\[$__vtr_osc;A;k=s$proof\\a\\]" "$__vtr_osc;C;nonce=$code\\a" "${__vtr_texts[@]:4:4}")
}

# @param name of the prompt, text before, text after
__vtr_wrap() {
  builtin local text="${!1-}" each between=
  for each in "${__vtr_texts[@]}"; do
    text=${text//'\[\]'"$each"/}
    text=${text//"$each"/}
  done
  # A backslash at the end (`\e\\`) would quote what follows.
  if [[ -n $3 && $text == *\\ ]]; then
    between='\[\]'
  fi
  text=$2$text$between$3
  if [[ ${!1-} != "$text" && ${!1@a} != *r* ]]; then
    builtin printf -v "$1" '%s' "$text"
  fi
}

# In PS0: prints the newest line of the history with its number, to descriptor 3: a DEBUG trap that substitutions
# inherit (`set -T`) may print to the standard output. It is that of the command if the history has a
# new one. Otherwise it may repeat the previous line, begin with a space, or be excluded by the user.
__vtr_newest() {
  { builtin local -; builtin set +efuvx; } 2>/dev/null
  HISTTIMEFORMAT='' builtin history 1 2>/dev/null >&3
}

# In PS0, to descriptor 3: prints the option of the mark with the newest line, which needs more than to be taken as
# it is.
__vtr_encode_newest() {
  { builtin local -; builtin set +efuvx; } 2>/dev/null
  builtin local line encoded form='^ *([0-9]+)[* ] (.*)$'
  if [[ ${__vtr_h[__vtr_turn * 4]} =~ $form ]]; then
    line=${BASH_REMATCH[2]}
    if ((${#line} <= 16384)); then
      __vtr_encode "$line"
      builtin printf '%s' "${__vtr_urls[BASH_REMATCH[1] < __vtr_next]}$encoded" >&3
    fi
  fi
}

# Sets `encoded` of the caller to the text with the characters percent-encoded that would end the sequence.
__vtr_encode() {
  builtin local code character
  encoded=${1//'%'/%25}
  encoded=${encoded//;/%3B}
  if [[ $encoded == *[[:cntrl:]]* ]]; then
    for code in {1..31} 127; do
      builtin printf -v code '%02X' "$code"
      builtin printf -v character "\\x$code"
      encoded=${encoded//"$character"/%$code}
    done
  fi
}

# Sets `place` of the caller to the report of the directory.
__vtr_place() {
  builtin local path="${PWD-}"
  __vtr_placed=$__vtr_turn.$path
  path=${path//'%'/%25}
  path=${path// /%20}
  path=${path//'#'/%23}
  path=${path//'?'/%3F}
  place=$'\e]7;file://'"${HOSTNAME-}$path#nonce=$__vtr_x.$__vtr_y.$__vtr_turn"$'\a'
}
