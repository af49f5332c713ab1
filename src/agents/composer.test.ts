import { expect, it } from 'vitest';
import { WatchedTerminal } from '../../test/support/session/watched-terminal.ts';
import { findComposer } from './composer.ts';

/** A screen whose cursor is hidden below all text, as programs leave it that draw a field with a bar at its left side. */
const screen = (rows: readonly string[]) => ({
  rows,
  cursor: {
    row: rows.length,
    col: 0,
    visible: false,
    wrapPending: false,
    shape: 'block',
    blinking: false,
  } as const,
  cells: () => [],
});

const field = ['A message', '', '┃', '┃ > a draft', '┃'];

it('a field with only a bar is found above a short footer', () => {
  expect(findComposer(screen(field))).toMatchObject({ top: 2, bottom: 5, text: 'a draft' });
  expect(findComposer(screen([...field, '  build  gpt-5', '  ctrl+p commands']))?.text).toBe(
    'a draft',
  );
});

it.each([
  ['keys of a menu below it', [...field, '  ↑↓ select  enter confirm']],
  ['an option in it', ['┃', '┃ > Which one?', '┃ 1. Yes', '┃']],
  ['a box to tick in it', ['┃', '┃ > Which ones?', '┃ [x] tests', '┃']],
  ['more than a footer below it', [...field, 'one', 'two', 'three']],
])('it is a dialog with %s', (_what, rows) => {
  expect(findComposer(screen(rows))).toBeNull();
});

it('a draft without a sign is found by the cursor that is painted behind it', () => {
  const watched = new WatchedTerminal({ cols: 80, rows: 24 });
  const field = (text: string) => `┃\x1b[48;5;234m ${text.padEnd(40)}\x1b[m`;
  const composerWith = (draft: string) => {
    const rows = ['A message', '', field(''), field(draft), field(''), ''];
    watched.output(`\x1bc\x1b[?25l${rows.join('\r\n')}`);
    watched.output('\r\n▶ normal mode on\r\n\r\n');
    const { cursor } = watched.terminal;
    return findComposer({
      rows: watched.screenRows(),
      cells: (row) => watched.rowCells(row),
      cursor,
    });
  };
  expect(composerWith('a draft\x1b[7m \x1b[27m')).toMatchObject({
    text: 'a draft',
    hasCursor: true,
  });
  expect(composerWith('an earlier prompt')).toBeNull();
});
