import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeUtf8 } from '#base';
import { systemClock } from '#coordinator';
import { ioError } from '#model';
import type { Saved, SavedChange } from '#pty';
import { checkStore, clearStore, openStore, type SessionStore } from '#store';
import { failEveryCall, type Operation } from '../support/faults/every-call.ts';
import { tree } from '../support/tree.ts';

const root = tree({}, afterAll);
// The store removes directories that become empty.
const directory = join(root, 'all', 'sessions');
const logged: string[] = [];

/** Each store belongs to another process. */
let starts = 0;
const opened = (bootId = 'boot') =>
  openStore({
    directory,
    bootId,
    clock: systemClock,
    self: { pid: 1, start: starts++ },
    isAlive: () => false,
    log: (line) => void logged.push(line),
  });

const bytes = (text: string) => encodeUtf8(text);
const change = (text: string): SavedChange => ({
  facts: bytes(`facts of ${text}`),
  state: { offset: 1, steps: 0, bytes: bytes(`state of ${text}`) },
  segments: [{ from: 0, to: 2, bytes: bytes(text) }],
});

const textOf = ({ facts, state, segments }: Saved) => [
  Buffer.from(facts).toString(),
  state === null ? null : Buffer.from(state.bytes).toString(),
  segments.map((each) => Buffer.from(each.bytes).toString()),
];

/** What the daemon of another process finds. */
async function sessionsFound(bootId?: string) {
  const store = opened(bootId);
  const { sessions, skipped } = await store.lost(new Set());
  const read = sessions.map((each) => [each.id, each.endedBy, each.isWhole, textOf(each.load())]);
  read.sort();
  await store.close();
  return [read, skipped];
}

async function save(store: SessionStore, ...ids: readonly string[]) {
  for (const id of ids) store.save(id, change(id));
  await store.flush();
  return store.state;
}

async function keep(...ids: readonly string[]): Promise<void> {
  const store = opened();
  await save(store, ...ids);
  await store.close();
}

const operations: readonly Operation[] = [
  {
    name: 'a session is saved, and found by the next daemon',
    codes: ['IO_ERROR'],
    async act() {
      const store = opened();
      const state = await save(store, 'one');
      await store.close();
      return [state, await sessionsFound()];
    },
  },
  {
    name: 'a session changes and ends, and is found after a restart of the machine',
    codes: ['IO_ERROR'],
    prepare: () => keep('one', 'two'),
    async act() {
      const store = opened();
      await store.lost(new Set(['one', 'two']));
      store.save('one', { segments: [{ from: 2, to: 3, bytes: bytes('more') }] });
      store.exited('two');
      await store.stopping();
      await store.flush();
      const { state } = store;
      await store.close();
      return [state, await sessionsFound('another boot')];
    },
  },
  {
    name: 'a session is removed, then all',
    codes: ['IO_ERROR'],
    prepare: () => keep('one', 'two'),
    async act() {
      const store = opened();
      await store.lost(new Set(['one', 'two']));
      store.remove('one');
      await store.flush();
      const { state } = store;
      await store.close();
      const left = await sessionsFound();
      const last = opened();
      last.save('three', change('three'));
      await last.removeAll().catch((error: Error) => logged.push(error.message));
      return [state, left, existsSync(directory)];
    },
  },
  {
    name: 'a damaged session is noticed, and removed',
    codes: ['IO_ERROR'],
    prepare: async () => {
      await keep('one', 'two');
      writeFileSync(join(directory, 'one', 'facts'), 'damaged');
    },
    async act() {
      const store = opened();
      await store.lost(new Set());
      const before = store.damaged.length;
      await store.close();
      const cleared = await clearStore({ directory }, async () => new Set()).catch(
        (error: Error) => void logged.push(ioError(directory, 'removed', error).message),
      );
      return [before, cleared, await sessionsFound()];
    },
  },
  {
    name: 'saved sessions are checked',
    codes: ['IO_ERROR'],
    prepare: () => keep('one'),
    act: () => checkStore({ directory, bootId: 'boot', isAlive: () => false }),
  },
];

/** A state, a list of what cannot be read, or the log says so. */
const isReported = (result: unknown, reason: string) =>
  `${JSON.stringify(result)} ${logged.join(' ')}`.includes(reason);

/** A line that has failed for one operation does not for the next: each waits for the disk. */
const failed = new Set<string>();

describe('saved sessions, of which every system call fails', () => {
  const all = operations.map((each) => [each.name, each] as const);
  const timeout = 1_800_000;
  test.each(all)('%s', { timeout }, async (_, operation) => {
    const prepare = async () => {
      logged.length = 0;
      await operation.prepare?.();
    };
    const undo = () => rmSync(join(root, 'all'), { recursive: true, force: true });
    const failing = { ...operation, prepare, undo, isReported };
    const { wrong, calls } = await failEveryCall(failing, root, failed);
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(0);
  });
});
