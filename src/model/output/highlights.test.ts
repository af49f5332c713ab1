import { expect, it } from 'vitest';
import type { Cell, Style } from '#model';
import { highlightedRows } from './highlights.ts';

type Part = string | readonly [text: string, style: Partial<Style>];

const cellOf = (text: string, style: Partial<Style> = {}): Cell => ({
  text,
  width: 1,
  style: { fg: null, bg: null, inverse: false, ...style } as Style,
});

/** A screen of these rows, filled with blanks up to 20 columns and 6 rows. */
function screen(background: Partial<Style>, ...rows: readonly (readonly Part[])[]): Cell[][] {
  const fill = (cells: readonly Cell[]) => [
    ...cells,
    ...Array.from({ length: Math.max(0, 20 - cells.length) }, () => cellOf(' ', background)),
  ];
  const filled = rows.map((parts) =>
    fill(
      parts.flatMap((part) => {
        const [text, style] = typeof part === 'string' ? [part, background] : part;
        return [...text].map((char) => cellOf(char, style));
      }),
    ),
  );
  return [...filled, ...Array.from({ length: Math.max(0, 6 - rows.length) }, () => fill([]))];
}

const reverse = { inverse: true };
const window = { bg: 7 };
const page = { bg: 4 };

it.each([
  ['nothing', screen({}, ['plain'], ['text']), []],
  [
    'a reversed row',
    screen({}, ['one'], [[' two  ', reverse]], ['three']),
    [{ row: 1, text: 'two' }],
  ],
  [
    'a background of its own',
    screen({}, ['one'], [['> two', { bg: 4 }]]),
    [{ row: 1, text: '> two' }],
  ],
  [
    'two runs of a row',
    screen({}, ['a ', ['foo', reverse], ' b ', ['foo', reverse], ' c']),
    [{ row: 0, text: 'foo  foo' }],
  ],
  ['no blanks', screen({}, [['     ', reverse]]), []],
  [
    'a selection in a program with a background',
    screen({ bg: 4 }, ['one'], [['two', { bg: 7 }]], ['three']),
    [{ row: 1, text: 'two' }],
  ],
  [
    'a choice in a box, in the background of the page',
    screen(
      { bg: 4 },
      [
        ['   ', page],
        ['box           ', window],
      ],
      [
        ['   ', page],
        [' one ', window],
        ['two', page],
        ['      ', window],
      ],
      [
        ['   ', page],
        ['three         ', window],
      ],
    ),
    [{ row: 1, text: 'two' }],
  ],
  [
    'no large window',
    screen(
      {},
      [[' '.repeat(18), window]],
      [['one               ', window]],
      [['x'.repeat(18), window]],
    ),
    [],
  ],
])('finds %s', (_what, rows, expected) => {
  expect(highlightedRows(rows)).toEqual(expected);
});

it('is bounded', () => {
  const marked: Part[] = [['x'.repeat(900), reverse], ' '.repeat(1000)];
  const rows = Array.from({ length: 36 }, (_, row) =>
    row % 2 === 0 ? marked : [' '.repeat(1900)],
  );
  const found = highlightedRows(screen({}, ...rows));
  expect(found).toHaveLength(10);
  expect(found[0]?.text).toHaveLength(60);
});
