# What a login shell reads instead of the profiles: it was started with --posix, in which mode an
# interactive bash reads the file that ENV names and no other. There is no other way to come last
# in a login shell. So this leaves that mode without a trace, and does what bash would have done.

if [[ -n ${VTR_SHELL_ENV+set} ]]; then
  builtin export ENV="$VTR_SHELL_ENV"
else
  builtin unset -v ENV
fi
builtin unset -v VTR_SHELL_ENV
builtin set +o posix
builtin shopt -u inherit_errexit
# What is not exported does not come from the environment: it is the default of that mode.
if [[ ${HISTFILE@a} != *x* ]]; then
  HISTFILE=~/.bash_history
fi
if [[ ${MAILCHECK@a} != *x* ]]; then
  MAILCHECK=60
fi

builtin . "${BASH_SOURCE[0]%/*}/integration.bash"

# The shell must not end here where a file's last command failed and `set -e` is in force.
if [[ -f /etc/profile && -r /etc/profile ]]; then
  builtin . /etc/profile || :
fi
if [[ -f ~/.bash_profile && -r ~/.bash_profile ]]; then
  builtin . ~/.bash_profile || :
elif [[ -f ~/.bash_login && -r ~/.bash_login ]]; then
  builtin . ~/.bash_login || :
elif [[ -f ~/.profile && -r ~/.profile ]]; then
  builtin . ~/.profile || :
fi

__vtr_install
