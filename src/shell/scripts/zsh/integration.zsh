# Marks prompts and commands (OSC 133) and reports the working directory (OSC 7). Read before the user's
# files, so that their aliases and options do not affect it.
#
# PS1, PS2 and PROMPT_EOL_MARK contain marks only while these are needed, and not while a command runs, so
# that neither the command nor the user finds them changed.

# The nonce identifies this shell's marks, so its programs must not see it.
'builtin' 'typeset' '-g' '+x' __vtr_nonce="${VTR_SHELL_NONCE-}"
'builtin' 'unset' VTR_SHELL_NONCE

'builtin' 'typeset' '-g' '+x' __vtr_osc=$'\e]133'
# Rises with each prompt, so that marks printed again, for example from a log, are ignored.
'builtin' 'typeset' '-gi' '+x' __vtr_turn=0
# Set when the first prompt has no marks of another integration.
'builtin' 'typeset' '-g' '+x' __vtr_armed=
# The prompts with marks, and without.
'builtin' 'typeset' '-gA' '+x' __vtr_marked __vtr_plain

# Adds all hooks, because a user's file may replace any of them.
function __vtr_install() {
  'builtin' 'emulate' '-L' 'zsh'
  [[ -n $__vtr_nonce ]] || 'builtin' 'return' 0
  'builtin' 'typeset' '-ga' precmd_functions preexec_functions
  precmd_functions+=(__vtr_prepare)
  preexec_functions+=(__vtr_start)
  if ! 'builtin' 'typeset' '-f' precmd >/dev/null; then
    function precmd() { __vtr_prepare; }
  fi
}

# Called by the first hook after the user's files.
function __vtr_arm() {
  'builtin' 'local' marked=unknown
  if 'builtin' 'zmodload' 'zsh/parameter' 2>/dev/null; then
    if [[ ${functions[precmd]-} == *__vtr_prepare* ]]; then
      'builtin' 'unfunction' precmd
    fi
    marked="$PS1${(j::)functions}"
  fi
  # Another integration marks prompts already, or it is unknown whether one does.
  if [[ $marked == unknown || $marked == *']'[16]'33;'* ]]; then
    precmd_functions=(${precmd_functions:#__vtr_*})
    preexec_functions=(${preexec_functions:#__vtr_*})
    'builtin' 'return' 1
  fi
  __vtr_armed=1
}

# Makes our hooks the first and the last of precmd. The user's hooks in between may print, or set PS1.
function __vtr_hook() {
  'builtin' 'local' hooks="${precmd_functions[1]-} ${precmd_functions[-1]-}"
  if [[ $hooks != '__vtr_end __vtr_prepare' ]]; then
    precmd_functions=(__vtr_end ${precmd_functions:#(__vtr_end|__vtr_prepare)} __vtr_prepare)
  fi
  if (( ! ${preexec_functions[(I)__vtr_start]} )); then
    preexec_functions+=(__vtr_start)
  fi
}

function __vtr_print() {
  'builtin' 'print' '-rn' '--' "$1" 2>/dev/null >/dev/tty
}

# The first hook of precmd: the command has ended. Usually PROMPT_EOL_MARK has reported that before.
function __vtr_end() {
  {
    'builtin' 'local' code="$?"
    'builtin' 'emulate' '-L' 'zsh' '-o' 'no_xtrace' '-o' 'no_err_exit' '-o' 'no_err_return'
  } 2>/dev/null
  __vtr_restore PROMPT_EOL_MARK
  __vtr_print "$__vtr_osc;D;$code;nonce=$__vtr_nonce.$__vtr_turn"$'\a'
}

# The last hook of precmd: the prompt is about to be shown.
function __vtr_prepare() {
  {
    'builtin' 'local' percent=no
    if [[ -o prompt_percent ]]; then percent=yes; fi
    'builtin' 'emulate' '-L' 'zsh' '-o' 'no_xtrace' '-o' 'no_err_exit' '-o' 'no_err_return'
  } 2>/dev/null
  if [[ -z $__vtr_armed ]]; then
    __vtr_arm || 'builtin' 'return' 0
  fi
  __vtr_hook
  __vtr_report_directory
  (( __vtr_turn += 1 ))
  __vtr_restore PS1
  __vtr_restore PS2
  # Without this option, %{ and %}, which mark text without width, are literal.
  [[ $percent == yes ]] || 'builtin' 'return' 0
  'builtin' 'local' proof=";nonce=$__vtr_nonce.$__vtr_turn"$'\a%}'
  __vtr_mark PS1 "%{$__vtr_osc;A$proof" "%{$__vtr_osc;B$proof"
  __vtr_mark PS2 "%{$__vtr_osc;A;k=s$proof" "%{$__vtr_osc;B$proof"
}

# The hook of preexec. @param the typed line; empty if no history is kept
function __vtr_start() {
  {
    'builtin' 'emulate' '-L' 'zsh' '-o' 'no_xtrace' '-o' 'no_err_exit' '-o' 'no_err_return'
  } 2>/dev/null
  if [[ -z $__vtr_armed ]]; then
    __vtr_arm || 'builtin' 'return' 0
  fi
  __vtr_hook
  __vtr_restore PS1
  __vtr_restore PS2
  # zsh prints PROMPT_EOL_MARK before it calls any hook, and it does not belong to the command's output.
  __vtr_mark PROMPT_EOL_MARK "%{$__vtr_osc;D;%?;nonce=$__vtr_nonce.$__vtr_turn"$'\a%}' '' '%B%S%#%s%b'
  'builtin' 'local' encoded option=
  if [[ -n $1 ]] && (( ${#1} <= 16384 )); then
    __vtr_encode "$1"
    option=";cmdline_url=$encoded"
  fi
  __vtr_print "$__vtr_osc;C$option;nonce=$__vtr_nonce.$__vtr_turn"$'\a'
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
  'builtin' 'typeset' '-g' "$1=${__vtr_marked[$1]}"
}

# Removes the marks, unless the parameter was changed meanwhile.
function __vtr_restore() {
  if [[ -z ${parameters[$1]-} || -z ${__vtr_marked[$1]-} || ${(P)1} != "${__vtr_marked[$1]}" ]]; then
    'builtin' 'return' 0
  fi
  if (( ${+__vtr_plain[$1]} )); then
    'builtin' 'typeset' '-g' "$1=${__vtr_plain[$1]}"
  else
    'builtin' 'unset' "$1"
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
  __vtr_print $'\e]7;file://'"${HOST-}$directory"$'\a'
}
