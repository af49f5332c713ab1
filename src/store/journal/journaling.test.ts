import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '#base';
import type { SavedChange } from '#pty';
import { checkStore } from '#store';
import { FakeFiles } from '../../../test/support/store/fake-files.ts';
import { directory, pass, testStore } from '../../../test/support/store/saved-sessions.ts';
import { sealedLength } from '../sealed-file.ts';
import { settleMs } from './journaling.ts';

const change = (number: number, more: SavedChange = {}): SavedChange => ({
  facts: encodeUtf8(`facts ${number}`),
  state: { offset: number, steps: 0, bytes: encodeUtf8(`state ${number}`) },
  ...more,
});

const second = { self: { pid: 2, start: 2 } };

const journals = (files: FakeFiles) =>
  files.paths.filter((path) => /\/journal\.\d+$/.test(path)).map((path) => path.split('.').at(-1));

/** What the next daemon finds if this one is killed now. */
async function left(files: FakeFiles, ids: readonly string[] = []) {
  const next = testStore(files.afterKill(), second);
  const { sessions, skipped } = await next.store.lost(new Set(ids));
  const contents = sessions.map(({ id, isWhole, load }) => {
    const { facts, state, segments } = load();
    const lines = segments.map(({ from, to }) => [from, to]);
    return { id, isWhole, facts: decodeUtf8(facts), offset: state?.offset ?? null, lines };
  });
  return { ...next, found: contents, skipped };
}

/** Sessions in their own files, which change then. */
async function changed(ids: readonly string[], options = {}) {
  const files = new FakeFiles();
  const test = testStore(files, options);
  for (const id of ids) test.store.save(id, change(1));
  await test.store.flush();
  const { count } = files;
  for (const id of ids) test.store.save(id, change(2));
  await pass(test.clock, 300);
  return { ...test, files, operations: files.count - count };
}

const ids = Array.from({ length: 50 }, (_, at) => `s${at}`);

describe('a journal', () => {
  test('has the changes of many sessions with a few operations', async () => {
    const { files, store, clock, operations } = await changed(ids);
    // Their marks are removed once.
    expect(operations).toBeLessThan(ids.length + 10);
    const { count } = files;
    for (const id of ids) store.save(id, change(3));
    await pass(clock, 300);
    expect(files.count - count).toBeLessThan(10);
    const { found } = await left(files);
    expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(found.filter(({ isWhole, offset }) => isWhole && offset === 3)).toHaveLength(50);
  });

  test('is removed when its sessions do not change any more', async () => {
    const { files, clock } = await changed(['a', 'b']);
    expect(journals(files)).toEqual(['1']);
    await pass(clock, 2 * settleMs);
    expect(files.paths.filter((path) => path.includes('/journal'))).toEqual([]);
    const { found } = await left(files);
    expect(found.map(({ isWhole, offset }) => [isWhole, offset])).toEqual([
      [true, 2],
      [true, 2],
    ]);
    expect(clock.pending).toBe(0);
  });

  test('that is full is followed by another one, and removed', async () => {
    const { files, store, clock } = await changed(['a', 'b'], { maxJournalBytes: 2_000 });
    for (let number = 3; number < 40; number += 1) {
      store.save('a', change(number));
      store.save('b', change(number));
      await pass(clock, 300);
      expect(files.bytes).toBeLessThan(8_000);
    }
    expect(Number(journals(files).at(-1))).toBeGreaterThan(5);
    const { found } = await left(files);
    expect(found.map(({ offset }) => offset)).toEqual([39, 39]);
  });

  test('of a killed daemon is written to the files of its sessions, also of those that a host has', async () => {
    const { files } = await changed(['a', 'b', 'c']);
    const next = await left(files, ['b']);
    expect(next.found.map(({ id, offset }) => [id, offset])).toEqual([
      ['a', 2],
      ['c', 2],
    ]);
    await pass(next.clock, 1_000);
    const third = testStore(files, { self: { pid: 3, start: 3 } });
    await next.store.close();
    const { sessions } = await third.store.lost(new Set());
    expect(sessions.map(({ id, load }) => [id, load().state?.offset])).toEqual([
      ['a', 2],
      ['b', 2],
      ['c', 2],
    ]);
  });

  test('is older than what is written to the files of a session after it', async () => {
    const { files, store, clock } = await changed(['a', 'b']);
    const big = { from: 0, to: 10, bytes: new Uint8Array(100_000) };
    store.save('a', change(3, { segments: [big] }));
    await pass(clock, 300);
    const { found } = await left(files);
    expect(found).toContainEqual({
      id: 'a',
      isWhole: true,
      facts: 'facts 3',
      offset: 3,
      lines: [[0, 10]],
    });
    expect(journals(files)).toEqual(['1']);
  });

  test('does not bring back a session that was removed', async () => {
    const { files, store, clock } = await changed(['a', 'b']);
    store.remove('a');
    expect((await left(files)).found.map(({ id }) => id)).toEqual(['b']);
    await pass(clock, 1_000);
    expect((await left(files)).found.map(({ id }) => id)).toEqual(['b']);
  });

  test('keeps the time and the reason of the end of its sessions', async () => {
    const { files, clock } = await changed(['a']);
    const wallMs = clock.wallMs();
    const { store } = testStore(files.afterKill(), { ...second, bootId: 'another' });
    const [lost] = (await store.lost(new Set())).sessions;
    expect(lost?.endedBy).toBe('reboot');
    expect(lost?.savedAtMs).toBeGreaterThan(wallMs - 300);
  });

  test('with damage gives its other records, and its sessions are not whole', async () => {
    const { files } = await changed(['a', 'b', 'c']);
    const path = join(directory, 'journal.1');
    const bytes = files.readSync(path);
    const check = () => checkStore({ directory, files, bootId: 'boot', isAlive: () => true });
    expect(check().unreadable).toEqual([]);
    files.put(path, bytes.with(20, (bytes[20] ?? 0) ^ 1));
    expect(check().unreadable).toEqual([{ path, reason: 'it is damaged' }]);
    const { found, skipped } = await left(files);
    expect(skipped).toEqual([{ path, reason: 'it is damaged' }]);
    expect(found.map(({ id, isWhole, offset }) => [id, isWhole, offset])).toEqual([
      ['a', false, 1],
      ['b', false, 2],
      ['c', false, 2],
    ]);
    for (let end = 0; end < bytes.length; end += 7) {
      files.put(path, bytes.subarray(0, end));
      const cut = await left(files);
      expect(cut.skipped).toEqual([]);
      expect(cut.found.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
    }
  });

  test('of a later version is reported and left', async () => {
    const { files } = await changed(['a']);
    const path = join(directory, 'journal.1');
    files.put(path, files.readSync(path).with(4, 2));
    const reason = 'it has version 2 of the format, not 1';
    const { store } = testStore(files, second);
    expect((await store.lost(new Set())).skipped).toEqual([{ path, reason }]);
    store.save('a', change(3));
    await store.flush();
    store.save('a', change(4));
    await store.close();
    expect(journals(files)).toEqual(['1']);
  });

  test('that cannot be written does not delay its sessions', async () => {
    const { files, store, clock } = await changed(['a', 'b']);
    const { open } = files;
    files.open = async (path) => {
      if (path.includes('/journal.')) throw new Error('EIO');
      return open.call(files, path);
    };
    store.save('a', change(3));
    await pass(clock, 1_000);
    expect(store.state).toEqual({ state: 'disk' });
    expect(journals(files)).toEqual([]);
    const { found } = await left(files);
    expect(found.map(({ isWhole, offset }) => [isWhole, offset])).toEqual([
      [true, 3],
      [true, 2],
    ]);
  });

  test.each([
    ['its first byte', 0, 0x01],
    ['a length, which is beyond the end then', 11, 0x01],
    ['a length, which ends elsewhere then', 8, 0x20],
  ])(
    'with damage in the middle, of %s, is reported and gives its other records',
    async (_, offset, bits) => {
      const { files } = await changed(['a', 'b', 'c']);
      const path = join(directory, 'journal.1');
      const bytes = files.readSync(path);
      const at = (sealedLength(bytes, 0) ?? 0) + offset;
      files.put(path, bytes.with(at, (bytes[at] ?? 0) ^ bits));
      const problems = [{ path, reason: 'it is damaged' }];
      const check = { directory, files, bootId: 'boot', isAlive: () => true };
      expect(checkStore(check).unreadable).toEqual(problems);
      const { found, skipped } = await left(files);
      expect(skipped).toEqual(problems);
      expect(found.map(({ id, isWhole, offset: saved }) => [id, isWhole, saved]).sort()).toEqual([
        ['a', false, 2],
        ['b', false, 1],
        ['c', false, 2],
      ]);
    },
  );

  test.each(['EMFILE', 'EIO', 'EACCES'])(
    'that the system cannot read is kept aside, and reported: %s',
    async (code) => {
      const { files } = await changed(['a', 'b']);
      const after = files.afterKill();
      const path = join(directory, 'journal.1');
      const aside = `${path}.unread`;
      const { readSync } = after;
      const content = after.readSync(path);
      const read = vi.spyOn(after, 'readSync').mockImplementation((each) => {
        if (each === path) throw new Error(`${code}: ${path}`);
        return readSync.call(after, each);
      });
      const { store, clock } = testStore(after, second);
      const { sessions, skipped } = await store.lost(new Set());
      read.mockRestore();
      expect(skipped).toEqual([{ path, reason: `${code}: ${path}` }]);
      expect(sessions.map(({ id, isWhole }) => [id, isWhole]).sort()).toEqual([
        ['a', false],
        ['b', false],
      ]);
      store.save('c', change(1));
      await store.flush();
      store.save('c', change(2));
      await pass(clock, 300);
      expect(journals(after)).toEqual(['2']);
      expect(after.readSync(aside)).toEqual(content);
      const check = { directory, files: after, bootId: 'boot', isAlive: () => true };
      expect(checkStore(check).unreadable).toEqual([
        { path: aside, reason: expect.stringContaining('the system could not read it') },
      ]);
    },
  );
});
