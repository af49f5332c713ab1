import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyRows } from '#keys';
import { cellsText, type Size } from '#model';
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
      (session) =>
        session.act({
          type: 'others',
          others: ['api', '漢字', 'web', 'more'],
          news: [{ name: '漢字', does: 'asks: \x1b[31m?' }],
        }),
      (session) => session.act({ type: 'others', others: [], news: [] }),
      (session) =>
        session.act({ type: 'notification', notification: { title: '漢', body: '\x9b' } }),
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
  const texts: string[] = [];
  if (rows.length !== size.rows) texts.push(`${rows.length} rows of ${size.rows}`);
  rows.forEach((row, at) => {
    if (row.length !== size.cols) texts.push(`row ${at} has ${row.length} of ${size.cols} cells`);
    row.forEach((cell, col) => {
      const next = row[col + 1];
      if (cell === undefined) texts.push(`no cell at ${at},${col}`);
      else if (cell.width === 2 && next?.width !== 0)
        texts.push(`half of a character at ${at},${col}`);
      else if (cell.width === 0 && row[col - 1]?.width !== 2) texts.push(`a tail at ${at},${col}`);
      else if ((cell.width === 0) !== (cell.text === '')) texts.push(`no text at ${at},${col}`);
    });
  });
  const isInside =
    cursor.row >= 0 && cursor.row < size.rows && cursor.col >= 0 && cursor.col < size.cols;
  if (!isInside) texts.push(`cursor at ${cursor.row},${cursor.col}`);
  return texts;
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

describe('other sessions that want somebody', () => {
  const api = { name: 'api', does: 'asks: Overwrite?' };
  const web = { name: 'web', does: 'failed: make: exited with status 2' };
  const viewOf = (session: ViewedSession) => {
    const { rows, title } = session.picture(null);
    return { last: cellsText(rows.at(-1) ?? []).trim(), title };
  };
  const shown = (status: 'on' | 'off', cols = 100) => {
    const size = { cols, rows: 5 };
    const session = new ViewedSession({ size: { cols, rows: 4 }, window: size, status });
    if (status === 'off') session.resize(size);
    session.print('\x1b]2;vim\x07\x1b[Hxyz');
    return session;
  };

  it('are in the status line with their names and the key, and in the title, as long as they do', () => {
    const session = shown('on');
    expect(viewOf(session)).toMatchObject({ title: 'vim' });
    session.act({ type: 'others', others: ['api', 'web'], news: [api, web] });
    expect(viewOf(session).last).toContain('2 want somebody: Ctrl+b n · api, web');
    expect(viewOf(session).title).toBe('2 want somebody: api, web · vim');
    session.act({ type: 'others', others: ['web'], news: [] });
    expect(viewOf(session).last).toContain('1 wants somebody: Ctrl+b n · web');
    session.act({ type: 'others', others: [], news: [] });
    expect(viewOf(session).last).not.toContain('want');
    expect(viewOf(session).title).toBe('vim');
  });

  it.each([
    [100, '2 want somebody: Ctrl+b n · api, web'],
    [40, '2 want: api'],
  ])('are named in a window of %i columns', (cols, text) => {
    const session = shown('on', cols);
    session.act({ type: 'others', others: ['api', 'web'], news: [] });
    expect(viewOf(session).last).toContain(text);
  });

  it('are told for a moment over the last row where there is no status line', () => {
    const session = shown('off');
    session.act({ type: 'others', others: ['api'], news: [api] });
    expect(viewOf(session)).toEqual({
      last: 'api asks: Overwrite? · Ctrl+b n shows it',
      title: '1 wants somebody: api · vim',
    });
    session.nowMs += 3_000;
    session.act({ type: 'time' });
    expect(viewOf(session)).toEqual({ last: '', title: '1 wants somebody: api · vim' });
    session.act({ type: 'others', others: ['api'], news: [] });
    expect(viewOf(session).last).toBe('');
    session.act({ type: 'others', others: ['api', 'web'], news: [web, api] });
    expect(viewOf(session).last).toBe('2 want somebody: Ctrl+b n · api, web');
  });

  it('change nothing if they are the same', () => {
    const session = shown('on');
    session.act({ type: 'others', others: ['api'], news: [] });
    const before = session.state;
    session.act({ type: 'others', others: ['api'], news: [] });
    expect(session.state).toBe(before);
  });
});

describe('a notification of the program', () => {
  const notification = { title: 'Build', body: 'done', code: 99 } as const;
  const shown = (notifications: 'pass' | 'status' | 'off') => {
    const session = new ViewedSession({ notifications });
    const last = () => cellsText(session.picture(null).rows.at(-1) ?? []).trim();
    const notify = () => session.act({ type: 'notification', notification });
    return { session, last, notify };
  };

  it('reaches the terminal, at most 5 in 10 seconds', () => {
    const { session, last, notify } = shown('pass');
    for (let count = 0; count < 5; count++) notify();
    expect(session.effects).toEqual(Array(5).fill({ type: 'notify', notification }));
    notify();
    expect(session.effects).toHaveLength(5);
    expect(last()).toBe('too many notifications; not passed on: Build: done');
    session.nowMs += 10_000;
    notify();
    expect(session.effects).toHaveLength(6);
  });

  it('is in the status line, or nowhere, on request', () => {
    const { session, last, notify } = shown('status');
    notify();
    expect([session.effects, last()]).toEqual([[], 'Build: done']);
    const off = shown('off');
    off.notify();
    expect([off.session.effects, off.last()]).toEqual([[], '']);
  });
});
