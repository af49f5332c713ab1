import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { integrateShell } from './integrate-shell.ts';
import { removeKeyFile } from './key-file.ts';
import { keyText } from './mark-proof.ts';

const scripts = fileURLToPath(new URL('scripts', import.meta.url));
const script = new RegExp(`'?${scripts.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}([^' ]*)'?`);
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

/** Finds programs by their path, and two in PATH. */
async function resolve(program: string): Promise<string> {
  if (program.startsWith('/')) return program;
  if (program === 'bash') return bash;
  if (program === 'zsh') return '/bin/zsh';
  throw new Error('not found');
}

async function change(program: string, args: readonly string[], more: Record<string, string> = {}) {
  const changed = await integrateShell({ program, args, env: { ...env, ...more } }, resolve);
  if ('reason' in changed) return changed.reason;
  const { proof, env: all } = changed;
  const { VTR_SHELL_PROOF: line = '', ...added } = all;
  expect(line).toBe(proof.keyFile);
  expect(readFileSync(line, 'latin1')).toBe(keyText(proof.key));
  expect(statSync(line).mode & 0o777).toBe(0o600);
  removeKeyFile(proof);
  // Relative to the directory of the scripts, which may have a space in its path.
  const short = (text: string) => text.replace(script, '$1');
  return [
    changed.args.map(short),
    Object.fromEntries(Object.entries(added).map(([name, value]) => [name, short(value)])),
  ];
}

const rcfile = ['--rcfile', '/bash/rc.bash'];
const login = { ENV: '/bash/posix.bash' };
const noProfile = { VTR_SHELL_NO_PROFILE: '1' };
const zdotdir = { ZDOTDIR: '/zsh' };
const init = ['--init-command', 'builtin source /fish/integration.fish'];

describe('a shell is started so that it marks its commands', () => {
  it.each<[string, string[], Record<string, string>, unknown]>([
    [bash, [], {}, [rcfile, {}]],
    [bash, ['-i'], {}, [[...rcfile, '-i'], {}]],
    [bash, ['-l'], {}, [['--posix', '-l'], login]],
    [bash, ['--login'], {}, [['--posix', '--login'], login]],
    [bash, ['-il'], {}, [['--posix', '-il'], login]],
    [bash, ['-l'], { ENV: '' }, [['--posix', '-l'], { ...login, VTR_SHELL_ENV: '' }]],
    [bash, ['--norc'], {}, [['--posix', '--norc'], { ...login, ...noProfile }]],
    [bash, ['--norc', '-l'], {}, [['--posix', '--norc', '-l'], login]],
    [
      bash,
      ['--noprofile', '--norc', '-i'],
      {},
      [['--posix', '--noprofile', '--norc', '-i'], { ...login, ...noProfile }],
    ],
    [bash, ['--noprofile'], {}, [[...rcfile, '--noprofile'], {}]],
    [
      bash,
      ['--noprofile', '-l'],
      {},
      [['--posix', '--noprofile', '-l'], { ...login, ...noProfile }],
    ],
    [bash, ['--rcfile', 'mine', '-i'], {}, [[...rcfile, '-i'], { VTR_SHELL_RCFILE: 'mine' }]],
    ['/bin/zsh', [], {}, [[], zdotdir]],
    ['/bin/zsh', ['-l'], {}, [['-l'], zdotdir]],
    ['/bin/zsh', [], { ZDOTDIR: '/z' }, [[], { ...zdotdir, VTR_SHELL_ZDOTDIR: '/z' }]],
    ['/bin/zsh', ['-f'], {}, [[], { ...zdotdir, VTR_SHELL_NO_RCS: '1' }]],
    ['/bin/zsh', ['-fi', '-l'], {}, [['-i', '-l'], { ...zdotdir, VTR_SHELL_NO_RCS: '1' }]],
    ['/bin/fish', ['--login', '-i'], {}, [[...init, '--login', '-i'], {}]],
    ['/bin/fish', ['--no-config'], {}, [[...init, '--no-config'], {}]],
    ['/usr/bin/env', ['bash'], {}, [['bash', ...rcfile], {}]],
    ['env', ['A=1', 'nice', 'bash', '-l'], {}, [['A=1', 'nice', 'bash', '--posix', '-l'], login]],
    [
      'env',
      ['-u', 'POSIXLY_CORRECT', 'bash'],
      { POSIXLY_CORRECT: '' },
      [['-u', 'POSIXLY_CORRECT', 'bash', ...rcfile], {}],
    ],
    ['sh', ['-c', 'exec bash'], {}, [['-c', 'exec bash --rcfile /bash/rc.bash'], {}]],
  ])('%s %j %j', async (program, args, more, expected) => {
    expect(await change(program, args, more)).toEqual(expected);
  });

  it('never with the same key', async () => {
    const shell = { program: '/bin/fish', args: [], env };
    const both = await Promise.all([0, 1].map(() => integrateShell(shell, resolve)));
    const proofs = both.map((each) => ('proof' in each ? each.proof : expect.fail(each.reason)));
    proofs.map(removeKeyFile);
    expect(proofs[0]?.key).not.toBe(proofs[1]?.key);
  });
});

describe('left alone, with the reason', () => {
  it.each<[string, string[], Record<string, string>, string]>([
    [bash, ['-c', 'ls'], {}, 'bash was started with -c'],
    [bash, ['script.sh'], {}, 'bash was started with script.sh'],
    [bash, ['-'], {}, 'bash was started with -'],
    [bash, ['-s'], {}, 'bash was started with -s'],
    [bash, ['-ic', 'ls'], {}, 'bash was started with -ic'],
    [bash, ['--posix'], {}, 'bash was started with --posix'],
    [bash, ['+m'], {}, 'bash was started with +m'],
    [bash, ['-r'], {}, 'bash was started with -r'],
    [bash, [''], {}, 'bash was started with an empty argument'],
    [bash, [], { POSIXLY_CORRECT: '' }, 'the environment has POSIXLY_CORRECT'],
    [bash, [], { SHELLOPTS: 'posix' }, 'the environment has SHELLOPTS'],
    ['/bin/sh', [], {}, 'sh is not bash, zsh or fish'],
    ['/bin/rbash', [], {}, 'rbash is not bash, zsh or fish'],
    ['/no/such/bash', [], {}, 'the version of /no/such/bash is unknown'],
    ['/bin/zsh', ['-c', 'ls'], {}, 'zsh was started with -c'],
    ['/bin/zsh', ['script'], {}, 'zsh was started with script'],
    ['/bin/fish', ['-c', 'ls'], {}, 'fish was started with -c'],
    ['/bin/fish', ['script'], {}, 'fish was started with script'],
    ['/usr/bin/vim', [], {}, 'vim is not bash, zsh or fish'],
    ['fish', [], {}, 'fish was not found'],
    ['env', ['POSIXLY_CORRECT=', 'bash'], {}, 'the environment has POSIXLY_CORRECT'],
    ['env', ['ENV=x', 'bash', '-l'], {}, 'env sets or removes ENV'],
    ['env', ['-u', 'ZDOTDIR', 'zsh'], {}, 'env sets or removes ZDOTDIR'],
  ])('%s %j %j', async (program, args, more, reason) => {
    expect(await change(program, args, more)).toBe(reason);
  });

  it('is a bash that is too old, and one that has become so', async () => {
    const path = binary('bash', '4.4.0');
    expect(await change(path, [])).toEqual([rcfile, {}]);
    binary('bash', '4.3.48');
    expect(await change(path, [])).toBe(`${path} is older than bash 4.4`);
    writeFileSync(path, '#!/bin/sh\n');
    expect(await change(path, [])).toBe(`the version of ${path} is unknown`);
  });
});
