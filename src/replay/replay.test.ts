import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '#base';
import type { RecordedEvent, Recording } from '#recording';
import { Terminal } from '#vt';
import { runs } from '../../test/support/run/runs.ts';
import { expectSameTerminal } from '../../test/support/vt/same-terminal.ts';
import { output, screenSize } from '../../test/support/vt/terminal-output.ts';
import { PlayingTime, Replay, searchInTime } from './index.ts';
import { replayScrollback } from './replay.ts';

const size = { cols: 20, rows: 4 };
const recordingOf = (events: readonly RecordedEvent[], first = size): Recording => ({
  version: 3,
  header: { size: first },
  events,
});
const outputAt = (atMs: number, text: string): RecordedEvent => ({ atMs, type: 'output', text });

/** Within a second, so that no frame is shown before it is complete. */
const anyEvents = fc
  .array(
    fc.tuple(
      fc.nat({ max: 900 }),
      fc.oneof(
        { weight: 3, arbitrary: output.map((bytes) => ({ text: decodeUtf8(bytes) })) },
        { weight: 1, arbitrary: screenSize.map((next) => ({ size: next })) },
        { weight: 1, arbitrary: fc.string().map((label) => ({ label })) },
      ),
    ),
    { maxLength: 8 },
  )
  .map((list): RecordedEvent[] =>
    list
      .sort(([one], [two]) => one - two)
      .map(([atMs, each]): RecordedEvent => {
        if ('text' in each) return outputAt(atMs, each.text);
        if ('size' in each) return { atMs, type: 'resize', size: each.size };
        return { atMs, type: 'marker', label: each.label };
      }),
  );

function fedUntil(atMs: number, events: readonly RecordedEvent[], first: typeof size): Terminal {
  const terminal = new Terminal({ size: first, scrollback: replayScrollback });
  for (const event of events) {
    if (event.atMs > atMs) break;
    if (event.type === 'output') terminal.feed(encodeUtf8(event.text));
    if (event.type === 'resize') terminal.resize(event.size);
  }
  return terminal;
}

describe('a replay', () => {
  it('equals a terminal that was fed the events so far, at all times in any order', () => {
    const times = fc.array(fc.integer({ min: -1, max: 1000 }), { maxLength: 3 });
    const property = fc.property(
      ...[screenSize, anyEvents, times, fc.boolean()],
      fc.integer({ min: 1, max: 2000 }),
      fc.constantFrom(1_000, 20_000, 1_000_000),
      (first, events, others, isLoaded, intervalBytes, maxKeyFrameBytes) => {
        const replay = new Replay(recordingOf(events, first), { intervalBytes, maxKeyFrameBytes });
        if (isLoaded) replay.load();
        expect(replay.keyFrameBytes).toBeLessThanOrEqual(maxKeyFrameBytes);
        for (const atMs of [...others, ...events.map((event) => event.atMs), ...others.reverse()]) {
          expectSameTerminal(replay.at(atMs), fedUntil(atMs, events, first));
        }
        for (const { atMs, terminal } of replay.steps()) {
          expectSameTerminal(terminal, fedUntil(atMs, events, first));
        }
      },
    );
    fc.assert(property, runs(20));
  });

  it('steps to each time at which the screen changes', () => {
    const replay = new Replay(
      recordingOf([
        outputAt(10, 'a'),
        { atMs: 15, type: 'marker', label: 'm' },
        outputAt(20, 'b'),
        outputAt(20, 'c'),
        outputAt(30, '\x1b[?2026hd'),
        outputAt(35, 'e'),
        outputAt(40, 'f\x1b[?2026l'),
        { atMs: 50, type: 'resize', size: { cols: 10, rows: 4 } },
        { atMs: 60, type: 'exit', status: 3 },
      ]),
    );
    const steps = [...replay.steps({ fromMs: 5, toMs: 50 })].map(({ atMs }) => atMs);
    expect(steps).toEqual([5, 10, 20, 30, 40, 50]);
    expect(replay.markers).toEqual([{ atMs: 15, type: 'marker', label: 'm' }]);
    expect(replay.exit).toMatchObject({ atMs: 60, status: 3 });
    expect(replay.durationMs).toBe(60);
  });

  it('shows a frame that is never completed after a second, and not before', () => {
    const events = [outputAt(100, '\x1b[?2026hdrawn'), outputAt(5_000, ' more')];
    const replay = new Replay(recordingOf(events));
    const shown = (atMs: number) => replay.at(atMs).screenText()[0];
    const orders = [1_100, 1_099, 1_100, 6_000, 1_099].map(shown);
    expect(orders).toEqual(['drawn', '', 'drawn', 'drawn more', '']);
    expect(shown(Number.POSITIVE_INFINITY)).toBe('drawn more');
    expect([...replay.steps()].map(({ atMs }) => atMs)).toEqual([0, 100, 1_100, 5_000]);
  });

  it('answers nothing and keeps no clipboard', () => {
    const hostile = '\x1b[c\x1b]52;c;AAAA\x07\x1b]2;t\x07\x07\x1bP$qm\x1b\\';
    const terminal = new Replay(recordingOf([outputAt(0, hostile)])).at(0);
    expect(terminal.takeReplies()).toBeNull();
    expect(terminal.takeEvents()).toEqual([]);
  });

  it('finds when a row with a match appears, and not when it only moves', () => {
    const replay = new Replay(
      recordingOf([
        outputAt(0, 'error 1\r\n'),
        outputAt(10, 'fine\r\n'),
        outputAt(20, 'fine\r\nfine\r\nmoved'),
        outputAt(30, '\r\x1b[Kerror 2'),
        outputAt(40, '\x1b[2J'),
        outputAt(50, '\x1b[Herror 2'),
      ]),
    );
    const next = (afterMs: number) => {
      const search = searchInTime(replay, (row) => /error/.test(row), afterMs);
      for (;;) {
        const { done, value } = search.next();
        if (done === true) return value;
      }
    };
    expect([-1, 0, 30, 50].map(next)).toEqual([0, 30, 50, null]);
  });
});

describe('playing time', () => {
  const times = fc
    .array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 20 })
    .map((list) => list.sort((one, two) => one - two));

  it('shortens each pause to the limit, and keeps the other times', () => {
    const property = fc.property(times, fc.integer({ min: 1, max: 3_000 }), (list, limitMs) => {
      const events = list.map((atMs) => outputAt(atMs, ''));
      const playing = new PlayingTime(events, limitMs);
      let expectedMs = 0;
      list.forEach((atMs, index) => {
        expectedMs += Math.min(limitMs, atMs - (list[index - 1] ?? 0));
        expect(playing.playedMs(atMs)).toBe(expectedMs);
        expect(playing.recordedMs(expectedMs)).toBe(atMs);
      });
    });
    fc.assert(property, runs(200));
  });

  it('goes on in every ms, without a limit as recorded', () => {
    const property = fc.property(
      times,
      fc.option(fc.integer({ min: 1, max: 3_000 })),
      (list, limitMs) => {
        const playing = new PlayingTime(
          list.map((atMs) => outputAt(atMs, '')),
          limitMs,
        );
        for (let ms = 0, before = 0; ms <= 11_000; ms += 97) {
          expect(playing.playedMs(ms)).toBeGreaterThanOrEqual(before);
          before = playing.playedMs(ms);
          if (limitMs === null) expect(before).toBe(ms);
          expect(playing.recordedMs(playing.playedMs(ms))).toBeGreaterThanOrEqual(ms - 0.001);
        }
      },
    );
    fc.assert(property, runs(100));
  });
});
