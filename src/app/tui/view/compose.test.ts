import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyRows } from '#keys';
import type { Size } from '#model';
import type { Picture, TtyEvent } from '#tty';
import { runs } from '../../../../test/support/run/runs.ts';
import { keyEvent, ViewedSession } from '../../../../test/support/tui/viewed-session.ts';
import { output } from '../../../../test/support/vt/terminal-output.ts';

const arbitrarySize: fc.Arbitrary<Size> = fc.oneof(
  fc.record({ cols: fc.integer({ min: 1, max: 12 }), rows: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ cols: fc.integer({ min: 1, max: 300 }), rows: fc.integer({ min: 1, max: 100 }) }),
);

const typed = [
  'a',
  'Z',
  '.',
  '+',
  '*',
  '(',
  'enter',
  'escape',
  'backspace',
  'y',
  'n',
  'q',
  'tab',
  '漢',
];
const arbitraryKey = fc.constantFrom(
  'ctrl+b',
  ...typed,
  ...keyRows('attach')
    .flatMap(({ keys }) => keys)
    .filter((key) => key !== 'leader'),
  ...(['scroll', 'help', 'results', 'confirm'] as const).flatMap((mode) =>
    keyRows(mode).flatMap(({ keys }) => keys),
  ),
);

const arbitraryMouse = fc.record({
  type: fc.constant('mouse' as const),
  mouse: fc.record({
    action: fc.constantFrom('press', 'release', 'move', 'scrollUp', 'scrollDown'),
    button: fc.constant('left' as const),
    row: fc.nat({ max: 100 }),
    col: fc.nat({ max: 300 }),
  }),
});

type Deed = (session: ViewedSession) => void | Promise<void>;

const event =
  (tty: TtyEvent): Deed =>
  async (session) => {
    session.event(tty);
    await session.settle();
  };

const arbitraryDeed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 8, arbitrary: arbitraryKey.map((key) => event(keyEvent(key))) },
  { weight: 2, arbitrary: arbitraryMouse.map((tty) => event(tty as TtyEvent)) },
  {
    weight: 2,
    arbitrary: output.map(
      (bytes): Deed =>
        (session) =>
          session.print(bytes),
    ),
  },
  {
    weight: 1,
    arbitrary: arbitrarySize.map(
      (size): Deed =>
        (session) =>
          session.resize(size),
    ),
  },
  {
    weight: 1,
    arbitrary: arbitrarySize.map(
      (size): Deed =>
        (s) =>
          s.act({ type: 'window', size }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Deed>(
      (session) => session.drive(),
      (session) =>
        session.act({
          type: 'connection',
          connection: { state: 'ended', how: 'exited with status 0', isRemoved: false },
        }),
      (session) =>
        session.act({
          type: 'connection',
          connection: { state: 'lost', untilMs: 1_010_000 },
        }),
      (session) => session.act({ type: 'connection', connection: { state: 'silent' } }),
      (session) => session.act({ type: 'connection', connection: { state: 'connected' } }),
      (session) => session.act({ type: 'notice', text: 'a note\x1b[31m 漢字 of some length' }),
      (session) => {
        session.nowMs += 4000;
        session.act({ type: 'time' });
      },
    ),
  },
);

/** Returns what is wrong with a picture. */
function flaws({ size, rows, cursor }: Picture): string[] {
  const found: string[] = [];
  if (rows.length !== size.rows) found.push(`${rows.length} rows of ${size.rows}`);
  rows.forEach((row, at) => {
    if (row.length !== size.cols) found.push(`row ${at} has ${row.length} of ${size.cols} cells`);
    row.forEach((cell, col) => {
      const next = row[col + 1];
      if (cell === undefined) found.push(`no cell at ${at},${col}`);
      else if (cell.width === 2 && next?.width !== 0)
        found.push(`half of a character at ${at},${col}`);
      else if (cell.width === 0 && row[col - 1]?.width !== 2) found.push(`a tail at ${at},${col}`);
      else if ((cell.width === 0) !== (cell.text === '')) found.push(`no text at ${at},${col}`);
    });
  });
  const isInside =
    cursor.row >= 0 && cursor.row < size.rows && cursor.col >= 0 && cursor.col < size.cols;
  if (!isInside) found.push(`cursor at ${cursor.row},${cursor.col}`);
  return found;
}

describe('compose', () => {
  it('shows the colours that the program has set (OSC 4, 10, 11), also while scrolling', async () => {
    const size = { cols: 8, rows: 2 };
    const session = new ViewedSession({ size, window: size, status: 'off' });
    const colors = () =>
      session
        .picture(null)
        .rows[0]?.slice(0, 2)
        .map(({ style: { fg, bg } }) => [fg, bg]);
    session.print('\x1b[31ma\x1b[mb');
    expect(colors()).toEqual([
      [1, null],
      [null, null],
    ]);
    session.print('\x1b]4;1;rgb:12/34/56\x07\x1b]10;#abcdef\x07\x1b]11;#000102\x07');
    const set = [
      ['#123456', '#000102'],
      ['#abcdef', '#000102'],
    ];
    expect(colors()).toEqual(set);
    await session.press('ctrl+b', '[');
    expect(colors()).toEqual(set);
    await session.press('q');
    session.print('\x1b]104\x07\x1b]110\x07\x1b]111\x07');
    expect(colors()).toEqual([
      [1, null],
      [null, null],
    ]);
  });

  it('returns exactly the cells of the window, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrarySize,
        arbitrarySize,
        fc.constantFrom('on', 'off', 'auto'),
        output,
        fc.array(arbitraryDeed, { maxLength: 25 }),
        async (size, window, status, earlier, deeds) => {
          const session = new ViewedSession({ size, window, status, earlier });
          let before: Picture | null = null;
          for (const deed of deeds) {
            await deed(session);
            const picture = session.picture(before);
            expect(flaws(picture)).toEqual([]);
            before = picture;
          }
        },
      ),
      runs(150),
    );
  });
});
