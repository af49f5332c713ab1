import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { needs } from '../../../../test/support/needs.ts';
import { tree } from '../../../../test/support/tree.ts';
import { allVerbs } from '../verbs/index.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { completedVerbs } from './words.ts';
import { zshCompletion } from './zsh.ts';

const verbs = completedVerbs(await allVerbs());

/** What a line is completed to; the sessions are codex and shell. */
const cases: readonly (readonly [string, readonly string[]])[] = [
  ['vtr sp', ['spawn']],
  ['vtr config re', ['resolve']],
  ['vtr screen co', ['codex']],
  ['vtr screen --scr', ['--scrollback']],
  ['vtr kill codex --signal K', ['KILL']],
  ['vtr key codex pageu', ['pageup']],
];

const run = (program: string, args: readonly string[], env = {}) => {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`${program}: ${status}\n${stderr}`);
  return stdout;
};

describe('completion', () => {
  needs('bash')('completes in bash', () => {
    const script = join(tree({ 'vtr.bash': bashCompletion(verbs) }), 'vtr.bash');
    for (const [line, expected] of cases) {
      const words = line.split(' ');
      const stub = 'vtr() { echo codex; echo shell; }';
      const call = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _vtr`;
      const text = `${stub}; . ${script}; ${call}; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const out = run('bash', ['--norc', '-c', text]);
      expect([line, ...out.split('\n').filter((word) => word !== '')]).toEqual([line, ...expected]);
    }
  });

  needs('fish')('completes in fish', () => {
    const folder = tree({ 'vtr.fish': fishCompletion(verbs) });
    for (const [line, expected] of cases) {
      const text = `function vtr; echo codex; echo shell; end; source ${folder}/vtr.fish; complete -C '${line}'`;
      const out = run('fish', ['--no-config', '-c', text], { HOME: folder });
      const words = out.split('\n').map((row) => row.split('\t')[0]);
      expect([line, ...words.filter((word) => word !== '')]).toEqual([line, ...expected]);
    }
  });

  needs('zsh')('is a script that zsh can read', () => {
    const script = join(tree({ 'vtr.zsh': zshCompletion(verbs) }), 'vtr.zsh');
    run('zsh', ['-f', '-n', script]);
    const text = `autoload -Uz compinit; compinit -D -u; . ${script}; whence -w _vtr`;
    expect(run('zsh', ['-f', '-c', text])).toContain('_vtr: function');
  });
});
