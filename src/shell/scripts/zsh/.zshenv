# zsh reads this file first of the user's, because ZDOTDIR leads here. So it puts ZDOTDIR back and
# does what zsh would have done; all further files zsh finds by itself.

'builtin' 'source' "$ZDOTDIR/integration.zsh"

if [[ -n "${VTR_SHELL_ZDOTDIR+set}" ]]; then
  'builtin' 'export' ZDOTDIR="$VTR_SHELL_ZDOTDIR"
else
  'builtin' 'unset' ZDOTDIR
fi
'builtin' 'unset' VTR_SHELL_ZDOTDIR

# Empty is not unset: zsh looks in / then.
if [[ -r "${ZDOTDIR-$HOME}/.zshenv" ]]; then
  'builtin' 'source' "${ZDOTDIR-$HOME}/.zshenv" || 'builtin' ':'
fi

__vtr_install
