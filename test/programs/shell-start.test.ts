import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { needs } from '../support/run/needs.ts';
import { ShellSession, type ShellSetup } from '../support/session/shell-session.ts';

const started: ShellSession[] = [];

afterEach(async () => {
  for (const shell of started.splice(0)) await shell.dispose();
});

/** The line that a file of the user records when it is read, and its output. */
const note = (name: string) =>
  `echo "from ${name}"; echo "${name} [$0] [$-] $# [$HISTFILE] [$ENV] [$ZDOTDIR]" >>~/notes\n`;

/** The state of a shell that the integration could change. */
const bashState = `{ shopt; set -o; shopt -po; alias; trap; (set -o posix; set);
  echo "$0 $- $# [$HISTFILE] [$ENV] [\${POSIXLY_CORRECT-unset}]"; env | sort; umask; ulimit -a
  declare -F; } >~/state 2>&1`;
const zshState = `{ setopt; alias; typeset; echo "$0 $- $# [$HISTFILE] [\${ZDOTDIR-unset}]"
  env | sort; print -l \${(k)functions}; umask; } >~/state 2>&1`;
const fishState = `begin; set --names; set --show XDG_DATA_DIRS fish_function_path fish_complete_path
  env | sort; functions --all --names; umask; status is-login; echo $status; end >~/state 2>&1`;

/** Names of the integration, and values that always differ. */
const passedOver = [
  /__vtr_/,
  // The end of an empty list.
  /^$/,
  // The mark of the session's programs.
  /^file locks /,
  /^(?:PROMPT_COMMAND|PS[0-2]|PROMPT|prompt|PROMPT_EOL_MARK|precmd_functions|preexec_functions)=/,
  /^(?:BASHPID|BASH_ARGV\d|BASH_LINENO|EPOCH\w+|HISTCMD|LINENO|PPID|RANDOM|SECONDS|SRANDOM|_)=/,
  /^(?:'?[$!?]'?|TTY|TTYIDLE|TTY|\w+_\d+|history\w*|historywords|userdirs|OLDPWD|functions|parameters)=/,
  /^BASH_(?:ARGC|ARGV|SOURCE)=|^PIPESTATUS=|^pipestatus=|^status=|^fish_pid|^FUNCNAME/,
  /^(?:array|association|integer|float|readonly|tied|undefined)\b/,
];

async function look(program: string, setup: ShellSetup, state: string, shellIntegration: boolean) {
  const files = { notes: '', ...setup.files };
  const shell = await ShellSession.start(program, { ...setup, files, shellIntegration });
  started.push(shell);
  await shell.typeUntil(`${state}; echo do''ne\r`, /^done/m);
  const text = (name: string) => readFileSync(join(shell.home, name), 'latin1');
  const plain = (all: string) => all.replaceAll(shell.home, '~').split('\n');
  return {
    notes: plain(text('notes')),
    printed: shell.text.split('\n').filter((line) => line.startsWith('from ')),
    state: plain(text('state')).filter((line) => !passedOver.some((each) => each.test(line))),
    integration: shell.session.view.commands.integration,
  };
}

const bashFiles = {
  '.bashrc': `${note('bashrc')}alias ll='ls -l'\nshopt -s extglob\nset -o noclobber\nfalse\n`,
};
const profile = `${note('profile')}[ -n "$BASH" ] && . ~/.bashrc\n`;
/** $0 has another value in a sourced file: its path. */
const zshenv = note('zshenv').replace('[$0] ', '');
const zshFiles = {
  '.zshenv': `${zshenv}setopt extendedglob\n`,
  '.zprofile': note('zprofile'),
  '.zshrc': `${note('zshrc')}alias ll='ls -l'\nautoload -U colors\nfalse\n`,
  '.zlogin': note('zlogin'),
};
const moved = { '.zshenv': `${zshenv}export ZDOTDIR=~/z\n`, 'z/.zshrc': note('z/zshrc') };
const fishFiles = {
  '.config/fish/config.fish': 'echo from config\necho config $XDG_DATA_DIRS $argv >>~/notes\n',
  '.config/fish/conf.d/a.fish': 'echo from conf.d\necho conf.d $XDG_DATA_DIRS >>~/notes\n',
};

const cases: readonly (readonly [string, string, ShellSetup, string])[] = [
  ['bash', 'bash', { files: bashFiles }, bashState],
  ['bash -i', 'bash', { args: ['-i'], files: bashFiles }, bashState],
  [
    'bash -l, .bash_profile',
    'bash',
    { args: ['-l'], files: { ...bashFiles, '.bash_profile': profile, '.profile': note('other') } },
    bashState,
  ],
  [
    'bash --login, .bash_login',
    'bash',
    {
      args: ['--login'],
      files: { ...bashFiles, '.bash_login': profile, '.profile': note('other') },
    },
    bashState,
  ],
  [
    'bash -il, .profile, ENV, HISTFILE',
    'bash',
    {
      args: ['-il'],
      files: { '.profile': profile, ...bashFiles },
      env: { ENV: '~/env', HISTFILE: '/tmp/none' },
    },
    bashState,
  ],
  ['bash --norc', 'bash', { args: ['--norc'], files: bashFiles }, bashState],
  [
    'bash --noprofile --norc -i',
    'bash',
    { args: ['--noprofile', '--norc', '-i'], files: bashFiles, env: { ENV: '~/env' } },
    bashState,
  ],
  [
    'bash --noprofile -l',
    'bash',
    { args: ['--noprofile', '-l'], files: { ...bashFiles, '.profile': profile } },
    bashState,
  ],
  [
    'bash --noprofile --rcfile FILE',
    'bash',
    { args: ['--noprofile', '--rcfile', 'mine'], files: { ...bashFiles, mine: note('mine') } },
    bashState,
  ],
  ['zsh', 'zsh', { files: zshFiles }, zshState],
  ['zsh -l', 'zsh', { args: ['-l'], files: zshFiles }, zshState],
  ['zsh -f', 'zsh', { args: ['-f'], files: zshFiles }, zshState],
  ['zsh, ZDOTDIR set in .zshenv', 'zsh', { files: { ...zshFiles, ...moved } }, zshState],
  [
    'zsh, ZDOTDIR in the environment',
    'zsh',
    {
      env: { ZDOTDIR: '~/y' },
      files: { ...zshFiles, 'y/.zshenv': zshenv, 'y/.zshrc': note('y/zshrc') },
    },
    zshState,
  ],
  ['fish', 'fish', { files: fishFiles }, fishState],
  ['fish --no-config', 'fish', { args: ['--no-config'], files: fishFiles }, fishState],
  [
    'fish -l, XDG_DATA_DIRS',
    'fish',
    { args: ['-l'], env: { XDG_DATA_DIRS: '/usr/share' }, files: fishFiles },
    fishState,
  ],
];

describe('a shell with integration starts as one without', () => {
  for (const [title, program, setup, state] of cases) {
    needs(program)(title, async () => {
      const without = await look(program, setup, state, false);
      const { integration, ...withUs } = await look(program, setup, state, true);
      expect(withUs.notes).toEqual(without.notes);
      expect(withUs.printed).toEqual(without.printed);
      expect(withUs.state).toEqual(without.state);
      expect([without.integration, integration]).toEqual(['none', 'integrated']);
    });
  }
});
