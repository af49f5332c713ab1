# Marks prompts and commands (OSC 133) and reports the working directory (OSC 7). Read before the user's
# files, so that their aliases and options do not affect it.
#
# PS1, PS2 and PROMPT_EOL_MARK contain marks only while these are needed, and not while a command runs, so
# that neither the command nor the user finds them changed.

# What proves that a mark is this shell's: the keys of a cipher, and the proof of the first marks. They are in a
# file that is emptied here, because every program of the user can read the environment of this shell.
'builtin' 'typeset' '-ga' '+x' __vtr_keys
{
  IFS=' ' 'builtin' 'read' '-r' '-A' __vtr_keys <"$VTR_SHELL_PROOF"
  'builtin' 'print' '-n' >|"$VTR_SHELL_PROOF"
} 2>/dev/null
'builtin' 'unset' VTR_SHELL_PROOF
# zsh calculates with them as expressions.
if [[ ${(j: :)__vtr_keys} == *[^0123456789\ ]* ]]; then
  __vtr_keys=()
fi

'builtin' 'typeset' '-g' '+x' __vtr_osc=$'\e]133'
# The number of the marks of the prompt and of the end before it. The mark of the next command has the one
# after it. It rises, and each mark contains its number encrypted, so marks that are printed again are ignored.
'builtin' 'typeset' '-gi' '+x' __vtr_turn=2
# What proves the marks of this turn.
'builtin' 'typeset' '-g' '+x' __vtr_proof=";nonce=${__vtr_keys[28]-}.${__vtr_keys[29]-}.2"
# Set at the first prompt, after the user's files.
'builtin' 'typeset' '-g' '+x' __vtr_armed=
# What to do to have the options and the characters of history expansion as they were, after a line of vtr.
'builtin' 'typeset' '-g' '+x' __vtr_options= __vtr_characters=
# The prompts with marks, and without; the marks before and after them.
'builtin' 'typeset' '-gA' '+x' __vtr_marked __vtr_plain __vtr_before __vtr_after

# Adds all hooks, because a user's file may replace any of them.
function __vtr_install() {
  'builtin' 'emulate' '-L' 'zsh'
  (( ${#__vtr_keys} == 29 )) || 'builtin' 'return' 0
  'builtin' 'typeset' '-ga' precmd_functions preexec_functions
  precmd_functions+=(__vtr_prepare)
  preexec_functions+=(__vtr_start)
  if ! 'builtin' 'typeset' '-f' precmd >/dev/null; then
    function precmd() { __vtr_prepare; }
  fi
}

# Called by the first hook after the user's files. Other integrations may mark prompts, too: vtr ignores marks
# without a proof.
function __vtr_arm() {
  if ! 'builtin' 'zmodload' 'zsh/parameter' 2>/dev/null; then
    precmd_functions=(${precmd_functions:#__vtr_*})
    preexec_functions=(${preexec_functions:#__vtr_*})
    'builtin' 'return' 1
  fi
  if [[ ${functions[precmd]-} == *__vtr_prepare* ]]; then
    'builtin' 'unfunction' precmd
  fi
  'builtin' 'zle' '-N' __vtr_take
  'builtin' 'local' map
  for map in emacs viins vicmd main; do
    'builtin' 'bindkey' '-M' $map '\e[133;1~' __vtr_take
  done
  __vtr_armed=1
}

# Makes our hooks the first and the last of precmd, and the last of preexec. The user's hooks in between may
# print, or set PS1.
function __vtr_hook() {
  'builtin' 'local' hooks="${precmd_functions[1]-} ${precmd_functions[-1]-}"
  if [[ $hooks != '__vtr_end __vtr_prepare' ]]; then
    precmd_functions=(__vtr_end ${precmd_functions:#(__vtr_end|__vtr_prepare)} __vtr_prepare)
  fi
  if [[ ${preexec_functions[-1]-} != __vtr_start ]]; then
    preexec_functions=(${preexec_functions:#__vtr_start} __vtr_start)
  fi
}

# The widget of the key that vtr types before a line that it runs. The line follows as a paste, which no widget of
# the user changes. `!` is not expanded in it, comments are comments, and no word is corrected, as with `zsh -c`.
function __vtr_take() {
  {
    'builtin' 'local' __vtr_code="$?" __vtr_text= __vtr_option
    'builtin' 'zle' '.bracketed-paste' __vtr_text
    __vtr_text=${__vtr_text#$'\e[200~'}
    if [[ -z $__vtr_text ]]; then
      __vtr_mark_again "$__vtr_code"
      'builtin' 'return' 0
    fi
    LBUFFER+=$__vtr_text
    if [[ -o bang_hist && -z $__vtr_characters ]]; then
      __vtr_characters=$histchars
      histchars=$'\0\0'${histchars#??}
    fi
    for __vtr_option in no_interactive_comments correct correct_all; do
      if [[ -o $__vtr_option ]]; then
        __vtr_options+=" $__vtr_option"
        'builtin' 'unsetopt' $__vtr_option
      fi
    done
  } 2>/dev/null
}

# Called by the key without a line, at a prompt without marks: marks it, and the end of the command.
# @param the status of the last command
function __vtr_mark_again() {
  'builtin' 'local' percent=no
  if [[ -o prompt_percent ]]; then percent=yes; fi
  'builtin' 'emulate' '-L' 'zsh' '-o' 'no_xtrace' '-o' 'no_err_exit' '-o' 'no_err_return'
  if [[ $CONTEXT == start && -z $BUFFER ]]; then
    __vtr_hook
    __vtr_restore PROMPT_EOL_MARK
    # The prompt is no output of the command.
    __vtr_print $'\r\e[K'"$__vtr_osc;D;$1$__vtr_proof"$'\a'
    __vtr_report_directory
    __vtr_mark_prompts
    'builtin' 'zle' '.reset-prompt'
  fi
}

# Undoes that. Without `emulate -L`, which would undo this.
function __vtr_give_back() {
  if [[ -n $__vtr_options ]]; then
    'builtin' 'setopt' ${=__vtr_options}
    __vtr_options=
  fi
  if [[ -n $__vtr_characters ]]; then
    # The text of a parameter that begins with a NUL.
    if [[ -z $histchars ]]; then histchars=$__vtr_characters; fi
    __vtr_characters=
  fi
}

function __vtr_print() {
  'builtin' 'print' '-rn' '--' "$1" 2>/dev/null >/dev/tty
}

# Sets __vtr_proof to what proves the mark with a number: the number encrypted with Speck64/128.
# @param number
function __vtr_prove() {
  'builtin' 'local' -i x=0 y=$1
  'builtin' 'local' key
  for key in "${(@)__vtr_keys[1,27]}"; do
    (( x = ((((x >> 8) | ((x << 24) & 4294967295)) + y) & 4294967295) ^ key ))
    (( y = (((y << 3) & 4294967295) | (y >> 29)) ^ x ))
  done
  __vtr_proof=";nonce=$x.$y.$1"
}

# The first hook of precmd: the command has ended. Usually PROMPT_EOL_MARK has reported that before.
function __vtr_end() {
  { __vtr_mark_end "$?"; __vtr_give_back; } 2>/dev/null
}

# @param the status of the command
function __vtr_mark_end() {
  {
    'builtin' 'local' code="$1"
    'builtin' 'emulate' '-L' 'zsh' '-o' 'no_xtrace' '-o' 'no_err_exit' '-o' 'no_err_return'
  } 2>/dev/null
  __vtr_restore PROMPT_EOL_MARK
  __vtr_restore PS1
  __vtr_restore PS2
  __vtr_print "$__vtr_osc;D;$code$__vtr_proof"$'\a'
}

# The last hook of precmd: the prompt is about to be shown.
function __vtr_prepare() {
  {
    'builtin' 'local' percent=no last=no
    if [[ -o prompt_percent ]]; then percent=yes; fi
    'builtin' 'emulate' '-L' 'zsh' '-o' 'no_xtrace' '-o' 'no_err_exit' '-o' 'no_err_return'
  } 2>/dev/null
  if [[ -z $__vtr_armed ]]; then
    __vtr_arm || 'builtin' 'return' 0
  fi
  if [[ ${precmd_functions[-1]-} == __vtr_prepare ]]; then last=yes; fi
  __vtr_hook
  __vtr_report_directory
  # Some hooks always put themselves last. zsh calls what is scheduled after all hooks, and before it shows the
  # prompt. A list with && calls no trap and does not exit if the status of the user's command is not 0.
  if [[ $last == no ]] && 'builtin' 'zmodload' 'zsh/sched' 2>/dev/null; then
    'builtin' 'sched' '+0' '__vtr_mark_late && :'
  fi
  __vtr_mark_prompts
}

# Called after all hooks of precmd, if some come after ours: they may have set PS1.
function __vtr_mark_late() {
  {
    'builtin' 'local' code="$?" percent=no
    if [[ -o prompt_percent ]]; then percent=yes; fi
    'builtin' 'emulate' '-L' 'zsh' '-o' 'no_xtrace' '-o' 'no_err_exit' '-o' 'no_err_return'
  } 2>/dev/null
  __vtr_mark_prompts
  'builtin' 'return' "$code"
}

function __vtr_mark_prompts() {
  __vtr_restore PS1
  __vtr_restore PS2
  # Without this option, %{ and %}, which mark text without width, are literal.
  [[ $percent == yes ]] || 'builtin' 'return' 0
  'builtin' 'local' proof=$__vtr_proof$'\a%}'
  __vtr_mark PS1 "%{$__vtr_osc;A;line_key=paste$proof" "%{$__vtr_osc;B$proof"
  __vtr_mark PS2 "%{$__vtr_osc;A;k=s$proof" "%{$__vtr_osc;B$proof"
}

# The hook of preexec. @param the typed line; empty if no history is kept
function __vtr_start() {
  { __vtr_give_back; __vtr_begin "$1"; } 2>/dev/null
}

# @param the typed line; empty if no history is kept
function __vtr_begin() {
  {
    'builtin' 'emulate' '-L' 'zsh' '-o' 'no_xtrace' '-o' 'no_err_exit' '-o' 'no_err_return'
  } 2>/dev/null
  if [[ -z $__vtr_armed ]]; then
    __vtr_arm || 'builtin' 'return' 0
  fi
  __vtr_hook
  __vtr_restore PS1
  __vtr_restore PS2
  'builtin' 'local' encoded option=
  if [[ -n $1 ]] && (( ${#1} <= 16384 )); then
    __vtr_encode "$1"
    option=";cmdline_url=$encoded"
  fi
  __vtr_prove $(( __vtr_turn + 1 ))
  'builtin' 'local' start="$__vtr_osc;C$option$__vtr_proof"$'\a'
  (( __vtr_turn += 2 ))
  __vtr_prove $__vtr_turn
  # zsh prints PROMPT_EOL_MARK before it calls any hook, and it does not belong to the command's output.
  __vtr_mark PROMPT_EOL_MARK "%{$__vtr_osc;D;%?$__vtr_proof"$'\a%}' '' '%B%S%#%s%b'
  __vtr_print "$start"
}

# Adds marks to a parameter. PROMPT_EOL_MARK is left alone if it is exported: programs would see the marks.
# @param name, text before, text after, value if the parameter is not set
function __vtr_mark() {
  'builtin' 'local' kind="${parameters[$1]-}"
  if [[ $kind == *readonly* || ( $1 == PROMPT_EOL_MARK && $kind == *export* ) ]]; then
    'builtin' 'return' 0
  fi
  'builtin' 'local' text="${4-}"
  'builtin' 'unset' "__vtr_plain[$1]"
  if [[ -n $kind ]]; then
    text=${(P)1}
    __vtr_plain[$1]=$text
  fi
  # A percent sign at the end is literal, but would form an escape with the mark after it.
  'builtin' 'local' percents=${text##*[^%]}
  if [[ -n $3 ]] && (( ${#percents} % 2 )); then text+=%; fi
  __vtr_marked[$1]=$2$text$3
  __vtr_before[$1]=$2
  __vtr_after[$1]=$3
  'builtin' 'typeset' '-g' "$1=${__vtr_marked[$1]}"
}

# Removes the marks, also from a prompt that was made of the one with marks meanwhile.
function __vtr_restore() {
  if [[ -z ${parameters[$1]-} || -z ${__vtr_marked[$1]-} ]]; then
    'builtin' 'return' 0
  fi
  'builtin' 'local' text=${(P)1} each
  if [[ $text == "${__vtr_marked[$1]}" ]]; then
    if (( ${+__vtr_plain[$1]} )); then
      'builtin' 'typeset' '-g' "$1=${__vtr_plain[$1]}"
    else
      'builtin' 'unset' "$1"
    fi
  elif [[ $text == *"$__vtr_osc;"* && ${parameters[$1]} != *readonly* ]]; then
    for each in "${__vtr_before[$1]}" "${__vtr_after[$1]}"; do
      if [[ -n $each ]]; then text=${text//"$each"/}; fi
    done
    'builtin' 'typeset' '-g' "$1=$text"
  fi
}

# Percent-encodes the characters that would end the sequence, into the caller's variable `encoded`.
function __vtr_encode() {
  encoded=${1//\%/%25}
  encoded=${encoded//;/%3B}
  if [[ $encoded == *[[:cntrl:]]* ]]; then
    'builtin' 'local' code
    for code in {1..31} 127; do
      encoded=${encoded//${(#)code}/%${(l:2::0:)$(( [##16] code ))}}
    done
  fi
}

function __vtr_report_directory() {
  'builtin' 'local' directory=${PWD//\%/%25}
  directory=${directory// /%20}
  directory=${directory//\#/%23}
  directory=${directory//\?/%3F}
  __vtr_print $'\e]7;file://'"${HOST-}$directory#${__vtr_proof#;}"$'\a'
}
