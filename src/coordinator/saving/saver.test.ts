import { describe, expect, it } from 'vitest';
import { Emitter } from '#base';
import type { SavedChange, SessionSaving } from '#session';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { type SavableSession, Saver } from './saver.ts';

const megabyte = 1024 * 1024;
const own = () => ({ order: 1, formerNames: [], usedAtMs: null });

/** A session of lines of the same length, none of which is dropped unless the test does. */
class FakeSaving {
  readonly id: string;
  readonly name = 'one';
  exitStatus: SavableSession['exitStatus'] = null;
  readonly changes = new Emitter<'facts' | 'state'>();
  readonly saved: SavedChange[] = [];
  readonly stored: SavedChange[] = [];
  readonly collected: number[] = [];
  readonly pauses: string[] = [];
  outputEnd = 0;
  firstLine = 0;
  linesEnd = 0;
  /** The time that each call to read the session takes. */
  takesMs = 0;
  /** Fails instead of returning the state. */
  isBroken = false;
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock, id = 'one') {
    this.#clock = clock;
    this.id = id;
  }

  get saving(): SessionSaving {
    const that = this;
    return {
      get outputEnd() {
        return that.outputEnd;
      },
      get firstLine() {
        return that.firstLine;
      },
      get linesEnd() {
        return that.linesEnd;
      },
      revision: 1,
      returnedFrom: () => Number.POSITIVE_INFINITY,
      facts: () => new Uint8Array(1),
      storedFacts: () => new Uint8Array(2),
      state: () => {
        if (this.isBroken) throw new Error('broken');
        this.#clock.stall(this.takesMs);
        return { offset: this.outputEnd, steps: 0, bytes: new Uint8Array(1) };
      },
      lines: (from: number, to: number) => {
        const end = Math.min(to, from + 100);
        this.collected.push(end - from);
        this.#clock.stall(this.takesMs);
        return { from, to: end, bytes: new Uint8Array(1) };
      },
      save: (change: SavedChange) => void this.saved.push(change),
      onSavedDropped: () => ({ dispose() {} }),
      onChange: (listener: (what: 'facts' | 'state') => void) => this.changes.on(listener),
      pause: () => void this.pauses.push('pause'),
      resume: () => void this.pauses.push('resume'),
    } as unknown as SessionSaving;
  }

  output(bytes: number, lines = 0): void {
    this.outputEnd += bytes;
    this.linesEnd += lines;
    this.changes.emit('state');
  }

  /** The offsets of the states that were saved. */
  get states(): (number | undefined)[] {
    return this.saved.flatMap(({ state }) => (state === undefined ? [] : state.offset));
  }
}

function begin(count = 1) {
  const clock = new VirtualClock();
  const faults: unknown[] = [];
  const exited: string[] = [];
  const sessions = Array.from({ length: count }, (_, at) => new FakeSaving(clock, `${at}`));
  const store = {
    save: (id: string, change: SavedChange) => {
      sessions.find((each) => each.id === id)?.stored.push(change);
    },
    exited: (id: string) => void exited.push(id),
    onGone: (listener: (id: string) => void) => {
      gone = listener;
    },
  };
  let gone: (id: string) => void = () => {};
  const saver = new Saver({ clock, store, onFault: (error) => faults.push(error) });
  for (const session of sessions) saver.begin(session, { own, isStored: true });
  const [session] = sessions as [FakeSaving];
  return { clock, saver, session, sessions, faults, exited, lose: (id: string) => gone(id) };
}

describe('Saver', () => {
  it('saves all lines of a session again whose files are gone, and of no other', () => {
    const { clock, sessions, lose } = begin(2);
    const [one, two] = sessions as [FakeSaving, FakeSaving];
    for (const each of sessions) each.output(100, 250);
    clock.advance(3_000);
    for (const each of sessions) each.stored.length = 0;
    lose('0');
    clock.settleIo();
    clock.advance(3_000);
    const { state, segments, replaceFrom, facts } = one.stored.at(-1) ?? {};
    expect([state?.offset, replaceFrom, facts?.length]).toEqual([100, 0, 2]);
    expect(segments?.map(({ from, to }) => [from, to])).toEqual([
      ...[
        [0, 100],
        [100, 200],
        [200, 250],
      ],
    ]);
    expect(two.stored).toEqual([]);
  });

  it('saves the state 750 ms after the first change, once: the disk has it within a second', () => {
    const { clock, session } = begin();
    session.output(10);
    clock.advance(600);
    session.output(10);
    clock.advance(149);
    expect(session.saved).toEqual([]);
    clock.advance(1);
    expect(session.states).toEqual([20]);
    clock.advance(60_000);
    expect(session.states).toEqual([20]);
    expect(clock.pending).toBe(0);
    session.output(10);
    clock.advance(750);
    expect(session.states).toEqual([20, 30]);
  });

  it('saves the state of a session that prints nothing, once', () => {
    const { clock, session } = begin();
    expect(session.states).toEqual([]);
    clock.advance(10_000);
    expect(session.states).toEqual([0]);
  });

  it('saves facts at once', () => {
    const { session } = begin();
    session.changes.emit('facts');
    expect(session.saved).toEqual([{ facts: new Uint8Array(1) }]);
  });

  it('saves the lines above the screen with the state, some at a time', () => {
    const { clock, session } = begin();
    session.output(1000, 250);
    clock.advance(750);
    expect(session.states).toEqual([]);
    clock.advance(20);
    expect(session.collected).toEqual([100, 100, 50]);
    expect(session.states).toEqual([1000]);
    session.output(1000, 10);
    clock.advance(2000);
    expect(session.collected.slice(3)).toEqual([10]);
  });

  it('saves the exit and the last state at once', () => {
    const { clock, session, exited } = begin();
    session.output(100, 20);
    session.exitStatus = { code: 0, signal: null };
    session.changes.emit('facts');
    expect(exited).toEqual(['0']);
    clock.advance(0);
    clock.settleIo();
    expect(session.states).toEqual([100]);
  });

  it('takes states during a flood, and collects its lines when it is over', () => {
    const { clock, session } = begin();
    for (let count = 0; count < 5; count++) {
      session.output(megabyte, 1000);
      // A limit of 1,500 lines.
      session.firstLine = Math.max(0, session.linesEnd - 1500);
      clock.settleIo();
      clock.advance(100);
    }
    expect(session.states).toEqual([megabyte, 2 * megabyte, 3 * megabyte]);
    expect(session.collected).toEqual([]);
    clock.advance(2_500);
    expect(session.collected.length).toBe(15);
    expect(session.states.at(-1)).toBe(5 * megabyte);
    expect(session.pauses).toEqual([]);
  });

  it('pauses a session whose lines must be saved before its host stops it', () => {
    const { clock, session } = begin();
    for (let count = 0; count < 20; count++) {
      expect(session.pauses).toEqual([]);
      session.output(megabyte, 1000);
      clock.settleIo();
    }
    for (let count = 0; count < 300; count++) clock.settleIo();
    expect(session.states).toEqual([20 * megabyte]);
    expect(session.pauses).toEqual(['pause', 'resume']);
  });

  it('saves the session with the most unsaved output if all together have too much', () => {
    const { clock, sessions } = begin(6);
    for (let count = 0; count < 11; count++) {
      for (const session of sessions.slice(count >= 6 ? 5 : 0)) session.output(megabyte, 1000);
      for (let turn = 0; turn < 200; turn++) clock.settleIo();
    }
    const [most, ...others] = [...sessions].reverse() as [FakeSaving, ...FakeSaving[]];
    expect(most.pauses).toEqual(['pause', 'resume']);
    expect(others.flatMap(({ pauses }) => pauses)).toEqual([]);
  });

  it('takes the states of many sessions in short turns', () => {
    const { clock, sessions } = begin(20);
    for (const session of sessions) {
      session.takesMs = 1;
      session.output(10);
    }
    clock.stall(1000);
    const saved = () => sessions.filter(({ states }) => states.length > 0).length;
    expect(saved()).toBe(0);
    clock.settleIo();
    expect(saved()).toBe(2);
    for (let turn = 0; turn < 9; turn++) clock.settleIo();
    expect(saved()).toBe(20);
  });

  it('saves all at once when it is detached', () => {
    const { saver, sessions, clock } = begin(3);
    for (const session of sessions) session.output(10);
    saver.saveAll();
    expect(sessions.map(({ states }) => states)).toEqual([[10], [10], [10]]);
    saver.close();
    expect(clock.pending).toBe(0);
  });

  it('saves lines that are in no output, too', () => {
    const { saver, session, clock } = begin();
    session.linesEnd = 250;
    saver.saveWithLines(session, () => {});
    saver.saveAll();
    expect(session.collected).toEqual([100, 100, 50]);
    expect(session.states).toEqual([0]);
    clock.advance(1000);
    saver.saveAll();
    expect(session.collected).toHaveLength(3);
  });

  it('does the same in the store, unless a session must not be saved there', () => {
    const { clock, saver, session } = begin();
    const other = new FakeSaving(clock, '0');
    saver.end(session);
    session.stored.length = 0;
    saver.begin(other, { own, isStored: false });
    other.output(10);
    clock.advance(1000);
    expect(other.states).toEqual([10]);
    expect(session.stored).toEqual([]);
    saver.end(other);
    saver.begin(session, { own, isStored: true });
    session.output(10);
    clock.advance(1000);
    const asStored = (change: SavedChange) => ({ ...change, facts: new Uint8Array(2) });
    expect(session.stored.slice(1)).toEqual(session.saved.map(asStored));
  });

  it('does nothing for a session that ends with this coordinator', () => {
    const clock = new VirtualClock();
    const saver = new Saver({ clock, store: null, onFault: () => {} });
    const session = { id: 'one', name: 'one', exitStatus: null, saving: null };
    saver.begin(session, { own, isStored: true });
    saver.touch(session);
    saver.saveWithLines(session, () => {});
    saver.end(session);
    expect(clock.pending).toBe(0);
  });

  it('goes on with the others if a session cannot be saved', () => {
    const { clock, sessions, faults } = begin(2);
    const [broken, other] = sessions as [FakeSaving, FakeSaving];
    broken.isBroken = true;
    for (const session of sessions) session.output(10);
    clock.advance(1000);
    expect(other.states).toEqual([10]);
    expect(faults).toEqual([new Error('broken')]);
  });
});
