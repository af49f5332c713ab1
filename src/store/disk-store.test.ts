import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '#store';
import { FakeFiles } from '../../test/support/store/fake-files.ts';
import {
  change,
  directory,
  facts,
  foundIn,
  pass,
  saved,
  second,
  segments,
  settle,
  testStore,
  wholeIn,
} from '../../test/support/store/saved-sessions.ts';
import { replaceSmallFile } from './owner.ts';

describe('writing', () => {
  test('a session is written at most each 200 ms, and then its newest state', async () => {
    const files = new FakeFiles();
    const { store, clock } = testStore(files);
    store.save('a', change(0));
    await pass(clock, 100);
    const { count } = files;
    for (let number = 1; number <= 50; number += 1) store.save('a', change(number));
    await settle();
    // Only the mark that it is whole is removed.
    expect(files.count).toBe(count + 1);
    await pass(clock, 100);
    expect(files.count).toBeGreaterThan(count);
    expect(files.count).toBeLessThan(count + 15);
    expect((await foundIn(files)).get('a')?.state).toMatchObject({ offset: 50 });
  });

  test('a change can wait, with those that follow, but not if much waits', async () => {
    const files = new FakeFiles();
    const { store, clock } = testStore(files);
    store.save('a', change(1), 1_000);
    store.save('a', change(2));
    await pass(clock, 999);
    expect(files.paths).toEqual([]);
    await pass(clock, 1);
    expect((await foundIn(files)).get('a')?.state).toMatchObject({ offset: 2 });
    store.save('b', change(3), 60_000);
    await store.flush();
    store.save('c', change(4, { segments: segments(0, 9, 1024 * 1024) }), 60_000);
    await pass(clock, 1_000);
    expect([...(await foundIn(files)).keys()].sort()).toEqual(['a', 'b', 'c']);
  });

  test('a whole session that is on disk is not written again', async () => {
    const files = new FakeFiles();
    const { store } = testStore(files);
    const all = segments(0, 20, 1_000);
    store.save('a', change(0, { segments: all }));
    await store.flush();
    await store.close();
    const { bytes } = files;
    const { store: next } = testStore(files, second);
    next.save('a', change(1, { replaceFrom: 0, segments: [...all, ...segments(200, 1, 1_000)] }));
    await next.flush();
    expect(files.bytes - bytes).toBeLessThan(1_500);
    expect((await foundIn(files)).get('a')?.segments).toHaveLength(21);
  });

  test('nothing is written before there is something to save', async () => {
    const files = new FakeFiles();
    const { store } = testStore(files);
    await store.lost(new Set());
    await store.stopping();
    await store.close();
    expect(files.count).toBe(0);
  });

  test.each([
    ['its directory', `${directory}/a`, 'a small change'],
    ['its directory', `${directory}/a`, 'a change with lines'],
    ['the whole store', '/home/user/.local/state/vtr', 'a small change'],
    ['the whole store', '/home/user/.local/state/vtr', 'a change with lines'],
  ])(
    'a session is saved again after another program has removed %s (%s): %s',
    async (_what, path, kind) => {
      const files = new FakeFiles();
      const { store, clock, lines } = await saved(files, 'b');
      const gone: string[] = [];
      store.onGone((id) => gone.push(id));
      store.save('a', change(1, { segments: segments(0, 3, 1_000) }));
      await store.flush();
      await pass(clock, 1_000);
      files.drop(path);
      const more = kind === 'a small change' ? {} : { segments: segments(30, 1, 1_000) };
      store.save('a', change(2, more));
      await pass(clock, 1_000);
      expect(gone).toEqual(['a']);
      expect((await foundIn(files)).get('a')?.state).toMatchObject({ offset: 2 });
      expect(await wholeIn(files)).toMatchObject({ a: false });
      store.save('a', change(3, { replaceFrom: 0, segments: segments(0, 4, 1_000) }));
      await pass(clock, 1_000);
      const session = (await foundIn(files)).get('a');
      expect(session?.state).toMatchObject({ offset: 3 });
      expect(session?.segments).toHaveLength(4);
      expect(await wholeIn(files)).toMatchObject({ a: true });
      expect(store.state).toEqual({ state: 'disk' });
      expect(lines).toEqual([
        'saved files of session a were removed by another program; they are made again',
      ]);
      store.save('b', change(4));
      await pass(clock, 10_000);
      expect((await foundIn(files)).get('b')?.state).toMatchObject({ offset: 4 });
    },
  );

  test('a removed session leaves no file', async () => {
    const files = new FakeFiles();
    const { store } = await saved(files, 'a', 'b');
    store.remove('a');
    store.save('a', change(2));
    await store.flush();
    expect([...(await foundIn(files)).keys()]).toEqual(['b']);
    store.remove('b');
    await store.close();
    expect(files.paths).toEqual([]);
    expect(files.names(join(directory, '..'))).toEqual([]);
  });

  test('a removed session is not found if the daemon is killed now', async () => {
    const files = new FakeFiles();
    const { store, clock } = await saved(files, 'a', 'b');
    store.save('a', change(2, { segments: segments(0, 1, 10) }));
    clock.advance(200);
    store.remove('a');
    expect([...(await foundIn(files.afterKill())).keys()]).toEqual(['b']);
    await pass(clock, 1_000);
    expect(store.state).toEqual({ state: 'disk' });
    expect(files.paths.filter((path) => path.includes('/a'))).toEqual([]);
  });

  test('a session that an earlier daemon saved is removed, and others cause no file', async () => {
    const files = new FakeFiles();
    await saved(files, 'a', 'b');
    const { store } = testStore(files, second);
    store.remove('a');
    await store.flush();
    expect([...(await foundIn(files)).keys()]).toEqual(['b']);
    const { count } = files;
    store.remove('never-saved');
    await store.flush();
    expect(files.count).toBe(count);
  });

  test('removeAll removes everything', async () => {
    const files = new FakeFiles();
    const { store } = await saved(files, 'a', 'b');
    files.put(join(directory, 'a', 'unknown'), facts);
    store.save('a', change(2));
    await store.removeAll();
    expect(files.paths).toEqual([]);
    expect(files.names('/home/user/.local/state')).toEqual([]);
  });
});

describe('limits', () => {
  const limits = { maxSessionBytes: 100_000, maxStoreBytes: 400_000 };

  test('a session has at most its limit, and keeps its newest lines', async () => {
    const files = new FakeFiles();
    const { store, clock } = testStore(files, limits);
    for (let number = 0; number < 60; number += 1) {
      store.save('a', change(number, { segments: segments(number * 40, 4, 1_500) }));
      await pass(clock, 200);
      expect(files.bytesIn(join(directory, 'a'))).toBeLessThan(limits.maxSessionBytes + 1_000);
    }
    const session = (await foundIn(files)).get('a');
    expect(session?.segments.at(-1)?.to).toBe(2400);
    expect(session?.segments.length).toBeGreaterThan(30);
  });

  test('exited sessions are removed for others, the oldest first', async () => {
    const files = new FakeFiles();
    const { store, clock } = testStore(files, limits);
    for (const id of ['a', 'b', 'c', 'd']) {
      store.save(id, change(0, { segments: segments(0, 90, 1_000) }));
      await pass(clock, 1_000);
    }
    store.exited('c');
    await pass(clock, 1_000);
    store.exited('b');
    store.save('e', change(0, { segments: segments(0, 90, 1_000) }));
    await pass(clock, 1_000);
    expect([...(await foundIn(files)).keys()].sort()).toEqual(['a', 'b', 'd', 'e']);
    expect(files.bytes).toBeLessThan(limits.maxStoreBytes);
  });

  test('if all run, each has an equal share', async () => {
    const files = new FakeFiles();
    const { store, clock } = testStore(files, limits);
    for (let number = 0; number < 10; number += 1) {
      store.save(`a${number}`, change(0, { segments: segments(0, 90, 1_000) }));
      await pass(clock, 1_000);
      expect(files.bytes).toBeLessThan(limits.maxStoreBytes + limits.maxSessionBytes);
    }
    expect(files.bytes).toBeLessThan(limits.maxStoreBytes + 10_000);
    const sessions = [...(await foundIn(files)).values()];
    expect(sessions).toHaveLength(10);
    for (const each of sessions) expect(each.segments.at(-1)?.to).toBe(900);
  });
});

describe('a disk that cannot be written', () => {
  test('is reported until it can be written again', async () => {
    const files = new FakeFiles();
    const { store, clock, lines } = testStore(files);
    files.fault = { at: 3, kind: 'fail', code: 'ENOSPC' };
    store.save('a', change(0));
    await store.flush();
    expect(store.state).toEqual({ state: 'stopped', reason: expect.stringContaining('ENOSPC') });
    store.save('a', change(1));
    await pass(clock, 900);
    expect(store.state.state).toBe('stopped');
    await pass(clock, 200);
    expect(store.state).toEqual({ state: 'disk' });
    expect((await foundIn(files)).get('a')?.state).toMatchObject({ offset: 1 });
    expect(lines).toEqual([
      expect.stringMatching(/^sessions are not saved on disk: .*ENOSPC/),
      'sessions are saved on disk again',
    ]);
  });

  test('leaves sessions that are not whole, until they are written', async () => {
    const files = new FakeFiles();
    const { store, clock } = await saved(files, 'a', 'b');
    expect(await wholeIn(files)).toEqual({ a: true, b: true });
    const { create } = files;
    files.create = async () => {
      throw new Error('ENOSPC');
    };
    store.save('a', change(2));
    await pass(clock, 1_500);
    expect(store.state.state).toBe('stopped');
    expect(await wholeIn(files)).toEqual({ a: false, b: true });
    files.create = create;
    await pass(clock, 60_000);
    expect(await wholeIn(files)).toEqual({ a: true, b: true });
  });

  test('is tried again within 4 s if there are changes, and then for all sessions', async () => {
    const files = new FakeFiles();
    const { store, clock } = testStore(files);
    const { makeDirectory } = files;
    files.makeDirectory = async () => {
      throw new Error('ENOSPC');
    };
    store.save('a', change(0));
    store.save('b', change(0));
    await pass(clock, 40_000);
    files.makeDirectory = makeDirectory;
    store.save('a', change(1));
    await pass(clock, 4_000);
    expect(store.state).toEqual({ state: 'disk' });
    expect(await wholeIn(files)).toEqual({ a: true, b: true });
  });

  test('is not tried again after the end', async () => {
    const files = new FakeFiles();
    const { store, clock } = testStore(files);
    files.makeDirectory = async () => {
      throw new Error('EROFS');
    };
    store.save('a', change(0));
    await store.flush();
    expect(clock.pending).toBe(1);
    await store.close();
    expect(clock.pending).toBe(0);
  });

  test('is tried with growing pauses', async () => {
    const files = new FakeFiles();
    const { store, clock } = testStore(files);
    const times: number[] = [];
    files.makeDirectory = async () => {
      times.push(clock.nowMs());
      throw new Error('EROFS');
    };
    store.save('a', change(0));
    await pass(clock, 200_000);
    expect(times).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000, 63_000, 123_000, 183_000]);
  });
});

describe('a check', () => {
  const check = (files: FakeFiles, isAlive = true) =>
    checkStore({ directory, files, bootId: 'boot', isAlive: () => isAlive });

  test('names the process that uses the directory', async () => {
    const files = new FakeFiles();
    await saved(files, 'a');
    expect(check(files)).toEqual({ owner: 1, unreadable: [], damaged: [] });
    expect(check(files, false).owner).toBe(null);
    expect(check(new FakeFiles()).owner).toBe(null);
  });

  test.each([
    ['facts', 30],
    ['state', 30],
    ['segments-1', 0],
    ['segments-1', 100],
  ])('names a session with damage in %s at %i', async (name, at) => {
    const files = new FakeFiles();
    const { store } = await saved(files, 'a', 'b');
    store.save('b', change(2, { segments: segments(0, 3, 50) }));
    await store.flush();
    expect(check(files).unreadable).toEqual([]);
    const path = join(directory, 'b', name);
    const bytes = files.readSync(path);
    files.put(path, bytes.with(at, (bytes[at] ?? 0) ^ 1));
    const { count } = files;
    const [first, ...others] = check(files).unreadable;
    expect(path.startsWith(first?.path ?? '?')).toBe(true);
    expect(first?.path).toContain('/b');
    expect([others, files.count]).toEqual([[], count]);
  });

  test('names a directory that is a link', async () => {
    const files = new FakeFiles();
    await saved(files, 'a');
    files.links.add(join(directory, 'a'));
    expect(check(files).unreadable.map(({ path }) => path)).toEqual([join(directory, 'a')]);
  });
});

describe('the directory of another daemon', () => {
  test('that is alive is not touched', async () => {
    const files = new FakeFiles();
    const first = await saved(files, 'a');
    const before = files.count;
    const { store } = testStore(files, { ...second, isAlive: ({ pid }) => pid === 1 });
    expect((await store.lost(new Set())).sessions).toEqual([]);
    store.save('b', change(1));
    store.remove('a');
    await store.flush();
    expect(store.state).toEqual({ state: 'stopped', reason: `process 1 uses ${directory}` });
    await expect(store.removeAll()).rejects.toThrow('process 1 uses');
    await store.close();
    expect(files.paths.filter((path) => path.includes('/b/'))).toEqual([]);
    await first.store.close();
    expect(files.count).toBeGreaterThan(before);
    expect([...(await foundIn(files)).keys()]).toEqual(['a']);
  });

  test('that is dead, or of another start of the machine, is taken', async () => {
    const files = new FakeFiles();
    await saved(files, 'a');
    const dead = testStore(files, second).store;
    dead.save('b', change(1));
    await dead.flush();
    const reboot = { self: { pid: 3, start: 3 }, bootId: 'another', isAlive: () => true };
    const { store } = testStore(files, reboot);
    store.save('c', change(1));
    await store.flush();
    expect(store.state).toEqual({ state: 'disk' });
    expect([...(await foundIn(files)).keys()].sort()).toEqual(['a', 'b', 'c']);
  });
});

test('a file of the store that cannot be written leaves no temporary one', async () => {
  for (const at of [0, 1, 2, 3]) {
    const files = new FakeFiles();
    await files.makeDirectory('/store');
    files.fault = { at: files.count + at, kind: 'fail', code: 'ENOSPC' };
    await expect(replaceSmallFile(files, '/store/owner', {})).rejects.toThrow('ENOSPC');
    expect(files.names('/store')).toEqual([]);
  }
});
