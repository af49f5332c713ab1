import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { encodeUtf8 } from '#base';
import { CastEncoder, EventRedactor, parseCast, tokenRule } from '#recording';
import { Replay } from '#replay';
import { stateOf } from '#vt/checks';
import { momentNow, RecordingMemory, RecordingRing, SessionRecorder } from '#watch';
import { runs } from '../../../test/support/run/runs.ts';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { output, screenSize, sizeChange } from '../../../test/support/vt/terminal-output.ts';
import { castEvents } from '../cast-events.ts';

const ample = { sessionBytes: 1_000_000, totalBytes: 1_000_000, segmentBytes: 300 };

function recorded(
  size = { cols: 20, rows: 4 },
  limits = ample,
  memory = new RecordingMemory(limits),
  watched = new WatchedTerminal(size),
) {
  const clock = new VirtualClock();
  const recorder = new SessionRecorder(watched, clock);
  const ring = new RecordingRing(watched, clock, memory, 'start');
  recorder.add(ring);
  return { watched, clock, recorder, ring, memory };
}

/** A copy of what is shown. */
const shown = (terminal: WatchedTerminal['terminal']) => {
  const rows = Array.from({ length: terminal.size.rows }, (_, row) => terminal.readRow(row).ansi());
  return JSON.stringify([rows, terminal.cursor]);
};

function castOf(ring: RecordingRing) {
  const moment = momentNow(ring);
  if (moment === null) throw new Error('nothing is recorded');
  const encoder = new CastEncoder(3);
  const { size } = (moment.segments[0] as (typeof moment.segments)[number]).begin;
  const events = [...castEvents(moment)].map((event) => encoder.event(event));
  return parseCast(encodeUtf8(encoder.header({ size }) + events.join('')));
}

/** Mostly without the mode in which single bytes are control characters: no text contains those. */
const decodable = output.map((bytes) => {
  const text = String.fromCharCode(...bytes)
    .replaceAll('\x1b G', '\x1b F')
    .replaceAll('"p', '"q');
  return Uint8Array.from(text, (byte) => byte.charCodeAt(0));
});

/** Output with frames and characters that are cut anywhere, invalid bytes, and resizes. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ bytes: decodable, cut: fc.nat({ max: 60 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      bytes: fc.constantFrom('\x1b[?2026h', '\x1b[?2026l', 'é漢👩‍👩‍👧', '\xff\xc3').map(encodeUtf8),
      cut: fc.nat({ max: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 8 }).map((bytes) => ({ bytes, cut: 1 })) },
  { weight: 2, arbitrary: sizeChange },
  { weight: 1, arbitrary: fc.constant({ frameEnd: true }) },
  { weight: 1, arbitrary: fc.string({ minLength: 1 }).map((label) => ({ label })) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function partsOf(each: Step, watched: WatchedTerminal, recorder: SessionRecorder): (() => void)[] {
  if ('size' in each) return [() => watched.resize(each.size, each.place)];
  if ('label' in each) return [() => recorder.mark(each.label)];
  if ('frameEnd' in each) return [() => watched.endFrame()];
  const parts = [each.bytes.subarray(0, each.cut), each.bytes.subarray(each.cut)];
  return parts.map((part) => () => watched.outputByFrames(part));
}

describe('a recording in memory', () => {
  it('replays to the screen that the session showed, after every event', () => {
    const property = fc.property(screenSize, fc.array(step, { maxLength: 12 }), (size, steps) => {
      const { watched, clock, recorder, ring } = recorded(size);
      const screens: string[] = [];
      clock.advance(2);
      for (const apply of steps.flatMap((each) => partsOf(each, watched, recorder))) {
        apply();
        if (stateOf(watched.terminal).replies.eightBit) break;
        screens.push(shown(watched.terminal));
        clock.advance(2);
      }
      const replay = new Replay(castOf(ring));
      screens.forEach((screen, index) => {
        const terminal = replay.at(2 + 2 * index);
        expect(shown(terminal)).toBe(screen);
      });
    });
    fc.assert(property, runs(60));
  });

  it('stays within its limits: the oldest segments of any session go first', () => {
    const limits = { sessionBytes: 30_000, totalBytes: 45_000, segmentBytes: 4_000 };
    const memory = new RecordingMemory(limits);
    const sessions = [1, 2, 3].map(() => recorded({ cols: 20, rows: 4 }, limits, memory));
    const property = fc.property(
      fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 9_000 })), { maxLength: 40 }),
      (writes) => {
        for (const [index, length] of writes) {
          const { watched, clock, ring } = sessions[index] as (typeof sessions)[number];
          clock.advance(1);
          watched.output('x'.repeat(length));
          expect(memory.bytes).toBeLessThanOrEqual(limits.totalBytes);
          const bytes = ring.segments.reduce((sum, each) => sum + each.memoryBytes, 0);
          expect(bytes).toBeLessThanOrEqual(limits.sessionBytes);
        }
        const all = sessions.flatMap(({ ring }) => ring.segments.map((each) => each.memoryBytes));
        expect(all.reduce((sum, each) => sum + each, 0)).toBe(memory.bytes);
      },
    );
    fc.assert(property, runs(20));
  });

  it('that begins or is drawn again within a secret does not have the rest of it', () => {
    const secret = 'AKIAQ3EGRFZ7VN5XK2TD';
    const property = fc.property(fc.nat(9), fc.integer({ min: 10, max: 20 }), (a, b) => {
      const watched = new WatchedTerminal({ cols: 30, rows: 4 });
      watched.output(`x ${secret.slice(0, a)}`);
      const { ring } = recorded({ cols: 30, rows: 4 }, ample, undefined, watched);
      watched.output(secret.slice(a, b));
      watched.resize({ cols: 31, rows: 4 });
      watched.output(`${secret.slice(b)} end\r\n`);
      const moment = momentNow(ring);
      if (moment === null) throw new Error('nothing is recorded');
      const redactor = new EventRedactor([tokenRule]);
      const events = [...castEvents(moment)].flatMap((each) => redactor.push(each));
      const text = [...events, ...redactor.end()]
        .map((each) => (each.type === 'output' ? each.text : ''))
        .join('');
      expect(text).toContain(' end');
      expect(text).not.toContain(secret.slice(-4));
      expect(text).not.toContain(secret.slice(0, 16));
    });
    fc.assert(property, runs(30));
  });

  it('of a session that printed nothing is small', () => {
    const { memory } = recorded({ cols: 80, rows: 24 });
    expect(memory.bytes).toBeLessThan(4_000);
  });

  it('begins again after output that is larger than the limit', () => {
    const { watched, ring } = recorded();
    watched.output('a\r\n');
    watched.output('y'.repeat(ample.sessionBytes));
    watched.output('end');
    expect(ring.begins).toBe('limit');
    const replay = new Replay(castOf(ring));
    expect(shown(replay.at(replay.durationMs))).toBe(shown(watched.terminal));
  });

  it('of a screen that is too large is tried again after as much output, and begins when it fits', () => {
    const limits = { sessionBytes: 20_000, totalBytes: 20_000, segmentBytes: 2_000 };
    const { watched, ring } = recorded({ cols: 80, rows: 24 }, limits);
    const snapshots = vi.spyOn(watched.terminal, 'snapshot');
    const links = Array.from(
      { length: 100 },
      (_, at) => `\x1b]8;;http://x/${at}${'z'.repeat(200)}\x07y`,
    );
    watched.output(links.join(''));
    for (let times = 0; times < 1_000; times++) watched.output('more\r');
    expect(ring.segments).toEqual([]);
    expect(snapshots.mock.calls.length).toBeLessThan(5);
    watched.output('\x1b[2J\x1b]8;;\x07');
    for (let times = 0; times < 10_000; times++) watched.output('more\r');
    expect(ring.begins).toBe('limit');
    const replay = new Replay(castOf(ring));
    expect(shown(replay.at(replay.durationMs))).toBe(shown(watched.terminal));
  });
});
