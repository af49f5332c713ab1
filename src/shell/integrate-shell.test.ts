import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { integrateShell, mayBeShell } from './integrate-shell.ts';

const directory = mkdtempSync(join(tmpdir(), 'vtr-shells-'));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Creates a file that looks like a bash of a version. */
function binary(name: string, version: string): string {
  const path = join(directory, name);
  writeFileSync(path, `\0\0@(#)Bash version ${version}(1) release GNU\0`);
  chmodSync(path, 0o755);
  return path;
}

const bash = binary('bash', '5.2.15');
const env = { HOME: '/home/dev' };

function change(program: string, args: readonly string[], more: Record<string, string> = {}) {
  const changed = integrateShell({ program, args, env: { ...env, ...more } });
  if (changed === null) return null;
  const { nonce, env: all } = changed;
  expect(nonce).toMatch(/^[0-9a-f]{32}$/);
  expect(all).toMatchObject({ ...env, VTR_SHELL_NONCE: nonce });
  const added = Object.fromEntries(
    Object.entries(all).filter(([name]) => !(name in env) && name !== 'VTR_SHELL_NONCE'),
  );
  // Relative to the directory of the scripts.
  const short = (text: string) => text.replace(/'?\/.*\/scripts/, '');
  return [
    changed.args.map(short),
    Object.fromEntries(Object.entries(added).map(([name, value]) => [name, short(value)])),
  ];
}

const rcfile = ['--rcfile', '/bash/rc.bash'];
const login = { ENV: '/bash/login.bash' };
const zdotdir = { ZDOTDIR: '/zsh' };
const init = ['--init-command', "builtin source /fish/integration.fish'"];

describe('a shell is started so that it marks its commands', () => {
  it.each([
    [bash, [], {}, [rcfile, {}]],
    [bash, ['-i'], {}, [[...rcfile, '-i'], {}]],
    [bash, ['-l'], {}, [['--posix', '-l'], login]],
    [bash, ['--login'], {}, [['--posix', '--login'], login]],
    [bash, ['-il'], {}, [['--posix', '-il'], login]],
    [bash, ['-l'], { ENV: '' }, [['--posix', '-l'], { ...login, VTR_SHELL_ENV: '' }]],
    ['/bin/zsh', [], {}, [[], zdotdir]],
    ['/bin/zsh', ['-l'], {}, [['-l'], zdotdir]],
    ['/bin/zsh', [], { ZDOTDIR: '/z' }, [[], { ...zdotdir, VTR_SHELL_ZDOTDIR: '/z' }]],
    ['/bin/fish', ['--login', '-i'], {}, [[...init, '--login', '-i'], {}]],
  ])('%s %j %j', (program, args, more, expected) => {
    expect(change(program, args, more as Record<string, string>)).toEqual(expected);
  });

  it('never with the same nonce', () => {
    const nonces = [0, 1].map(() => integrateShell({ program: '/bin/fish', args: [], env })?.nonce);
    expect(nonces[0]).not.toBe(nonces[1]);
  });
});

describe('left alone', () => {
  it.each<[string, string[], Record<string, string>]>([
    [bash, ['-c', 'ls'], {}],
    [bash, ['script.sh'], {}],
    [bash, ['-'], {}],
    [bash, ['-s'], {}],
    [bash, ['-ic', 'ls'], {}],
    [bash, ['--norc'], {}],
    [bash, ['--noprofile', '-l'], {}],
    [bash, ['--posix'], {}],
    [bash, ['--rcfile', 'mine'], {}],
    [bash, ['+m'], {}],
    [bash, ['-r'], {}],
    [bash, [''], {}],
    [bash, [], { POSIXLY_CORRECT: '' }],
    [bash, [], { SHELLOPTS: 'posix' }],
    ['/bin/sh', [], {}],
    ['/bin/rbash', [], {}],
    ['/no/such/bash', [], {}],
    ['/bin/zsh', ['-f'], {}],
    ['/bin/zsh', ['-c', 'ls'], {}],
    ['/bin/zsh', ['script'], {}],
    ['/bin/fish', ['--no-config'], {}],
    ['/bin/fish', ['-c', 'ls'], {}],
    ['/bin/fish', ['script'], {}],
    ['/usr/bin/vim', [], {}],
  ])('%s %j %j', (program, args, more) => {
    expect(change(program, args, more)).toBeNull();
  });

  it('is a bash that is too old, and one that has become so', () => {
    const path = binary('bash', '4.4.0');
    expect(change(path, [])).not.toBeNull();
    binary('bash', '4.3.48');
    expect(change(path, [])).toBeNull();
    writeFileSync(path, '#!/bin/sh\n');
    expect(change(path, [])).toBeNull();
  });
});

it.each([
  ['bash', true],
  ['/usr/local/bin/zsh', true],
  ['fish', true],
  ['sh', false],
  ['constructor', false],
  ['bash.exe', false],
])('%s may be a shell: %s', (program, expected) => {
  expect(mayBeShell(program)).toBe(expected);
});
