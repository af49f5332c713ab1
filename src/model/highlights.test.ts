import { describe, expect, it } from 'vitest';
import type { Cell, Style } from '#model';
import { hidesText, highlightedRows, withoutStyles } from './highlights.ts';

describe('highlights', () => {
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
    const matches = highlightedRows(screen({}, ...rows));
    expect(matches).toHaveLength(10);
    expect(matches[0]?.text).toHaveLength(60);
  });
});

const esc = '\u001b';

describe('hidesText', () => {
  it.each([
    ['plain', false],
    [`${esc}[0;8mgone${esc}[m`, true],
    [`${esc}[0;1;8;31mgone${esc}[m`, true],
    [`${esc}[0;8m   ${esc}[mthere`, false],
    [`${esc}[0;31;41mgone${esc}[m`, true],
    [`${esc}[0;32;42m[${esc}[0;30;42mMain${esc}[0;32;42m]${esc}[m`, false],
    [`${esc}[0;31;42mthere${esc}[m`, false],
    [`${esc}[0;91;41mthere${esc}[m`, false],
    [`${esc}[0;97;107mgone${esc}[m`, true],
    [`${esc}[0;38;5;8mthere${esc}[m`, false],
    [`${esc}[0;38;5;200;48;5;200mgone${esc}[m`, true],
    [`${esc}[0;38;2;8;8;8mthere${esc}[m`, false],
    [`${esc}[0;38;2;1;2;3;48;2;1;2;3mgone${esc}[m`, true],
    [`${esc}[0;38;2;1;2;3;48;2;1;2;4mthere${esc}[m`, false],
    [`${esc}[0;4:3;58:5:8mthere${esc}[m`, false],
    [`${esc}[0;8m${esc}]8;;http://x${esc}\\gone${esc}[m`, true],
    [`${esc}]8;;http://x${esc}\\${esc}[0;1mthere${esc}[m${esc}]8;;${esc}\\`, false],
  ])('%j: %s', (ansi, isHidden) => {
    expect(hidesText(ansi)).toBe(isHidden);
  });

  it('keeps the text', () => {
    const link = `${esc}]8;id=1;http://x${esc}\\li${esc}[0;1mnk${esc}[m${esc}]8;;${esc}\\`;
    expect(withoutStyles(`a ${link} b`)).toBe('a link b');
  });
});
