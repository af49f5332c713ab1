import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { OutputPause, OwnedPty } from '#pty';
import { deferred } from '../../../test/support/deferred.ts';
import { FakePty } from '../../../test/support/pty/fake-pty.ts';
import { KeptSession, type StepSink } from './kept-session.ts';
import { SavedMemory } from './saved-memory.ts';
import { SharedLimit, Window } from './window.ts';

const megabyte = 1024 * 1024;
const chunk = new Uint8Array(16 * 1024);
const empty = new Uint8Array(0);

/** A pseudo-terminal that records whether it is read. */
class ReadPty extends FakePty implements OwnedPty {
  isRead = true;
  hasSmallReads = false;
  holdBack(): void {
    this.isRead = false;
  }
  override resume(): void {
    this.isRead = true;
  }
}

/** A coordinator: the end of the output that it received, and what it was told. */
class Sink implements StepSink {
  end = 0;
  readonly messages: string[] = [];
  readonly pauses: OutputPause[] = [];

  output(_session: number, step: { offset: number; bytes: Uint8Array }): void {
    this.end = step.offset + step.bytes.length;
  }
  step(_session: number, { type, offset }: { type: string; offset: number }): void {
    this.messages.push(`${type} at ${offset}`);
  }
  paused(_session: number, pause: OutputPause): void {
    this.pauses.push(pause);
  }
  replayed(): void {
    this.messages.push('replayed');
  }
  dropped(session: number, line: number): void {
    this.messages.push(`dropped ${session} before ${line}`);
  }
}

let nowMs = 0;
let sessions: KeptSession[] = [];
let limit: SharedLimit;
let memory: SavedMemory;
let window: Window;

beforeEach(() => {
  nowMs = 10_000;
  sessions = [];
  memory = new SavedMemory(100_000);
  limit = new SharedLimit(() => {
    for (const each of sessions) each.pump();
  });
  window = new Window(() => nowMs);
});

function opened(keepsSteps = true) {
  const pty = new ReadPty();
  const now = () => ({ wallMs: nowMs, bootMs: nowMs });
  const session = new KeptSession({
    id: sessions.length + 1,
    pty,
    window,
    limit,
    memory,
    facts: empty,
    now,
    onExit() {},
  });
  sessions.push(session);
  const sink = new Sink();
  session.attach(sink, keepsSteps);
  session.follow();
  /** Writes output, which the coordinator handles at once, as long as it is read. */
  const write = (bytes: number) => {
    for (let left = bytes; left > 0 && pty.isRead; left -= chunk.length) {
      pty.output(chunk);
      session.pump();
      session.acknowledge(sink.end);
    }
  };
  const save = (offset: number) => session.save({ state: { offset, steps: 0, bytes: empty } });
  return { pty, session, sink, write, save };
}

describe('output', () => {
  it('becomes larger steps while the coordinator handles earlier output, for a millisecond', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] });
    try {
      const { pty, session, sink } = opened();
      const page = new Uint8Array(128 * 1024);
      let end = 0;
      const read = (bytes = 16_000) => {
        pty.output(page.subarray(end, end + bytes));
        end += bytes;
        vi.advanceTimersByTime(0);
        return sink.end;
      };
      expect(read()).toBe(16_000);
      expect(read()).toBe(16_000);
      session.acknowledge(16_000);
      expect(sink.end).toBe(32_000);
      expect([read(), read(), read(), read()]).toEqual([32_000, 32_000, 32_000, 96_000]);
      expect(read()).toBe(96_000);
      vi.advanceTimersByTime(1);
      expect(sink.end).toBe(112_000);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is read in small parts while another session is active', () => {
    const [one, other] = [opened(), opened()];
    one.pty.output(chunk);
    expect(one.pty.hasSmallReads).toBe(false);
    other.pty.output(chunk);
    one.pty.output(chunk);
    expect(one.pty.hasSmallReads).toBe(true);
    nowMs += 1_000;
    one.pty.output(chunk);
    expect(one.pty.hasSmallReads).toBe(false);
  });

  it('is read in whole parts when the program of the other session has exited', () => {
    const [one, other] = [opened(), opened()];
    other.pty.output(chunk);
    one.pty.output(chunk);
    expect(one.pty.hasSmallReads).toBe(true);
    other.pty.announceExit({ code: 0, signal: null });
    one.pty.output(chunk);
    expect(one.pty.hasSmallReads).toBe(false);
  });
});

describe('a program whose state is saved', () => {
  it('is not read beyond 24 MiB that no state covers, until one does', () => {
    const { pty, session, sink, write, save } = opened();
    save(0);
    write(40 * megabyte);
    const { end } = sink;
    expect([pty.isRead, end > 23 * megabyte, end <= 24 * megabyte]).toEqual([
      ...[false, true, true],
    ]);
    expect(session.isStalled).toBe(false);
    nowMs += 3_000;
    expect(session.isStalled).toBe(true);
    save(megabyte);
    expect(pty.isRead).toBe(true);
    expect(sink.pauses).toEqual([{ sinceMs: 10_000, bytes: end }]);
    expect(session.describe()).toMatchObject({
      base: { offset: megabyte, steps: 0 },
      paused: { sinceMs: 10_000, bytes: end },
    });
  });

  it('keeps all steps for the next coordinator if this one ends before it saves a state', () => {
    const { pty, session, write } = opened();
    session.detach();
    write(20 * megabyte);
    const { outputEnd } = session.describe();
    const next = new Sink();
    session.attach(next, true);
    session.follow();
    for (let at = -1; at < next.end; ) {
      at = next.end;
      session.acknowledge(at);
      window.serve();
    }
    expect(next.end).toBe(outputEnd);
    expect(outputEnd).toBeLessThanOrEqual(8 * megabyte);
    expect(session.describe().base.offset).toBe(0);
    session.save({ state: { offset: outputEnd, steps: 0, bytes: empty } });
    expect(session.describe().base.offset).toBe(outputEnd);
    expect(pty.isRead).toBe(true);
  });

  it('is read on while it is being ended', () => {
    const { pty, session, write, save } = opened();
    save(0);
    write(25 * megabyte);
    expect(pty.isRead).toBe(false);
    session.ending();
    write(megabyte);
    expect(pty.isRead).toBe(true);
  });

  it('keeps steps without a coordinator, and reads up to the limit', () => {
    const { pty, session, sink, write } = opened();
    write(megabyte);
    session.detach();
    write(20 * megabyte);
    expect([pty.isRead, sink.end]).toEqual([false, megabyte]);
    const { base, outputEnd } = session.describe();
    expect([base.offset, outputEnd > 8 * megabyte - 100_000]).toEqual([0, true]);
  });
});

describe('a program whose state is not saved', () => {
  it('keeps the steps that were not handled', () => {
    const { session, write, save } = opened(false);
    write(megabyte);
    expect(session.describe().base.offset).toBe(megabyte);
    save(0);
    expect(session.describe().saved.state).toBeNull();
  });
});

describe('all programs together', () => {
  it('have no more than 8 MiB each beyond 48 MiB, until a state covers some', () => {
    const floods = Array.from({ length: 5 }, () => opened());
    for (const each of floods) each.save(0);
    for (const each of floods) each.write(30 * megabyte);
    const isRead = () => floods.map(({ pty }) => pty.isRead);
    const sizes = () => floods.map(({ sink }) => Math.round(sink.end / megabyte));
    // The third and the fourth have their part, and the fifth what is left of 64 MiB.
    expect([sizes(), isRead()]).toEqual([
      [24, 23, 8, 8, 0],
      [false, false, false, false, false],
    ]);
    floods[0]?.save(24 * megabyte - 500_000);
    expect(isRead()).toEqual([true, true, true, true, true]);
    floods[2]?.write(megabyte);
    expect(sizes()[2]).toBe(9);
  });

  it('are not read beyond 64 MiB, until a state covers some', () => {
    const floods = Array.from({ length: 9 }, () => opened());
    for (const each of floods) each.save(0);
    for (const each of floods) each.write(7.5 * megabyte);
    const quiet = opened();
    quiet.pty.output('x');
    quiet.session.pump();
    expect(quiet.pty.isRead).toBe(false);
    floods[0]?.save(megabyte * 7);
    expect([...floods, quiet].map(({ pty }) => pty.isRead)).not.toContain(false);
  });
});

describe('a coordinator', () => {
  it('learns that saved segments were dropped', () => {
    const [first, second] = [opened(), opened()];
    const segments = (from: number) => [{ from, to: from + 10, bytes: new Uint8Array(60_000) }];
    first.session.save({ segments: segments(0) });
    second.session.save({ segments: segments(0) });
    expect(first.sink.messages).toEqual(['replayed', 'dropped 1 before 10']);
    expect(first.session.describe().saved.segments).toEqual([]);
  });

  it('withdraws only its own input', async () => {
    const { pty, session } = opened();
    pty.holdsWrites = true;
    const settled = deferred<string>();
    session.write(7, Uint8Array.of(1), {}).then(
      () => settled.resolve('written'),
      () => settled.resolve('withdrawn'),
    );
    session.attach(new Sink(), true);
    session.withdraw(7);
    pty.releaseWrites();
    expect(await settled.promise).toBe('written');
    expect(session.describe().answeredTo).toBe(0);
  });

  it('tells a write that the screen shows its text', async () => {
    const { pty, session } = opened();
    pty.holdsWrites = true;
    const writing = session.write(7, Uint8Array.of(1, 13), { entersAt: [1] });
    session.shown(8);
    session.shown(7);
    await pty.shown[0];
    pty.releaseWrites();
    await writing;
    session.shown(7);
  });

  it('does not wait for output of a paused one, until that is resumed', () => {
    const [paused, other] = [opened(), opened()];
    for (const { pty } of [paused, other]) {
      for (let at = 0; at < 100_000; at += chunk.length) pty.output(chunk);
    }
    const ends = () => [paused.sink.end, other.sink.end];
    const before = ends();
    paused.session.pause();
    expect(ends()).toEqual([before[0], expect.any(Number)]);
    expect(other.sink.end).toBeGreaterThan(before[1] ?? 0);
    paused.session.resume();
    const resumed = ends();
    other.session.acknowledge(other.sink.end);
    window.serve();
    expect(ends()).toEqual(resumed);
  });

  it('receives what was kept before it learns that the replay has ended', () => {
    const { pty, session, write } = opened();
    write(100_000);
    pty.step({ type: 'resize', offset: pty.outputEnd, size: { cols: 9, rows: 9 } });
    const next = new Sink();
    session.attach(next, true);
    pty.output('later');
    session.follow();
    session.acknowledge(next.end);
    window.serve();
    session.acknowledge(next.end);
    window.serve();
    for (let at = -1; at < next.end; ) {
      at = next.end;
      session.acknowledge(at);
      window.serve();
    }
    expect(next.messages).toEqual([`resize at ${pty.outputEnd - 5}`, 'replayed']);
    expect(next.end).toBe(pty.outputEnd);
  });

  it('receives what was kept also while other sessions flood', () => {
    const [{ session, write }, flood] = [opened(), opened()];
    write(2 * megabyte);
    for (let at = 0; at < 100_000; at += chunk.length) flood.pty.output(chunk);
    const next = new Sink();
    session.attach(next, true);
    session.follow();
    // The coordinator handles this session alone.
    for (let at = -1; at < next.end; ) {
      at = next.end;
      session.acknowledge(at);
    }
    expect(next.end).toBe(2 * megabyte);
    expect(next.messages).toEqual(['replayed']);
  });
});
