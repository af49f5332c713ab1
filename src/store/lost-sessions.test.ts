import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '#base';
import { checkStore, clearStore } from '#store';
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
import { maxLostMs } from './port.ts';
import { ForeignFile } from './store-files.ts';

describe('lost sessions', () => {
  const ends = async (files: FakeFiles, bootId: string) => {
    const { store } = testStore(files, { ...second, bootId });
    return (await store.lost(new Set())).sessions.map(({ id, endedBy }) => [id, endedBy]);
  };

  test('are those that no host has', async () => {
    const files = new FakeFiles();
    await saved(files, 'a', 'b', 'c');
    const { sessions } = await testStore(files, second).store.lost(new Set(['b']));
    expect(sessions.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(sessions[0]?.facts).toEqual(facts);
  });

  test('are not whole if a change waited to be written', async () => {
    const files = new FakeFiles();
    const { store, clock } = testStore(files);
    store.save('a', change(1));
    await store.flush();
    expect(await wholeIn(files)).toEqual({ a: true });
    store.save('a', change(2));
    await settle();
    expect(await wholeIn(files)).toEqual({ a: false });
    await pass(clock, 200);
    expect(await wholeIn(files)).toEqual({ a: true });
  });

  test('ended with their host, or at a restart of the machine, or when the daemon was stopped', async () => {
    const files = new FakeFiles();
    const { store } = await saved(files, 'a');
    expect(await ends(files, 'boot')).toEqual([['a', 'host_lost']]);
    expect(await ends(files, 'another boot')).toEqual([['a', 'reboot']]);
    await store.stopping();
    expect(await ends(files, 'boot')).toEqual([['a', 'stopped']]);
    expect(await ends(files, 'another boot')).toEqual([['a', 'reboot']]);
    const { store: next } = testStore(files, second);
    next.save('a', change(2));
    await next.flush();
    expect(await ends(files, 'boot')).toEqual([['a', 'host_lost']]);
  });

  test('that are saved again keep the time and the reason of their end', async () => {
    const files = new FakeFiles();
    await saved(files, 'a');
    const next = testStore(files, { ...second, bootId: 'another boot' });
    const [before] = (await next.store.lost(new Set())).sessions;
    next.clock.advance(5_000);
    next.store.save('a', { facts: encodeUtf8('renamed') });
    await next.store.flush();
    const third = testStore(files, { self: { pid: 3, start: 3 }, bootId: 'another boot' });
    const [after] = (await third.store.lost(new Set())).sessions;
    const { savedAtMs, endedBy } = before ?? {};
    expect(after).toMatchObject({ savedAtMs, endedBy, facts: encodeUtf8('renamed') });
    expect(endedBy).toBe('reboot');
  });

  test('are removed when they are too many or too old', async () => {
    const files = new FakeFiles();
    const ids = Array.from({ length: 12 }, (_, at) => `s${at}`);
    await saved(files, ...ids);
    const next = testStore(files, { ...second, maxLost: 10 });
    const { sessions } = await next.store.lost(new Set());
    expect(sessions.map(({ id }) => id)).toEqual(ids.slice(2));
    await next.store.flush();
    expect((await foundIn(files)).size).toBe(10);
    const later = testStore(files, second);
    later.clock.advance(maxLostMs + 10_000);
    expect((await later.store.lost(new Set())).sessions.map(({ id }) => id)).toEqual([
      's10',
      's11',
    ]);
  });

  test('files of a later version are reported and left', async () => {
    const files = new FakeFiles();
    await saved(files, 'a', 'b');
    for (const [id, name] of [
      ['a', 'facts'],
      ['b', 'state'],
    ] as const) {
      const path = join(directory, id, name);
      const bytes = files.readSync(path);
      bytes[4] = 2;
      files.put(path, bytes);
    }
    const before = files.paths;
    const { store, lines } = testStore(files, second);
    const { sessions, skipped } = await store.lost(new Set());
    await store.close();
    expect(lines[0]).toBe(`cannot read ${directory}/a: it has version 2 of the format, not 1`);
    expect(sessions).toEqual([]);
    expect(skipped.map(({ reason }) => reason)).toEqual([
      'it has version 2 of the format, not 1',
      'it has version 2 of the format, not 1',
    ]);
    expect(files.paths.filter((path) => !path.includes('notice'))).toEqual(before);
    const reason = 'it has version 2 of the format, not 1';
    expect(store.damaged).toEqual(
      ['a', 'b'].map((id) => ({ path: join(directory, id), reason, isKept: true })),
    );
  });

  test('a session whose directory is a link or a file does not stop the store', async () => {
    const files = new FakeFiles();
    await saved(files, 'a', 'b');
    const link = join(directory, 'a');
    const { makeDirectory } = files;
    files.makeDirectory = async (path) => {
      if (path === link) throw new ForeignFile(`${path} is a symbolic link`);
      return makeDirectory.call(files, path);
    };
    files.links.add(link);
    const next = testStore(files, second);
    const { sessions, skipped } = await next.store.lost(new Set());
    expect(sessions.map(({ id }) => id)).toEqual(['b']);
    const unlisted = [{ path: link, reason: `${link} is a symbolic link` }];
    expect(skipped).toEqual(unlisted);
    expect(next.store.damaged).toEqual([{ ...unlisted[0], isKept: true }]);
    next.store.save('a', change(2));
    next.store.save('b', change(2));
    await pass(next.clock, 1_000);
    expect(next.store.state).toEqual({ state: 'disk' });
    expect(next.lines.at(-1)).toBe(`session a is not saved on disk: ${link} is a symbolic link`);
    expect((await foundIn(files)).get('b')?.state).toMatchObject({ offset: 2 });
  });

  test('remnants of a crash are removed', async () => {
    const files = new FakeFiles();
    await saved(files, 'a');
    files.put(join(directory, 'b', 'facts.tmp'), facts);
    files.put(join(directory, 'c.removed', 'facts'), facts);
    await files.makeDirectory(join(directory, 'b'));
    await files.makeDirectory(join(directory, 'c.removed'));
    const { sessions, skipped } = await testStore(files, second).store.lost(new Set());
    expect(sessions.map(({ id }) => id)).toEqual(['a']);
    expect(skipped).toEqual([]);
    expect([...files.names(directory)].sort()).toEqual(['a', 'owner']);
  });

  test('a session that is damaged is noticed once, and stays until the store is cleared', async () => {
    const files = new FakeFiles();
    await saved(files, 'a', 'b', 'c');
    for (const id of ['a', 'b']) files.put(join(directory, id, 'facts'), encodeUtf8('damaged'));
    const notice = join(directory, 'damaged.notice');
    const next = testStore(files, second);
    const paths = [join(directory, 'a'), join(directory, 'b')];
    const expected = paths.map((path) => ({ path, reason: 'it is truncated' }));
    const { sessions } = await next.store.lost(new Set());
    expect(sessions.map(({ id }) => id)).toEqual(['c']);
    expect(next.store.damaged).toEqual(expected);
    expect(JSON.parse(decodeUtf8(files.readSync(notice)))).toEqual({ sessions: 2 });
    await next.store.close();

    await files.remove(notice);
    const third = testStore(files, { self: { pid: 3, start: 3 } });
    await third.store.lost(new Set());
    expect(files.paths).not.toContain(notice);
    const checked = checkStore({ directory, files, bootId: 'boot', isAlive: () => true });
    expect(checked.damaged).toEqual(expected);

    const readIds = async () => new Set(['b']);
    const { removed } = await clearStore({ directory, files }, readIds);
    expect(removed).toEqual([join(directory, 'a')]);
    expect(third.store.damaged).toEqual(expected.slice(1));
    const rest = await clearStore({ directory, files }, async () => new Set());
    expect(rest).toEqual({ removed: paths.slice(1), unread: [] });
    expect(third.store.damaged).toEqual([]);
    expect((await foundIn(files)).has('c')).toBe(true);
  });

  test('a session that cannot be read is noticed once, with the reason, until it can', async () => {
    const files = new FakeFiles();
    await saved(files, 'a', 'b');
    const link = join(directory, 'a');
    const notice = join(directory, 'damaged.notice');
    const read = () => JSON.parse(decodeUtf8(files.readSync(notice)));
    const started = (pid: number) => testStore(files, { self: { pid, start: pid } }).store;
    files.links.add(link);
    const before = files.paths.filter((path) => path.startsWith(link));
    await started(2).lost(new Set());
    const reason = `${link} is a symbolic link`;
    expect(read()).toEqual({ sessions: 0, unreadable: 1, reason });
    // Nothing is written where the link leads.
    expect(files.paths.filter((path) => path.startsWith(`${link}/`))).toEqual(before);
    files.put(join(directory, 'b', 'facts'), encodeUtf8('damaged'));
    await started(3).lost(new Set());
    expect(read()).toEqual({ sessions: 1, unreadable: 1, reason });

    await files.remove(notice);
    await started(4).lost(new Set());
    expect(files.paths).not.toContain(notice);
    files.links.delete(link);
    const { sessions } = await started(5).lost(new Set());
    expect(sessions.map(({ id }) => id)).toEqual(['a']);
    files.links.add(link);
    await started(6).lost(new Set());
    expect(read()).toEqual({ sessions: 0, unreadable: 1, reason });
  });

  test('a damaged state leaves all lines', async () => {
    const files = new FakeFiles();
    const { store } = testStore(files);
    store.save('a', change(7, { segments: segments(0, 3, 50) }));
    await store.flush();
    const path = join(directory, 'a', 'state');
    const bytes = files.readSync(path);
    bytes[bytes.length - 1] = 1 - (bytes.at(-1) ?? 0);
    files.put(path, bytes);
    const session = (await foundIn(files)).get('a');
    expect(session?.state).toBe(null);
    expect(session?.segments).toEqual(segments(0, 3, 50));
  });

  test('a missing state leaves all lines, and is reported', async () => {
    const files = new FakeFiles();
    const { store } = testStore(files);
    store.save('a', change(7, { segments: segments(0, 3, 50) }));
    await store.flush();
    const path = join(directory, 'a', 'state');
    await files.remove(path);
    const problem = { path, reason: 'it is missing' };
    const checked = checkStore({ directory, files, bootId: 'boot', isAlive: () => true });
    expect(checked.unreadable).toEqual([problem]);
    const { sessions, skipped } = await testStore(files, second).store.lost(new Set());
    expect(skipped).toEqual([problem]);
    expect(sessions[0]?.load()).toMatchObject({ state: null, segments: segments(0, 3, 50) });
  });

  test('any damage leaves the rest, and never throws', async () => {
    const files = new FakeFiles();
    const { store } = testStore(files);
    store.save('a', change(7, { segments: segments(0, 3, 50) }));
    await store.flush();
    for (const path of files.paths.filter((each) => each.includes('/a/'))) {
      const whole = files.readSync(path);
      for (let at = 0; at < whole.length; at += 1) {
        files.put(path, whole.with(at, (whole[at] ?? 0) ^ 0xff));
        expectPart(await foundIn(files));
        files.put(path, whole.subarray(0, at));
        expectPart(await foundIn(files));
      }
      files.put(path, whole);
    }
    expect((await foundIn(files)).get('a')?.segments).toHaveLength(3);

    function expectPart(sessions: Awaited<ReturnType<typeof foundIn>>): void {
      const part = sessions.get('a');
      if (part === undefined) return;
      expect([null, 7]).toContain(part.state?.offset ?? null);
      const all = segments(0, 3, 50);
      expect([3, 2, 1, 0].map((count) => all.slice(3 - count))).toContainEqual(part.segments);
    }
  });
});
