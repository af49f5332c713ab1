import {
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encodeUtf8 } from '#base';
import type { SavedChange } from '#pty';
import { openStore, type SessionStore } from '#store';
import { provided } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { removeTree } from './session-files.ts';
import { systemFiles } from './store-files.ts';

const change = {
  facts: encodeUtf8('facts'),
  state: { offset: 1, bytes: encodeUtf8('state') },
  segments: [{ from: 0, to: 1, bytes: encodeUtf8('line') }],
} as unknown as SavedChange;

describe('files on disk', () => {
  let base = '';
  let directory = '';
  let lines: string[] = [];
  const open = (): SessionStore =>
    openStore({
      directory,
      clock: new VirtualClock(),
      bootId: 'boot',
      self: { pid: 1, start: 1 },
      isAlive: () => false,
      log: (line) => void lines.push(line),
    });

  beforeEach(() => {
    lines = [];
    base = mkdtempSync(join(tmpdir(), 'vtr-store-'));
    directory = join(base, 'state', 'vtr', 'abc');
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const saved = async (): Promise<SessionStore> => {
    const store = open();
    store.save('a', change);
    await store.flush();
    return store;
  };

  test('are found again, and are readable by the user alone', async () => {
    const store = await saved();
    const { sessions } = await open().lost(new Set());
    expect(sessions[0]?.load()).toEqual(change);
    const modes = ['', 'a', 'owner', 'a/facts', 'a/state', 'a/segments-1'].map((name) => {
      return (statSync(join(directory, name)).mode & 0o777).toString(8);
    });
    expect(modes).toEqual(['700', '700', '600', '600', '600', '600']);
    expect(statSync(join(directory, '..')).mode & 0o777).toBe(0o700);
    await store.removeAll();
    expect(readdirSync(join(base, 'state'))).toEqual([]);
  });

  test('permissions of others on a directory are removed', async () => {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    await saved();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('symbolic links are not followed', async () => {
    const elsewhere = join(base, 'elsewhere');
    mkdirSync(elsewhere);
    mkdirSync(directory, { recursive: true });
    symlinkSync(elsewhere, join(directory, 'a'));
    const store = await saved();
    expect(store.state).toEqual({ state: 'disk' });
    expect(lines).toEqual([
      `session a is not saved on disk: ${join(directory, 'a')} is a symbolic link`,
    ]);
    const { sessions, skipped } = await open().lost(new Set());
    expect(sessions).toEqual([]);
    expect(skipped[0]?.reason).toContain('is a symbolic link');
    store.remove('a');
    await store.flush();
    expect(lstatSync(elsewhere).isDirectory()).toBe(true);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('a link in place of a file of a session does not stop the others', async () => {
    const store = await saved();
    for (const name of ['state', 'segments-1']) rmSync(join(directory, 'a', name));
    symlinkSync(base, join(directory, 'a', 'state'));
    symlinkSync(join(base, 'none'), join(directory, 'a', 'segments-1'));
    store.save('a', { segments: [{ from: 1, to: 2, bytes: encodeUtf8('more') }] });
    await store.flush();
    store.save('b', change);
    await store.flush();
    expect(store.state).toEqual({ state: 'disk' });
    const { sessions } = await open().lost(new Set());
    expect(sessions.map(({ id, isWhole }) => [id, isWhole])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    expect(readdirSync(base)).toEqual(['state']);
  });

  test('a file in place of the directory stops it', async () => {
    mkdirSync(join(base, 'state'));
    symlinkSync('/nowhere', join(base, 'state', 'vtr'));
    const { state } = await saved();
    expect(state).toEqual({ state: 'stopped', reason: expect.stringContaining('symbolic link') });
  });

  const isRoot = process.getuid?.() === 0;

  provided(isRoot, 'only as root')('a directory of another user stops it', async () => {
    mkdirSync(directory, { recursive: true });
    chownSync(directory, 12345, 12345);
    const { state } = await saved();
    expect(state.reason).toContain('belongs to user 12345');
    expect(readdirSync(directory)).toEqual([]);
  });
});

test('a tree is removed where unlink of a directory fails as under Deno', async () => {
  const directory = tree({ one: '1', 'two/three/four': '4' });
  await removeTree(
    {
      ...systemFiles,
      async remove(path) {
        if (!lstatSync(path).isDirectory()) return systemFiles.remove(path);
        if (readdirSync(path).length === 0) return systemFiles.removeDirectory(path);
        throw Object.assign(new Error('ENOTEMPTY'), { code: 'ENOTEMPTY' });
      },
    },
    join(directory, 'two'),
  );
  expect(readdirSync(directory)).toEqual(['one']);
});
