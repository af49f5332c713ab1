# zsh reads this file instead of the user's .zshenv, because ZDOTDIR is this directory. It restores
# ZDOTDIR and reads the user's .zshenv. zsh then finds the other files of the user by itself.

'builtin' 'source' "$ZDOTDIR/integration.zsh"

if [[ -n "${VTR_SHELL_ZDOTDIR+set}" ]]; then
  'builtin' 'export' ZDOTDIR="$VTR_SHELL_ZDOTDIR"
else
  'builtin' 'unset' ZDOTDIR
fi
'builtin' 'unset' VTR_SHELL_ZDOTDIR

# With -f, zsh reads no file of the user.
if [[ -n "${VTR_SHELL_NO_RCS+set}" ]]; then
  'builtin' 'setopt' 'no_rcs'
# If ZDOTDIR is empty, zsh reads /.zshenv, not the one in the home directory.
elif [[ -r "${ZDOTDIR-$HOME}/.zshenv" ]]; then
  'builtin' 'source' "${ZDOTDIR-$HOME}/.zshenv" || 'builtin' ':'
fi
'builtin' 'unset' VTR_SHELL_NO_RCS

__vtr_install
