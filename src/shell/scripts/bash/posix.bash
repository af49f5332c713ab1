# A login shell reads this file instead of the profiles, and a shell with --norc instead of nothing: it
# was started with --posix, and in that mode an interactive bash reads only the file named by ENV. There is
# no other way to run code after the profiles of a login shell, or without the system's bashrc. This file
# leaves POSIX mode without a trace and reads the profiles as bash would.

if [[ -n ${VTR_SHELL_ENV+set} ]]; then
  builtin export ENV="$VTR_SHELL_ENV"
else
  builtin unset -v ENV
fi
builtin unset -v VTR_SHELL_ENV
builtin set +o posix
builtin shopt -u inherit_errexit
# A variable that is not exported is not from the environment; it has the default of POSIX mode.
if [[ ${HISTFILE@a} != *x* ]]; then
  HISTFILE=~/.bash_history
fi
if [[ ${MAILCHECK@a} != *x* ]]; then
  MAILCHECK=60
fi

builtin . "${BASH_SOURCE[0]%/*}/integration.bash"

builtin declare +x __vtr_reads=1
if [[ -n ${VTR_SHELL_NO_PROFILE-} ]]; then
  __vtr_reads=
fi
builtin unset -v VTR_SHELL_NO_PROFILE

# `|| :` keeps the shell from exiting here if the last command of a file fails under `set -e`.
if [[ -n $__vtr_reads && -f /etc/profile && -r /etc/profile ]]; then
  builtin . /etc/profile || :
fi
if [[ -z $__vtr_reads ]]; then
  builtin :
elif [[ -f ~/.bash_profile && -r ~/.bash_profile ]]; then
  builtin . ~/.bash_profile || :
elif [[ -f ~/.bash_login && -r ~/.bash_login ]]; then
  builtin . ~/.bash_login || :
elif [[ -f ~/.profile && -r ~/.profile ]]; then
  builtin . ~/.profile || :
fi

__vtr_install
