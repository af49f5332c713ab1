import { encodeUtf8 } from '#base';
import type { Saved, SavedChange } from '#pty';
import { openStore, type SessionStore, type StoreOptions } from '#store';
import { VirtualClock } from '../virtual-clock.ts';
import type { FakeFiles } from './fake-files.ts';

export const directory = '/home/user/.local/state/vtr/0123456789abcdef';

export interface TestStore {
  readonly store: SessionStore;
  readonly clock: VirtualClock;
  readonly lines: string[];
}

/** A store in a file system in memory, of process 1 unless told otherwise. */
export function testStore(files: FakeFiles, options: Partial<StoreOptions> = {}): TestStore {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const store = openStore({
    directory,
    files,
    clock,
    bootId: 'boot',
    self: { pid: 1, start: 1 },
    isAlive: () => false,
    log: (line) => void lines.push(line),
    ...options,
  });
  return { store, clock, lines };
}

/** Lets everything happen that needs no time. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Advances the clock in steps in which writes can happen. */
export async function pass(clock: VirtualClock, ms: number, stepMs = 100): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    clock.advance(Math.min(stepMs, left));
    await settle();
  }
}

/** What must be saved after changes: the specification of a store without limits. */
export function savedAfter(changes: readonly SavedChange[]): Saved {
  let saved: Saved = { facts: new Uint8Array(0), state: null, segments: [] };
  for (const { facts, state, replaceFrom = Infinity, segments = [], firstLine = 0 } of changes) {
    const earlier = saved.segments.filter(({ to }) => to <= replaceFrom);
    saved = {
      facts: facts ?? saved.facts,
      state: state ?? saved.state,
      segments: [...earlier, ...segments].filter(({ to }) => to > firstLine),
    };
  }
  return saved;
}

/** Returns everything that a new daemon finds, by id. */
export async function foundIn(files: FakeFiles): Promise<Map<string, Saved>> {
  const { store } = testStore(files, { self: { pid: 2, start: 2 } });
  const { sessions } = await store.lost(new Set());
  return new Map(sessions.map((session) => [session.id, session.load()]));
}

/** The facts of all sessions here. */
export const facts = encodeUtf8('facts');

/** What is saved first of a session, up to an offset. */
export const change = (number: number, more: SavedChange = {}): SavedChange =>
  ({
    facts,
    state: { offset: number, bytes: encodeUtf8(`state ${number}`) },
    ...more,
  }) as SavedChange;

/** Segments of 10 lines from a line on. */
export const segments = (from: number, count: number, size: number) =>
  Array.from({ length: count }, (_, at) => {
    const first = from + at * 10;
    return { from: first, to: first + 10, bytes: new Uint8Array(size).fill(at) };
  });

/** Returns for each lost session whether all of it was saved. */
export async function wholeIn(files: FakeFiles): Promise<Record<string, boolean>> {
  const { sessions } = await testStore(files.afterKill(), second).store.lost(new Set());
  return Object.fromEntries(sessions.map(({ id, isWhole }) => [id, isWhole]));
}

/** The next daemon. */
export const second = { self: { pid: 2, start: 2 } };

/** A store in which these sessions are saved. */
export async function saved(files: FakeFiles, ...ids: string[]) {
  const test = testStore(files);
  for (const id of ids) {
    test.store.save(id, change(1));
    await test.store.flush();
    await pass(test.clock, 1_000);
  }
  return test;
}
