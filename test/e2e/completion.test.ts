import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { terminal } from '#app/test/library';
import { connect } from '#wire/service';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { git } from '../support/git.ts';
import { needs, provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

/** The text typed before the tab key, and the line after it. The sessions are codex and shell. */
const cases: readonly (readonly [string, string])[] = [
  ['vtr sp', 'vtr spawn'],
  ['vtr help gr', 'vtr help grep'],
  ['vtr config re', 'vtr config resolve'],
  ['vtr config ls --j', 'vtr config ls --json'],
  ['vtr screen co', 'vtr screen codex'],
  ['vtr screen --json co', 'vtr screen --json codex'],
  ['vtr screen --scrollback 5 co', 'vtr screen --scrollback 5 codex'],
  ['vtr screen codex --scr', 'vtr screen codex --scrollback'],
  ['vtr rm codex sh', 'vtr rm codex shell'],
  ['vtr kill codex --signal K', 'vtr kill codex --signal KILL'],
  ['vtr key codex ctrl+c pageu', 'vtr key codex ctrl+c pageup'],
  ['vtr config add /etc/passw', 'vtr config add /etc/passwd'],
  ['vtr web unsh', 'vtr web unshare'],
  ['vtr web --ope', 'vtr web --open'],
  ['vtr web share co', 'vtr web share codex'],
  ['vtr spawn x -- cat /etc/passw', 'vtr spawn x -- cat /etc/passwd'],
  // A group with one verb.
  ['vtr shim ins', 'vtr shim install'],
  ['vtr shim install --fo', 'vtr shim install --force'],
  // A verb with arguments that is a group, too.
  ['vtr completion zs', 'vtr completion zsh'],
  ['vtr completion ins', 'vtr completion install'],
  ['vtr completion install fi', 'vtr completion install fish'],
  // A flag whose value may be left out.
  ['vtr send codex hi --wait --prompt-p', 'vtr send codex hi --wait --prompt-pattern'],
  ['vtr key --wait --title x co', 'vtr key --wait --title x codex'],
  ['vtr new --det', 'vtr new --detach'],
  ['vtr redact two', 'vtr redact two\\ words.cast'],
];

interface Shell {
  readonly program: string;
  readonly args: readonly string[];
  /** Loads the completions, as in the examples of `vtr completion`. */
  readonly load: string;
}

const shells: readonly Shell[] = [
  { program: 'bash', args: ['--norc', '--noprofile'], load: 'eval "$(vtr completion bash)"' },
  {
    program: 'zsh',
    args: ['-f'],
    load: 'autoload -Uz compinit; compinit -D -u; eval "$(vtr completion zsh)"',
  },
  {
    program: 'fish',
    args: ['--no-config'],
    // Autosuggestions of fish are not completions.
    load: 'set -g fish_autosuggestion_enabled 0; vtr completion fish | source',
  },
];

const bashCompletion = '/usr/share/bash-completion/bash_completion';

/** A PATH in which `vtr` is the built command. */
function pathWithCommand(): string {
  const script = `#!/bin/sh\nexec "${process.execPath}" "${vtrFile}" "$@"\n`;
  const directory = tree({ vtr: script });
  chmodSync(join(directory, 'vtr'), 0o755);
  return [directory, process.env['PATH']].join(delimiter);
}

describe('completion', () => {
  for (const { program, args, load } of shells) {
    needs(program)(`completes words in ${program}`, async () => {
      const place = new Place();
      await place.ok('spawn', 'codex', '--', 'cat');
      await place.ok('spawn', 'shell', '--', 'cat');
      const env = { ...place.env, PATH: pathWithCommand(), PS1: '$ ' };
      const cwd = tree({ 'two words.cast': '' });
      await using shell = await terminal({
        program,
        args,
        env,
        cwd,
        size: { cols: 120, rows: 10 },
      });
      await shell.type(`${load}; printf 'loaded %d\\n' 42\r`);
      await shell.wait(/^loaded 42/m);
      for (const [typed, expected] of cases) {
        await shell.type(`${typed}\t`);
        await shell.wait(new RegExp(`${expected.replaceAll(/[.+\\]/g, '\\$&')} *$`, 'm'));
        await shell.press('ctrl+u');
      }
    });

    needs(program)(`completes who views a session in ${program}`, async () => {
      const place = new Place();
      await place.ok('spawn', 'codex', '--', 'cat');
      const env = { ...place.env, PATH: pathWithCommand(), PS1: '$ ' };
      const cwd = tree({});
      const coordinator = await connect({ socket: place.socket });
      onTestFinished(() => coordinator.close());
      const name = ['Ann ', '(touch run)'].join('$');
      const size = { cols: 80, rows: 24 };
      await coordinator.view('codex', { name, kind: 'attach', size });
      await using shell = await terminal({
        program,
        args,
        env,
        cwd,
        size: { cols: 120, rows: 10 },
      });
      await shell.type(`${load}; printf 'loaded %d\\n' 42\r`);
      await shell.wait(/^loaded 42/m);
      await shell.type('vtr give --note hi codex --to A\t');
      await shell.wait(
        /vtr give --note hi codex --to (Ann\\ \\\$\\\(touch\\ run\\\)|'Ann \$\(touch run\)') *$/m,
      );
      expect(readdirSync(cwd)).toEqual([]);
    });

    needs(program, 'git')(
      `completes branches in ${program}, and runs nothing of their names`,
      async () => {
        const place = new Place();
        const env = { ...place.env, PATH: pathWithCommand(), PS1: '$ ' };
        const cwd = tree({});
        git(cwd, 'init', '-q', '-b', 'main');
        git(cwd, 'commit', '-q', '--allow-empty', '-m', 'first');
        git(cwd, 'branch', 'fix/login');
        git(cwd, 'branch', ['fix/$(touch', '{IFS}run)'].join('$'));
        await using shell = await terminal({
          program,
          args,
          env,
          cwd,
          size: { cols: 120, rows: 10 },
        });
        await shell.type(`${load}; printf 'loaded %d\\n' 42\r`);
        await shell.wait(/^loaded 42/m);
        await shell.type('vtr spawn --worktree fix/l\t');
        await shell.wait(/vtr spawn --worktree fix\/login *$/m);
        await shell.press('ctrl+u');
        await shell.type('vtr start claude --from fi\t');
        await shell.wait(/vtr start claude --from fix\//m);
        expect(readdirSync(cwd)).toEqual(['.git']);
      },
    );
  }

  /** Shells that read the configuration of their user, and what it has for completion. */
  const withFiles = [
    { program: 'bash', rc: '.bashrc', text: `. ${bashCompletion}\n` },
    { program: 'zsh', rc: '.zshrc', text: '' },
    {
      program: 'zsh',
      rc: '.zshrc',
      text: 'fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit -u\n',
    },
    {
      program: 'fish',
      rc: '.config/fish/config.fish',
      text: 'set -g fish_autosuggestion_enabled 0\n',
    },
  ];
  for (const { program, rc, text } of withFiles) {
    const test =
      program === 'bash'
        ? provided(existsSync(bashCompletion), 'needs the package bash-completion')
        : needs(program);
    test(`of vtr completion install works in ${program} with ${text === '' ? 'nothing' : text.trim()} in ${rc}`, async () => {
      const place = new Place();
      const home = tree({ [rc]: `PS1='$ '\n${text}`.replace(/^.*\n(?=set -g)/, '') });
      const { XDG_DATA_HOME: _, XDG_CONFIG_HOME: __, ...own } = place.env;
      const env = { ...own, HOME: home, ZDOTDIR: home, PATH: pathWithCommand() };
      await place.ok('spawn', 'codex', '--', 'cat');
      await using shell = await terminal({
        program,
        env,
        cwd: home,
        size: { cols: 120, rows: 10 },
      });
      await shell.type(`vtr completion install ${program} --yes && printf 'installed %d\\n' 42\r`);
      await shell.wait(/^installed 42/m);
      await shell.type(`exec ${program}\r`);
      await shell.type(`printf 'loaded %d\\n' 43\r`);
      await shell.wait(/^loaded 43/m);
      await shell.type('vtr screen co\t');
      await shell.wait(/vtr screen codex *$/m);
      if (text.includes('zfunc')) expect(readdirSync(join(home, '.zfunc'))).toEqual(['_vtr']);
    });
  }
});
