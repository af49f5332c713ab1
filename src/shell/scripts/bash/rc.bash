# bash reads this file instead of ~/.bashrc (--rcfile), after the system's file. It reads ~/.bashrc, or
# the file that the user's own --rcfile names, and then makes the shell mark its prompts and commands.

builtin . "${BASH_SOURCE[0]%/*}/integration.bash"

builtin declare +x __vtr_rcfile="${VTR_SHELL_RCFILE-}"
builtin unset -v VTR_SHELL_RCFILE
if [[ -z $__vtr_rcfile ]]; then
  __vtr_rcfile=~/.bashrc
fi
# A name without a slash would be looked up in PATH.
if [[ $__vtr_rcfile != */* ]]; then
  __vtr_rcfile=./$__vtr_rcfile
fi

# `|| :` keeps the shell from exiting here if the last command of the file fails under `set -e`.
if [[ -f $__vtr_rcfile && -r $__vtr_rcfile ]]; then
  builtin . "$__vtr_rcfile" || :
fi

__vtr_install
