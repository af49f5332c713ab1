import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeUtf8, defined, encodeUtf8 } from '#base';
import type { Saved, SavedChange, Segment } from '#pty';
import { runs } from '../../test/support/run/runs.ts';
import { FakeFiles, type Fault } from '../../test/support/store/fake-files.ts';
import {
  foundIn,
  pass,
  savedAfter,
  settle,
  testStore,
} from '../../test/support/store/saved-sessions.ts';

/** A change of one of two sessions, then a pause. */
interface Step {
  readonly session: number;
  readonly facts: boolean;
  readonly state: boolean;
  /** The sizes of new segments, in bytes. */
  readonly added: readonly number[];
  /** The part of the segments that is replaced. */
  readonly replaced: number | null;
  /** The part of the segments that is dropped. */
  readonly dropped: number | null;
  readonly pauseMs: number;
  readonly flush: boolean;
}

const part = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 4 });
const step: fc.Arbitrary<Step> = fc.record({
  session: fc.nat(1),
  facts: fc.boolean(),
  state: fc.boolean(),
  added: fc.array(fc.constantFrom(1, 10, 1_000, 40_000), { maxLength: 3 }),
  replaced: part,
  dropped: part,
  pauseMs: fc.constantFrom(0, 100, 300, 300, 16_000),
  flush: fc.boolean(),
});

/** The changes of a session, and how many of them are certainly on disk. */
interface Session {
  readonly changes: SavedChange[];
  flushed: number;
}

function changeOf(step: Step, { changes }: Session): SavedChange {
  const { segments } = savedAfter(changes);
  const number = changes.length;
  const borderAt = (share: number) => segments[Math.floor(share * segments.length)]?.from;
  const cut = step.replaced === null ? undefined : borderAt(step.replaced);
  const first = step.dropped === null ? undefined : borderAt(step.dropped);
  // Dropped lines do not come back.
  const oldest = Math.max(first ?? 0, ...changes.map(({ firstLine = 0 }) => firstLine));
  let from = Math.max(oldest, cut ?? segments.at(-1)?.to ?? 0);
  const added = step.added.map((size): Segment => {
    const segment = { from, to: from + 1 + (size % 7), bytes: new Uint8Array(size).fill(number) };
    from = segment.to;
    return segment;
  });
  const isFirst = changes.length === 0;
  return {
    ...(step.facts || isFirst ? { facts: encodeUtf8(`facts ${number}`) } : {}),
    ...(step.state
      ? { state: { offset: number, steps: 0, bytes: encodeUtf8(`state ${number}`) } }
      : {}),
    ...defined({ replaceFrom: cut, firstLine: first }),
    segments: added,
  } as SavedChange;
}

const second = { self: { pid: 2, start: 2 } };
/** Journals are full soon. */
const maxJournalBytes = 2_000;

/** Saves the steps in a store whose file system has a fault. */
async function run(steps: readonly Step[], fault: Fault | null) {
  const files = new FakeFiles();
  files.fault = fault;
  const { store, clock } = testStore(files, { maxJournalBytes });
  const sessions: Session[] = [0, 1].map(() => ({ changes: [], flushed: 0 }));
  for (const step of steps) {
    if (files.stoppedAt !== null) break;
    const session = sessions[step.session] as Session;
    const change = changeOf(step, session);
    session.changes.push(change);
    store.save(`session-${step.session}`, change);
    await pass(clock, step.pauseMs, step.pauseMs > 1_000 ? 1_000 : 100);
    if (step.pauseMs === 0) await settle();
    if (step.flush && (await isFlushed(store.flush())) && store.state.state === 'disk') {
      for (const each of sessions) each.flushed = each.changes.length;
    }
  }
  return { files, sessions, store, clock };
}

async function isFlushed(flush: Promise<void>): Promise<boolean> {
  let is = false;
  void flush.then(() => {
    is = true;
  });
  await settle();
  await settle();
  return is;
}

/** Returns what can be compared fast: a text for many bytes. */
const legible = ({ state, segments }: Pick<Saved, 'state' | 'segments'>) => ({
  state: state && { ...state, bytes: decodeUtf8(state.bytes) },
  segments: segments.map(({ from, to, bytes }) => `${from}-${to}: ${bytes.length} of ${bytes[0]}`),
});

const legibleWithFacts = (saved: Saved | undefined) =>
  saved && { ...legible(saved), facts: decodeUtf8(saved.facts) };

/** What is found must be a state that was saved, as a whole, and not older than what was flushed. */
function expectSaved({ changes, flushed }: Session, session: Saved | undefined): void {
  if (session === undefined) {
    expect(flushed).toBe(0);
    return;
  }
  const all = changes.map((_, at) => savedAfter(changes.slice(0, at + 1)));
  const possible = all.slice(Math.max(0, flushed - 1));
  expect(possible.map(({ facts }) => decodeUtf8(facts))).toContain(decodeUtf8(session.facts));
  const none = { state: null, segments: [] };
  const screens = possible.map(legible);
  expect(flushed === 0 ? [none, ...screens] : screens).toContainEqual(legible(session));
}

async function expectSurvives(steps: readonly Step[], at: number): Promise<void> {
  const { files, sessions } = await run(steps, { at, kind: 'stop' });
  for (const after of [files.afterKill(), files.afterPowerLoss()]) {
    const entries = await foundIn(after);
    for (const [number, session] of sessions.entries())
      expectSaved(session, entries.get(`session-${number}`));
  }
  // A mark was being removed.
  if (files.stoppedAt?.endsWith('whole')) return;
  const { sessions: left } = await testStore(files.afterKill(), second).store.lost(new Set());
  for (const { id, isWhole, load } of left) {
    const { changes } = sessions[Number(id.at(-1))] as Session;
    if (isWhole) expect(legibleWithFacts(load())).toEqual(legibleWithFacts(savedAfter(changes)));
  }
}

async function expectRecovers(steps: readonly Step[], at: number, code: string): Promise<void> {
  const { sessions, store, clock, files } = await run(steps, { at, kind: 'fail', code });
  await pass(clock, 2_000);
  expect(store.state).toEqual({ state: 'disk' });
  const entries = await foundIn(files.afterPowerLoss());
  for (const [number, { changes }] of sessions.entries()) {
    const expected = changes.length === 0 ? undefined : savedAfter(changes);
    expect(legibleWithFacts(entries.get(`session-${number}`))).toEqual(legibleWithFacts(expected));
  }
}

const plain: Step = {
  session: 0,
  facts: true,
  state: true,
  added: [10, 1_000],
  replaced: null,
  dropped: null,
  pauseMs: 300,
  flush: true,
};
/** Makes directories, appends, replaces, drops, and rewrites a file twice. */
const script: readonly Step[] = [
  plain,
  { ...plain, added: [40_000, 40_000], state: false },
  { ...plain, session: 1, added: [] },
  { ...plain, replaced: 0, added: [40_000] },
  { ...plain, facts: false, replaced: 0.5, added: [40_000, 10], flush: false, pauseMs: 0 },
  { ...plain, dropped: 0.9, added: [1] },
  { ...plain, added: [], state: false },
];
/** Written to a journal. */
const small: Step = { ...plain, added: [1_000], flush: false };
/** Fills two journals, and removes them when no session changes any more. */
const journals: readonly Step[] = [
  small,
  { ...small, session: 1, facts: false },
  small,
  { ...small, replaced: 0.5 },
  { ...small, session: 1, dropped: 0.5 },
  { ...small, added: [40_000, 40_000] },
  { ...small, session: 1, pauseMs: 16_000 },
];
const scripts = [
  ['files', script],
  ['journals', journals],
] as const;

describe('a store on a file system that fails', () => {
  test.each(scripts)('stopped at any operation, a whole state is on disk: %s', async (_, steps) => {
    const { files } = await run(steps, null);
    for (let at = 0; at < files.count; at += 1) await expectSurvives(steps, at);
    expect(files.count).toBeGreaterThan(40);
  });

  test('stopped at a random operation, a whole state is on disk', async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    await fc.assert(fc.asyncProperty(steps, fc.nat(120), expectSurvives), runs(30));
  });

  test.each(scripts)(
    'after an operation that failed, everything is on disk: %s',
    async (_, steps) => {
      const { files } = await run(steps, null);
      for (let at = 0; at < files.count; at += 1) await expectRecovers(steps, at, 'ENOSPC');
      expect(files.count).toBeGreaterThan(40);
    },
  );

  test('after a random operation that failed, everything is on disk', async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    const recovers = (all: Step[], at: number) => expectRecovers(all, at, 'EIO');
    await fc.assert(fc.asyncProperty(steps, fc.nat(120), recovers), runs(12));
  });
});
