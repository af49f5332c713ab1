import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '#base';
import type { RecordedEvent, Recording } from '#recording';
import { PlayingTime, Replay } from '#replay';
import { runs } from '../../../../test/support/run/runs.ts';
import { paintedSequence, terminals } from '../../../../test/support/tty/painted.ts';
import { FakeTty } from '../../../../test/support/tui/fake-tty.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { output, screenSize } from '../../../../test/support/vt/terminal-output.ts';
import { Keys } from '../keys.ts';
import { plainFrames } from './play.ts';
import { Player, type PlayerOptions } from './player.ts';

const size = { cols: 40, rows: 4 };
const outputAt = (atMs: number, text: string): RecordedEvent => ({ atMs, type: 'output', text });
const recordingOf = (events: readonly RecordedEvent[], first = size): Recording => ({
  version: 3,
  header: { size: first },
  events,
});

/** A line a second, and a marker every ten. */
const counting = recordingOf(
  Array.from({ length: 60 }, (_, index): RecordedEvent[] => {
    const atMs = 1000 * (index + 1);
    const marker: RecordedEvent = { atMs, type: 'marker', label: `m${index / 10}` };
    return [...(index % 10 === 0 ? [marker] : []), outputAt(atMs, `line ${index}\r\n`)];
  }).flat(),
);

function play(recording: Recording, options: Partial<PlayerOptions> = {}, tty = newTty()) {
  const clock = new VirtualClock();
  const replay = new Replay(recording);
  const player = new Player(tty, clock, {
    replay,
    time: new PlayingTime(recording.events, null),
    name: 'x.cast',
    fromMs: 0,
    keys: new Keys(null),
    speed: 1,
    hold: false,
    ...options,
    compile: async (source) => (text) =>
      Array.from(text.matchAll(new RegExp(source, 'g')), ({ index, 0: { length } }) => ({
        start: index,
        end: index + length,
      })),
  });
  const ended = player.run();
  let isEnded = false;
  ended.then(() => {
    isEnded = true;
  });
  /** The last line of the recording that is shown, and the status line. */
  const rows = () => tty.terminal.screenText();
  return {
    tty,
    clock,
    ended,
    isEnded: async () => {
      await Promise.resolve();
      await Promise.resolve();
      return isEnded;
    },
    status: () => rows().at(-1) ?? '',
    last: () =>
      rows()
        .findLast((row) => row.startsWith('line'))
        ?.replace(/ *│?$/, ''),
    /** Presses keys, and does what they made pending. */
    press: async (...keys: readonly string[]) => {
      tty.press(...keys);
      await new Promise((resolve) => setImmediate(resolve));
      for (let count = 0; count < 300; count++) clock.settleIo();
    },
  };
}

const newTty = (window = { cols: 60, rows: 8 }) => new FakeTty(window, terminals['vtr'] as never);

describe('the player', () => {
  it('shows the screen of each time, at any speed, and ends at the end', async () => {
    const { clock, last, status, isEnded, ended } = play(counting, { speed: 2 });
    expect(last()).toBeUndefined();
    clock.advance(500);
    expect(last()).toBe('line 0');
    clock.advance(4_500);
    expect(last()).toBe('line 9');
    expect(status()).toMatch(/^ playing 0:10 \/ 1:00 2x .* m0 {2}\? help$/);
    clock.advance(24_900);
    expect(await isEnded()).toBe(false);
    clock.advance(200);
    await ended;
  });

  it('shows the last event before it leaves, at any speed', async () => {
    const events = [outputAt(0, 'line 1\r\n'), outputAt(20, 'line 2\r\n')];
    const { clock, last, ended } = play(recordingOf(events), { speed: 64 });
    clock.advance(100);
    await ended;
    expect(last()).toBe('line 2');
  });

  it('stays at the end if it is held, and begins again', async () => {
    const { clock, status, last, press } = play(counting, { hold: true, fromMs: 59_000 });
    expect(last()).toBe('line 58');
    clock.advance(5_000);
    expect([last(), status().slice(0, 20)]).toEqual(['line 59', ' ended   1:00 / 1:00']);
    await press('space');
    expect(status()).toMatch(/^ playing 0:00/);
  });

  it('is controlled by keys', async () => {
    const { clock, last, status, press, isEnded, ended } = play(counting);
    const after = async (...keys: string[]) => {
      await press(...keys);
      return last();
    };
    clock.advance(12_500);
    await press('space');
    clock.advance(60_000);
    expect([last(), status().slice(0, 15)]).toEqual(['line 11', ' paused  0:12 /']);
    expect(await after('.')).toBe('line 12');
    expect(await after('left')).toBe('line 7');
    expect(await after('right', 'right')).toBe('line 17');
    expect(await after('[')).toBe('line 10');
    expect(await after('[')).toBe('line 0');
    expect(await after('[')).toBe('line 0');
    expect(status()).toMatch(/^ no marker before this/);
    expect(await after(']', ']')).toBe('line 20');
    expect(await after('5')).toBe('line 29');
    expect(await after('end')).toBe('line 59');
    expect(await after('home')).toBeUndefined();
    await press('>', '>', '<', '<', '<', 'space');
    clock.advance(4_000);
    expect(last()).toBe('line 1');
    expect(await after('x')).toBe('line 1');
    expect(status()).toMatch(/^ x: no such key/);
    await press('q');
    expect(await isEnded()).toBe(true);
    await ended;
  });

  it('searches in time, and shows the matches', async () => {
    const { clock, last, status, press, tty } = play(counting);
    clock.advance(1_000);
    await press('/', 'l', 'i', 'n', 'e', 'space', '[', '3', '4', ']', '$', 'enter');
    expect(last()).toBe('line 3');
    const row = tty.terminal.screenText().indexOf(`${'line 3'.padEnd(40)}│`);
    const styles = tty.terminal.screenCells().rows[row]?.map(({ style }) => style.inverse);
    expect(styles?.slice(0, 8)).toEqual([...Array(6).fill(true), false, false]);
    await press('n');
    expect(last()).toBe('line 4');
    await press('n');
    expect(status()).toMatch(/^ \/line \[34\]\$ does not appear after this/);
    await press('/', 'escape', '?');
    expect(tty.terminal.screenText()[0]).toMatch(/^ Keys/);
  });

  it('does not end while a line is typed or the help is read', async () => {
    for (const key of ['/', '?']) {
      const { clock, last, status, press, isEnded, ended } = play(counting, { fromMs: 59_000 });
      await press(key);
      clock.advance(60_000);
      expect(await isEnded()).toBe(false);
      await press('escape');
      expect([last(), status().slice(0, 7)]).toEqual(['line 59', ' ended ']);
      await press('q');
      await ended;
    }
  });

  it('shows the end of a pattern that is longer than the window, where the cursor is', async () => {
    const { status, press, tty } = play(counting);
    await press('/', ...'漢'.repeat(40), ...'end');
    expect(status()).toMatch(/^ \/漢+end$/);
    expect(tty.terminal.cursor).toMatchObject({ row: 7, col: 59, visible: true });
    await press('home');
    expect(status()).toMatch(/^ \/漢{28}/);
    expect(tty.terminal.cursor).toMatchObject({ row: 7, col: 2 });
  });

  it('shows the status line over a row that the recording needs only for a while', async () => {
    const tty = newTty(size);
    const { clock, status, press } = play(
      recordingOf([outputAt(0, '1\r\n2\r\n3\r\n4'), outputAt(60_000, '')]),
      {},
      tty,
    );
    expect(status()).toBe('4');
    await press('left');
    expect(status()).toMatch(/^ playing/);
    clock.advance(3_100);
    expect(status()).toBe('4');
    await press('space');
    clock.advance(9_000);
    expect(status()).toMatch(/^ paused/);
  });

  it('writes nothing but cells to the terminal, whatever a recording contains', () => {
    const attacks = fc.constantFrom(
      ...['\x1b]52;c;YQ==\x07', '\x1b]0;t\x07', '\x9b6n', '\x1b[c', '\x1bP$qm\x1b\\', '\x07'],
      ...['\x1b[?1000h', '\x1b[?2004h', '\x1b[>1u', '\x1b[22t', '\x1b[8;9;9t', '\x1b_G\x1b\\'],
      ...['\x1b]8;;http://x\x07link\x1b]8;;\x07', '\x1b]4;1;red\x07', '\x1b[?1049h', '\x1b[!p'],
    );
    const text = fc.oneof(output.map(decodeUtf8), attacks, fc.string({ unit: 'binary' }));
    const events = fc
      .array(fc.tuple(text, screenSize), { maxLength: 4 })
      .map((list) =>
        list.flatMap(([each, next], index): RecordedEvent[] => [
          outputAt(index * 100, each),
          { atMs: index * 100, type: 'marker', label: each },
          { atMs: index * 100 + 50, type: 'resize', size: next },
        ]),
      );
    const window = fc.record({
      cols: fc.integer({ min: 1, max: 90 }),
      rows: fc.integer({ min: 1, max: 8 }),
    });
    const capabilities = fc.constantFrom(...Object.values(terminals));
    const property = fc.property(
      events,
      window,
      screenSize,
      capabilities,
      (list, size, first, of) => {
        const tty = new FakeTty(size, of);
        const recording = recordingOf(list, first);
        const { clock } = play(recording, { hold: true, name: list[1]?.type ?? '' }, tty);
        for (let ms = 0; ms < 500; ms += 50) clock.advance(50);
        expect(tty.output.replace(paintedSequence, '')).not.toMatch(/[\0-\x1f\x7f-\x9f]/u);
        expect(tty.terminal.takeReplies()).toBeNull();
        expect(tty.terminal.takeEvents()).toEqual([]);
        for (const frame of plainFrames(new Replay(recording), 0)) {
          expect(frame).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f]/u);
        }
      },
    );
    fc.assert(property, runs(20));
  });
});

describe('the screens of a recording in a pipe', () => {
  it('are those that have settled, and one a second of what keeps changing', () => {
    const events = [
      outputAt(0, 'a'),
      outputAt(50, 'b'),
      { atMs: 400, type: 'marker', label: 'one\x1b[31m' } as const,
      outputAt(500, '\rc'),
      ...Array.from({ length: 40 }, (_, index) => outputAt(1_000 + index * 50, `\r${index} `)),
      outputAt(4_000, '\r39 '),
    ];
    const frames = [...plainFrames(new Replay(recordingOf(events)), 0)];
    expect(frames).toEqual([
      '--- 0.050 s\nab\n',
      '--- 0.500 s  one[31m\ncb\n',
      '--- 1.500 s\n10\n',
      '--- 2.500 s\n30\n',
      '--- 2.950 s\n39\n',
    ]);
  });
});
