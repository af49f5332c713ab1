# bash reads this file instead of ~/.bashrc (--rcfile), after the system's own. So it does what bash
# would have done, and then has the shell mark its prompts and commands.

builtin . "${BASH_SOURCE[0]%/*}/integration.bash"

# The shell must not end here where the file's last command failed and `set -e` is in force.
if [[ -f ~/.bashrc && -r ~/.bashrc ]]; then
  builtin . ~/.bashrc || :
fi

__vtr_install
