import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { thisUser } from '#trust';
import { needs, provided } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import { integrateShell } from './integrate-shell.ts';
import { createKey, removeLeftKeyFiles } from './key-file.ts';
import { keyText } from './mark-proof.ts';

function directory(path: string, mode: number): string {
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
}

describe('the key of a shell', () => {
  it('is in the first directory that can be used', () => {
    const root = tree({ file: '' });
    const open = directory(join(root, 'open'), 0o777);
    const last = directory(join(root, 'last'), 0o700);
    const key = createKey([join(root, 'none'), join(root, 'file'), open, last]);
    if ('reason' in key) expect.fail(key.reason);
    expect(dirname(key.keyFile)).toBe(last);
    expect(readFileSync(key.keyFile, 'latin1')).toBe(keyText(key.key));
    expect(readdirSync(open)).toEqual([]);
  });

  provided(thisUser().uid === 0, 'only as root: changes the owner of a directory')(
    'is not in a directory of another user, who could replace it even if the directory is sticky',
    () => {
      const shared = directory(join(tree({}), 'shared'), 0o1777);
      chownSync(shared, 12_345, 12_345);
      mkdirSync(join(shared, 'own'), { mode: 0o700 });
      const problem = `${shared} belongs to user 12345, who could replace what is in it`;
      for (const each of [shared, join(shared, 'own')])
        expect(createKey([each])).toEqual({ reason: problem });
    },
  );

  describe.each(['bash', 'zsh', 'fish'])('%s', (program) => {
    needs(program)('executes nothing of a file that is not a key', async () => {
      const home = tree({});
      const resolve = async () => `/usr/bin/${program}`;
      const env = { HOME: home, PATH: '/usr/bin:/bin' };
      const shell = await integrateShell({ program, args: [], env }, resolve);
      if ('reason' in shell) expect.fail(shell.reason);
      const [, ...others] = keyText(shell.proof.key).trim().split(' ');
      const mark = join(home, 'executed');
      writeFileSync(shell.proof.keyFile, `${[`a[$(>${mark})]`, ...others].join(' ')}\n`);
      // fish reads no socket, as `input` would be.
      const piped = [
        '-c',
        'printf \'echo it-works\\nexit\\n\' | "$0" "$@"',
        program,
        ...shell.args,
        '-i',
      ];
      const { stdout, status, stderr } = spawnSync('/bin/sh', piped, {
        env: { ...env, TERM: 'xterm', ...shell.env },
        cwd: home,
        encoding: 'utf8',
      });
      expect([status, stdout], stderr).toEqual([0, expect.stringContaining('it-works')]);
      expect(existsSync(mark)).toBe(false);
      expect(stdout).not.toContain('nonce=');
    });
  });

  it('says why the first directory cannot be used if none can', () => {
    const root = tree({});
    const open = directory(join(root, 'open'), 0o777);
    expect(createKey([join(root, 'none'), open])).toEqual({
      reason: expect.stringMatching(
        /\/none cannot be |\/none\/vtr-shell-key-\w+ cannot be written/,
      ),
    });
    expect(createKey([open])).toEqual({
      reason: `other users can write to the directory ${open} (mode 777)`,
    });
  });

  it.each(['/dev/null/none', 'relative'])('is elsewhere with TMPDIR=%s', async (unusable) => {
    const own = directory(join(tree({}), 'run'), 0o700);
    vi.stubEnv('TMPDIR', unusable).stubEnv('XDG_RUNTIME_DIR', own);
    onTestFinished(() => void vi.unstubAllEnvs());
    const resolve = async (program: string) => program;
    const shell = await integrateShell({ program: '/bin/fish', args: [], env: {} }, resolve);
    expect('proof' in shell && 'keyFile' in shell.proof && dirname(shell.proof.keyFile)).toBe(own);
  });

  it('is removed after an hour if it was left, and nothing else', () => {
    const root = tree({});
    const name = (digit: string) => `vtr-shell-key-${digit.repeat(16)}`;
    for (const each of [name('a'), name('b'), `${name('c')}.txt`, 'other'])
      writeFileSync(join(root, each), 'x');
    writeFileSync(join(root, name('d')), 'x'.repeat(2_000));
    mkdirSync(join(root, name('e')));
    symlinkSync(join(root, 'other'), join(root, name('f')));
    const now = Date.now();
    const later = now / 1_000 + 7_200;
    utimesSync(join(root, name('b')), later, later);
    removeLeftKeyFiles(now + 7_000_000, [root, join(root, 'none')]);
    expect(readdirSync(root).sort()).toEqual(
      ['other', name('b'), `${name('c')}.txt`, name('d'), name('e'), name('f')].sort(),
    );
  });
});
