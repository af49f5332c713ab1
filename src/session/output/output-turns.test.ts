import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import type { SessionEvent } from '#model';
import { Terminal } from '#vt';
import { FakePty } from '../../../test/support/pty/fake-pty.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { type FakeSession, fakeSession } from '../../../test/support/session/fake-session.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { OutputPauses, OutputTurns, ReaderHolds } from './output-turns.ts';

const size = { cols: 500, rows: 400 };
/** Visits more than a million cells. */
const slow = '\x1b[*y\x1b[#|\x1b[1$r\x1b[2$t\x1b[?2J\x1b[ @';

const large = () => new Terminal({ size, scrollback: { maxLines: 10, maxBytes: 1e6 } });

function session(): FakeSession & { readonly events: string[] } {
  const fake = fakeSession({}, large());
  const events: string[] = [];
  fake.session.view.onEvent((event: SessionEvent) => {
    const { revision } = event;
    events.push(
      event.type === 'output' ? `${revision} ${event.offset}+${event.bytes.length}` : event.type,
    );
  });
  return { ...fake, events };
}

/** Ends the turns in which output is applied, and returns their number. */
function settle({ clock, pty, session: { view } }: FakeSession): number {
  let turns = 0;
  for (; view.outputEnd < pty.outputEnd && turns < 1_000; turns++) clock.settleIo();
  clock.settleIo();
  return turns;
}

describe('OutputTurns', () => {
  it('goes on after a task that throws, and reports it', () => {
    const { clock, pty } = fakeSession();
    const faults: unknown[] = [];
    const done: string[] = [];
    const turns = new OutputTurns(clock, new OutputPauses(pty), (error) => faults.push(error));
    turns.add(() => {
      throw new Error('broken');
    });
    turns.inOrder(() => done.push('next'));
    expect(pty.paused).toBe(true);
    for (let turn = 0; turn < 3; turn++) {
      try {
        clock.settleIo();
      } catch {
        // As in a process that goes on after it.
      }
    }
    expect([done, faults, turns.isBusy, pty.paused]).toEqual([
      ...[['next'], [new Error('broken')], false, false],
    ]);
  });
});

describe('output with much work', () => {
  it('[law 9] is applied in several turns, in which the program is paused', () => {
    const fake = session();
    const { session: subject, pty } = fake;
    pty.output(encodeUtf8(slow.repeat(20)));
    expect(subject.view.outputEnd).toBeLessThan(pty.outputEnd);
    expect(pty.paused).toBe(true);
    expect(settle(fake)).toBeGreaterThan(4);
    expect(pty.paused).toBe(false);
    expect(fake.faults).toEqual([]);
  });

  it.each([
    ['marks of shells', '\x1b]133;A\x07p\x1b]133;B\x07c\x1b]133;C\x07o\r\n\x1b]133;D;0\x07'],
    ['progress', '\x1b]9;4;1;50\x07'],
    ['directories', '\x1b]7;file:///a\x07'],
    ['notifications', '\x1b]9;done\x07'],
  ])('[law 5] leaves a turn to others after some hundred %s, and publishes all', (_what, unit) => {
    const fake = session();
    fake.pty.output(encodeUtf8(unit.repeat(1_000)));
    expect(fake.session.view.outputEnd).toBeLessThan(400 * unit.length);
    expect(settle(fake)).toBeGreaterThan(3);
    const published = fake.events.filter((event) => !event.includes('+'));
    expect(published).toHaveLength(1_000 * (unit.split('\x1b').length - 1));
  });

  it('[law 5] leaves a turn to others when its observers take long', () => {
    const fake = session();
    const { session: subject, pty, clock, events } = fake;
    subject.view.onEvent(() => clock.stall(1));
    const frames = Array.from({ length: 100 }, (_, at) => `\x1b[?2026h${at} \x1b[?2026l`).join('');
    pty.output(encodeUtf8(frames));
    expect(events.length).toBeLessThan(10);
    expect(settle(fake)).toBeGreaterThan(20);
    expect(events).toHaveLength(200);
    expect(subject.screen().text.join('').trim()).toMatch(/^0 1 2 .* 98 99$/);
  });

  it('[law 9] has the order of steps, replies and the exit', async () => {
    const fake = session();
    const { session: subject, pty } = fake;
    pty.output(encodeUtf8(`${slow.repeat(6)}\x1b[5n`));
    pty.output(encodeUtf8('x\x1b[6n'));
    pty.step({ type: 'resize', offset: pty.outputEnd, size: { cols: 30, rows: 4 } });
    pty.output(encodeUtf8('y'));
    pty.announceExit({ code: 0, signal: null });
    expect(subject.exitStatus).toBeNull();
    settle(fake);
    expect(subject.info()).toMatchObject({ size: { cols: 30, rows: 4 }, state: 'exited' });
    expect(fake.events.slice(-3)).toEqual(['resize', expect.stringContaining('+1'), 'exit']);
    await expect.poll(() => pty.written.join('')).toMatch(/\x1b\[0n.*R/);
    expect(subject.screen().text[0]).toBe('xy');
  });

  it('[law 6] is cut off by the removal of its session, after which the exit is reported', () => {
    const fake = session();
    fake.pty.output(encodeUtf8(`${slow.repeat(6)}\x1b[?2026h`));
    fake.pty.announceExit({ code: 3, signal: null });
    fake.session.forget();
    expect(fake.session.exitStatus).toEqual({ code: 3, signal: null });
    expect(fake.events.at(-1)).toBe('exit');
    settle(fake);
    expect(fake.events.filter((each) => each === 'exit')).toHaveLength(1);
    expect(fake.clock.pending).toBe(0);
  });

  it('[law 4] that is replayed after a restart is no news', async () => {
    const pty = new FakePty();
    pty.output(encodeUtf8(slow.repeat(6)));
    const left = {
      restored: 'exactly',
      state: null,
      blocks: [],
      offset: 0,
      answeredTo: 0,
      lastEnterAt: 0,
    } as const;
    const { session: subject, clock } = fakeSession({}, large(), {
      pty,
      left: { ...left, replayed: Promise.resolve() },
    });
    const events: string[] = [];
    subject.view.onEvent(({ type }) => events.push(type));
    let isReplayed = false;
    void subject.replayed.then(() => {
      isReplayed = true;
    });
    for (; !isReplayed; await new Promise(setImmediate)) clock.settleIo();
    expect([subject.view.outputEnd, events]).toEqual([pty.outputEnd, []]);
    pty.output('x');
    // The last replies may still wait for their turn.
    for (; events.length === 0; await new Promise(setImmediate)) clock.settleIo();
    expect(events).toEqual(['output']);
  });

  it('[law 9] has the result and the revisions of output that is applied at once', () => {
    const part = fc.constantFrom(
      'a',
      '\r\n',
      '\x1b[31m',
      slow,
      '\x1b[?2026h',
      '\x1b[?2026l',
      '\x1b[2J',
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const bytes = encodeUtf8(parts.join(''));
        const fake = session();
        fake.pty.output(bytes);
        settle(fake);
        const terminal = large();
        terminal.feed(bytes);
        expect(fake.session.revision).toBe(terminal.revision);
        expect(fake.session.screen().text).toEqual(terminal.screenText());
      }),
      runs(3),
    );
  });
});

const mib = 1024 * 1024;

/** Each line has a MiB. */
function readerHolds() {
  const clock = new VirtualClock();
  const state = { line: 0, paused: false };
  const holds = new ReaderHolds({
    clock,
    bytesFrom: (line) => (state.line - line) * mib,
    pause: () => {
      state.paused = true;
    },
    resume: () => {
      state.paused = false;
    },
  });
  const output = (line: number) => {
    state.line = line;
    holds.check();
    return state.paused;
  };
  return { clock, holds, output, isPaused: () => state.paused };
}

describe('a reader', () => {
  it('holds the program that is far ahead of it', () => {
    const { holds, output, isPaused } = readerHolds();
    expect(output(100)).toBe(false);
    holds.begin('one', 90)();
    expect([output(106), output(107)]).toEqual([false, true]);
    holds.begin('one', 100)();
    expect(isPaused()).toBe(false);
  });

  it('is forgotten a minute after its last call', () => {
    const { clock, holds, output, isPaused } = readerHolds();
    const end = holds.begin('one', 0);
    expect(output(20)).toBe(true);
    clock.advance(200_000);
    end();
    clock.advance(59_000);
    expect(isPaused()).toBe(true);
    clock.advance(2_000);
    expect([isPaused(), clock.pending]).toEqual([false, 0]);
  });

  it('does not hold a program that ends', () => {
    const { clock, holds, output, isPaused } = readerHolds();
    holds.begin('one', 0)();
    output(20);
    holds.end();
    expect([isPaused(), clock.pending]).toEqual([false, 0]);
  });
});
