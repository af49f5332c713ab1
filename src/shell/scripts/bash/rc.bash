# bash reads this file instead of ~/.bashrc (--rcfile), after the system's file. It reads ~/.bashrc and
# then makes the shell mark its prompts and commands.

builtin . "${BASH_SOURCE[0]%/*}/integration.bash"

# `|| :` keeps the shell from exiting here if the last command of the file fails under `set -e`.
if [[ -f ~/.bashrc && -r ~/.bashrc ]]; then
  builtin . ~/.bashrc || :
fi

__vtr_install
