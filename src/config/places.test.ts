import { once } from 'node:events';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tree } from '../../test/support/tree.ts';
import { defaultSocket } from './default-socket.ts';
import { expandPath } from './expand-path.ts';
import { expandHome } from './places.ts';
import { ensurePrivateFolder, folderProblem } from './private-folder.ts';
import { checkSocketPath, resolveSocket } from './socket-path.ts';

describe('defaultSocket', () => {
  const uid = process.getuid?.() ?? 0;
  const none = { uid: uid + 1, runFolder: '/no/such', userFolders: '/no/such' };
  const env = { HOME: '/home/me' };

  it('is what VTR_SOCKET says, before all else', () => {
    expect(defaultSocket({ env: { ...env, VTR_SOCKET: '/x/y.sock', XDG_RUNTIME_DIR: '/z' } })).toBe(
      '/x/y.sock',
    );
  });

  it('is in /var/run for root alone, where it may write', () => {
    const runFolder = tree();
    const root = { ...none, runFolder, uid: 0 };
    expect(defaultSocket({ env }, root)).toBe(join(runFolder, 'vtr.sock'));
    expect(defaultSocket({ env }, { ...root, uid: 1 })).toBe('/home/me/.vtr/default.sock');
    expect(defaultSocket({ env }, { ...root, runFolder: '/no/such' })).toBe(
      '/home/me/.vtr/default.sock',
    );
  });

  it('is the same with and without XDG_RUNTIME_DIR', () => {
    const userFolders = tree();
    const own = join(userFolders, String(uid));
    mkdirSync(own);
    const system = { ...none, uid: uid === 0 ? 0 : uid, userFolders };
    const expected = join(own, 'vtr/default.sock');
    expect(defaultSocket({ env: { ...env, XDG_RUNTIME_DIR: own } }, system)).toBe(expected);
    expect(defaultSocket({ env }, system)).toBe(expected);
    expect(defaultSocket({ env: { ...env, XDG_RUNTIME_DIR: '' } }, system)).toBe(expected);
  });
});

describe('expandPath', () => {
  async function sockets(...paths: readonly string[]): Promise<string> {
    const root = tree({ 'file.sock': '', 'b/other.txt': '' });
    for (const path of paths) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      const server = createServer().listen(join(root, path));
      onTestFinished(() => void server.close());
      await once(server, 'listening');
    }
    return root;
  }

  it.each([
    ['*.sock', ['a.sock', 'b.sock']],
    ['?.sock', ['a.sock', 'b.sock']],
    ['[ac].sock', ['a.sock']],
    ['[!a].sock', ['b.sock']],
    ['*/vtr.sock', ['b/vtr.sock', 'c/vtr.sock']],
    ['b/*', ['b/vtr.sock']],
    ['.*.sock', ['.h.sock']],
    ['a.s[o', []],
    ['none/*.sock', []],
  ])('of %s: the sockets that it names', async (glob, expected) => {
    const root = await sockets('a.sock', 'b.sock', '.h.sock', 'b/vtr.sock', 'c/vtr.sock');
    expect(expandPath(join(root, glob))).toEqual(expected.map((path) => join(root, path)));
  });

  it('gives a plain path back, whether or not it is there', () => {
    expect(expandPath('/no/such.sock')).toEqual(['/no/such.sock']);
  });
});

describe('expandHome', () => {
  it('knows ~ and ~/, as shells do, and nothing else', () => {
    const place = { env: { HOME: '/home/me' } };
    expect(['~', '~/a', '~you/a', '/~/a'].map((path) => expandHome(path, place))).toEqual([
      '/home/me',
      '/home/me/a',
      '~you/a',
      '/~/a',
    ]);
  });
});

describe('a private folder', () => {
  it('is made for the user alone, with those around it', () => {
    const folder = join(tree(), 'a/b');
    const umask = process.umask(0o777);
    try {
      ensurePrivateFolder(join(folder, '..'));
    } finally {
      process.umask(umask);
    }
    ensurePrivateFolder(folder);
    expect(folderProblem(folder)).toBeNull();
  });

  it('is refused when others may put things there, or when it leads elsewhere', () => {
    const open = tree();
    chmodSync(open, 0o770);
    expect(folderProblem(open)?.fix).toContain(`chmod 700 ${open}`);
    const link = join(tree(), 'link');
    symlinkSync(open, link);
    expect(folderProblem(link)?.problem).toContain('symbolic link');
    expect(folderProblem('/tmp')?.fix).not.toContain('chmod');
  });
});

describe('checkSocketPath', () => {
  it('counts bytes, not characters', () => {
    expect(checkSocketPath(`/${'x'.repeat(102)}`)).toHaveLength(103);
    expect(() => checkSocketPath(`/${'x'.repeat(103)}`)).toThrow('104 bytes');
    expect(() => checkSocketPath(`/${'ä'.repeat(52)}`)).toThrow('105 bytes');
    expect(() => checkSocketPath('/a\0b')).toThrow('NUL');
  });
});

describe('resolveSocket', () => {
  it.each(['ssh://gpu1', 'unix:///run/x.sock', 'exec:ssh gpu1 vtr', './a://b'])(
    'refuses the address %s',
    (address) => {
      expect(() => resolveSocket(address, '/')).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARGUMENT',
          message: `unsupported address ${address}; give the path of a Unix socket`,
        }),
      );
    },
  );

  it.each([
    ['a.sock', '/d/a.sock'],
    ['/x/y.sock', '/x/y.sock'],
    ['./exec:a', '/d/exec:a'],
    ['host:22', '/d/host:22'],
  ])('resolves the path %s', (path, expected) => {
    expect(resolveSocket(path, '/d')).toBe(expected);
  });
});
