# zsh reads this file instead of the user's .zshenv, because ZDOTDIR is this directory. It restores
# ZDOTDIR and reads the user's .zshenv. zsh then finds the other files of the user by itself.

'builtin' 'source' "$ZDOTDIR/integration.zsh"

if [[ -n "${VTR_SHELL_ZDOTDIR+set}" ]]; then
  'builtin' 'export' ZDOTDIR="$VTR_SHELL_ZDOTDIR"
else
  'builtin' 'unset' ZDOTDIR
fi
'builtin' 'unset' VTR_SHELL_ZDOTDIR

# If ZDOTDIR is empty, zsh reads /.zshenv, not the one in the home directory.
if [[ -r "${ZDOTDIR-$HOME}/.zshenv" ]]; then
  'builtin' 'source' "${ZDOTDIR-$HOME}/.zshenv" || 'builtin' ':'
fi

__vtr_install
