import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wordOrQuoted } from '#base';
import { tree } from '../../test/support/tree.ts';
import {
  checkSocketPath,
  defaultSocket,
  nameOfPlace,
  ownSocket,
  plainSocket,
  resolvePlace,
  resolveSocket,
  unusedDirectories,
} from './socket-paths.ts';

describe('plainSocket', () => {
  const settings = (text: string) => tree({ 'vtr/server.toml': text });

  it.each([
    ['an absolute VTR_SOCKET', () => ({ VTR_SOCKET: '/x/../y.sock' })],
    ['no file of settings', () => ({ XDG_CONFIG_HOME: tree() })],
    ['settings about something else', () => ({ XDG_CONFIG_HOME: settings('default_rows = 30') })],
  ])('is that of ownSocket: %s', async (_what, variables) => {
    const user = { env: { HOME: tree(), ...variables() } };
    expect(plainSocket(user)).toBe(await ownSocket(user));
  });

  it.each([
    ['an address', () => ({ VTR_SOCKET: 'ssh://host' })],
    ['a path that is not absolute', () => ({ VTR_SOCKET: './a.sock' })],
    ['a path that is too long', () => ({ VTR_SOCKET: `/${'x'.repeat(104)}` })],
    ['a path in the settings', () => ({ XDG_CONFIG_HOME: settings('socket_path = "/x.sock"') })],
    ['a key with escapes', () => ({ XDG_CONFIG_HOME: settings('"s\\u006fcket_path" = "/x"') })],
    [
      'settings that cannot be read',
      () => ({ XDG_CONFIG_HOME: tree({ 'vtr/server.toml/a': '' }) }),
    ],
  ])('is left to more code: %s', (_what, variables) => {
    expect(plainSocket({ env: { HOME: tree(), ...variables() } })).toBeNull();
  });
});

describe('defaultSocket', () => {
  const uid = process.getuid?.() ?? 0;
  const none = { uid: uid + 1, runDirectory: '/no/such', userDirectories: '/no/such' };
  const env = { HOME: '/home/me' };

  it('is VTR_SOCKET if set', () => {
    expect(defaultSocket({ env: { ...env, VTR_SOCKET: '/x/y.sock', XDG_RUNTIME_DIR: '/z' } })).toBe(
      '/x/y.sock',
    );
  });

  it('is in /var/run for root only, if that is writable', () => {
    const runDirectory = tree();
    const root = { ...none, runDirectory, uid: 0 };
    expect(defaultSocket({ env }, root)).toBe(join(runDirectory, 'vtr.sock'));
    expect(defaultSocket({ env }, { ...root, uid: 1 })).toBe('/home/me/.vtr/default.sock');
    expect(defaultSocket({ env }, { ...root, runDirectory: '/no/such' })).toBe(
      '/home/me/.vtr/default.sock',
    );
  });

  it('is in XDG_RUNTIME_DIR if no other user can write there, for root too', () => {
    const runDirectory = tree();
    const [own, open] = [tree(), tree()];
    chmodSync(open, 0o1777);
    const at = (directory: string, system: Parameters<typeof defaultSocket>[1]) =>
      defaultSocket({ env: { ...env, XDG_RUNTIME_DIR: directory } }, system);
    const mine = { ...none, uid };
    expect(at(own, mine)).toBe(join(own, 'vtr/default.sock'));
    expect(at(join(own, 'new'), mine)).toBe(join(own, 'new/vtr/default.sock'));
    for (const directory of [open, join(open, 'new'), '/etc/passwd', 'relative']) {
      expect(at(directory, mine)).toBe('/home/me/.vtr/default.sock');
    }
    // The directory belongs to another user.
    expect(at(own, none)).toBe('/home/me/.vtr/default.sock');
    if (uid !== 0) return;
    const root = { ...none, runDirectory, uid: 0 };
    expect(at(own, root)).toBe(join(own, 'vtr/default.sock'));
    expect(at(open, root)).toBe(join(runDirectory, 'vtr.sock'));
    // The directory of the system is not there without a login.
    const userDirectories = tree();
    mkdirSync(join(userDirectories, '0'));
    expect(at(join(userDirectories, '0'), { ...root, userDirectories })).toBe(
      join(runDirectory, 'vtr.sock'),
    );
  });

  it('is the same with and without XDG_RUNTIME_DIR', () => {
    const userDirectories = tree();
    const own = join(userDirectories, String(uid));
    mkdirSync(own);
    const system = { ...none, uid: uid === 0 ? 0 : uid, userDirectories };
    const expected = join(own, 'vtr/default.sock');
    expect(defaultSocket({ env: { ...env, XDG_RUNTIME_DIR: own } }, system)).toBe(expected);
    expect(defaultSocket({ env }, system)).toBe(expected);
    expect(defaultSocket({ env: { ...env, XDG_RUNTIME_DIR: '' } }, system)).toBe(expected);
  });
});

describe('directories that are not used', () => {
  it('are named with the variable and the reason', () => {
    const [own, open] = [tree(), tree()];
    chmodSync(open, 0o777);
    const of = (env: Record<string, string>) => unusedDirectories({ env: { HOME: own, ...env } });
    expect(
      of({ XDG_RUNTIME_DIR: own, XDG_STATE_HOME: own, XDG_CACHE_HOME: join(own, 'new') }),
    ).toEqual([]);
    expect(
      of({
        XDG_RUNTIME_DIR: open,
        XDG_STATE_HOME: join(open, 'a'),
        XDG_CACHE_HOME: 'relative',
        TMPDIR: open,
      }),
    ).toEqual([
      `XDG_RUNTIME_DIR is not used: other users can write to ${open}`,
      ...['XDG_STATE_HOME', 'TMPDIR'].map(
        (name) => `${name} is not used: other users can write to the directory ${open} (mode 777)`,
      ),
    ]);
    expect(of({ XDG_RUNTIME_DIR: open, VTR_SOCKET: '/x/y.sock' })).toEqual([]);
    expect(of({ HOME: open })).toEqual([
      `HOME is not used: other users can write to the directory ${open} (mode 777)`,
    ]);
  });
});

describe('checkSocketPath', () => {
  it('counts bytes, not characters', () => {
    expect(checkSocketPath(`/${'x'.repeat(102)}`)).toHaveLength(103);
    expect(() => checkSocketPath(`/${'x'.repeat(103)}`)).toThrow('104 bytes');
    expect(() => checkSocketPath(`/${'ä'.repeat(52)}`)).toThrow('105 bytes');
    expect(() => checkSocketPath('/a\0b')).toThrow('"/a\\u0000b" contains a control character');
  });
});

describe('socket address', () => {
  describe('resolveSocket', () => {
    it.each(['ssh://gpu1', 'unix:///run/x.sock', 'exec:ssh gpu1 vtr', './a://b'])(
      'refuses the address %s',
      (address) => {
        expect(() => resolveSocket(address, '/')).toThrow(
          expect.objectContaining({
            code: 'INVALID_ARGUMENT',
            message: `an address cannot be used here: ${wordOrQuoted(address)}; give the path of a Unix socket`,
          }),
        );
      },
    );

    it('refuses an empty path', () => {
      expect(() => resolveSocket('', '/')).toThrow('the path is empty');
    });

    it.each([
      ['a.sock', '/d/a.sock'],
      ['/x/y.sock', '/x/y.sock'],
      ['./exec:a', '/d/exec:a'],
      ['host:22', '/d/host:22'],
    ])('resolves the path %s', (path, expected) => {
      expect(resolveSocket(path, '/d')).toBe(expected);
    });
  });

  it('a place is a path or an address, which have names', () => {
    expect(resolvePlace('ssh://me@gpu1:22/', '/d')).toBe('ssh://me@gpu1:22');
    expect(resolvePlace('a.sock', '/d')).toBe('/d/a.sock');
    expect(nameOfPlace('ssh://me@gpu1')).toBe('gpu1');
    expect(nameOfPlace('/d/ci.sock')).toBe('ci');
    expect(() => resolvePlace('ssh://-x')).toThrow('begins with -');
  });
});
