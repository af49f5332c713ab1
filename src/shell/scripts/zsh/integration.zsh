# Marks prompts and commands (OSC 133), and tells the working directory (OSC 7). Read before the
# user's own files, whose aliases and options can then do nothing to how it is read.
#
# PS1, PS2 and PROMPT_EOL_MARK bear marks for as long as they are needed and not while a command runs:
# neither it nor the user finds them changed.

# The nonce proves that it is this shell who speaks, so programs that it starts must not see it.
'builtin' 'typeset' '-g' '+x' __vtr_nonce="${VTR_SHELL_NONCE-}"
'builtin' 'unset' VTR_SHELL_NONCE

'builtin' 'typeset' '-g' '+x' __vtr_osc=$'\e]133'
# Rises with each prompt, so that marks which are printed once more, from a log, prove nothing.
'builtin' 'typeset' '-gi' '+x' __vtr_turn=0
# Set when the first prompt was found to be without marks of somebody else's.
'builtin' 'typeset' '-g' '+x' __vtr_armed=
# The prompts as they are with marks, and as they were.
'builtin' 'typeset' '-gA' '+x' __vtr_marked __vtr_plain

# All hooks, because a user's file may set any of them anew.
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

# The first hook that is called after the user's files decides.
function __vtr_arm() {
  'builtin' 'local' told=unknown
  if 'builtin' 'zmodload' 'zsh/parameter' 2>/dev/null; then
    if [[ ${functions[precmd]-} == *__vtr_prepare* ]]; then
      'builtin' 'unfunction' precmd
    fi
    told="$PS1${(j::)functions}"
  fi
  # Somebody marks prompts here already, or there is no telling.
  if [[ $told == unknown || $told == *']'[16]'33;'* ]]; then
    precmd_functions=(${precmd_functions:#__vtr_*})
    preexec_functions=(${preexec_functions:#__vtr_*})
    'builtin' 'return' 1
  fi
  __vtr_armed=1
}

# Sees to it that ours are the first and the last of precmd: whatever of the user's is in between may
# print, or set PS1.
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

# First of precmd: the command has ended. Most often PROMPT_EOL_MARK has told so before.
function __vtr_end() {
  {
    'builtin' 'local' code="$?"
    'builtin' 'emulate' '-L' 'zsh' '-o' 'no_xtrace' '-o' 'no_err_exit' '-o' 'no_err_return'
  } 2>/dev/null
  __vtr_restore PROMPT_EOL_MARK
  __vtr_print "$__vtr_osc;D;$code;nonce=$__vtr_nonce.$__vtr_turn"$'\a'
}

# Last of precmd: the prompt is about to be shown.
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
  __vtr_tell_directory
  (( __vtr_turn += 1 ))
  __vtr_restore PS1
  __vtr_restore PS2
  # Without it the braces that tell zsh what takes no room are text.
  [[ $percent == yes ]] || 'builtin' 'return' 0
  'builtin' 'local' proof=";nonce=$__vtr_nonce.$__vtr_turn"$'\a%}'
  __vtr_mark PS1 "%{$__vtr_osc;A$proof" "%{$__vtr_osc;B$proof"
  __vtr_mark PS2 "%{$__vtr_osc;A;k=s$proof" "%{$__vtr_osc;B$proof"
}

# First of preexec, with the line as it was typed; it is empty where no history is kept.
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
  # zsh shows PROMPT_EOL_MARK before it calls any hook, and that is not the command's output.
  __vtr_mark PROMPT_EOL_MARK "%{$__vtr_osc;D;%?;nonce=$__vtr_nonce.$__vtr_turn"$'\a%}' '' '%B%S%#%s%b'
  'builtin' 'local' encoded option=
  if [[ -n $1 ]] && (( ${#1} <= 16384 )); then
    __vtr_encode "$1"
    option=";cmdline_url=$encoded"
  fi
  __vtr_print "$__vtr_osc;C$option;nonce=$__vtr_nonce.$__vtr_turn"$'\a'
}

# Adds marks to a parameter, if they are not there. One that is exported would take them elsewhere.
# @param its name, what goes before, what goes after, what it is taken for where it is not set
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
  # A percent sign at the end is one; with what follows it would be another thing.
  'builtin' 'local' percents=${text##*[^%]}
  if [[ -n $3 ]] && (( ${#percents} % 2 )); then text+=%; fi
  __vtr_marked[$1]=$2$text$3
  'builtin' 'typeset' '-g' "$1=${__vtr_marked[$1]}"
}

# Takes the marks away, if nobody has set the parameter meanwhile.
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

# Percent-encodes what would end or cut the sequence, into the caller's variable `encoded`.
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

function __vtr_tell_directory() {
  'builtin' 'local' directory=${PWD//\%/%25}
  directory=${directory// /%20}
  directory=${directory//\#/%23}
  directory=${directory//\?/%3F}
  __vtr_print $'\e]7;file://'"${HOST-}$directory"$'\a'
}
