import { describe, expect, it } from 'vitest';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { filterList } from './question-on-screen.ts';

const size = { cols: 40, rows: 8 };

/** Returns the list of a screen with these rows whose cursor is at the end of row `prompt`, counted from 0. */
function listOf(rows: readonly string[], prompt: number) {
  const watched = new WatchedTerminal(size);
  watched.output(`${rows.join('\r\n')}\x1b[${prompt + 1};1H${rows[prompt]}`);
  const { cursor } = watched.terminal;
  return filterList({
    rows: watched.screenRows(),
    cells: (row) => watched.rowCells(row),
    cursor,
  });
}

const line = '─'.repeat(26);
/** A row that ends with the scrollbar. */
const bar = (text: string) => `${text.padEnd(39)}│`;

describe('a list of fzf with marked items', () => {
  it('has the pointer where it is, not at the first marked item', () => {
    const rows = ['> ', `  3/3 (2) ${line}`, ' >apple', ' >banana', '> cherry'];
    expect(listOf(rows, 0)).toMatchObject({
      options: ['apple', 'banana', 'cherry'],
      selected: 2,
      multiple: true,
      checked: [0, 1],
    });
  });

  it('may have the pointer at one of them', () => {
    const rows = ['  cherry', '▌ banana', '▌┃apple', `  3/3 (1) ${line}`, '> '];
    const oneGutter = rows.with(1, '  banana');
    expect(listOf(oneGutter, 4)).toMatchObject({
      options: ['cherry', 'banana', 'apple'],
      selected: 2,
      checked: [2],
    });
  });

  it.each([
    ['none is marked', ['> ', '  2/2 (0)', '> >a', '  -b'], ['>a', '-b'], []],
    ['the marks are not on the screen', ['> ', '  2/9 (3)', '> a', '  b'], ['a', 'b'], undefined],
    ['few marks are not on the screen', ['> ', '  2/9 (1)', '> a', '  b'], ['a', 'b'], []],
    ['there is no column for marks', ['> ', '  2/2 (1)', '>a', ' b'], ['a', 'b'], undefined],
    ['the mark is unusual', ['> ', '  2/2 (1)', '> a', ' ✓b'], ['a', 'b'], [1]],
    ['the pointer is wide', ['> ', '  2/2 (1)', '>  a', '  >b'], ['a', '>b'], undefined],
    ['the margin is wide', ['   > ', '     2/2 (1)', '    >a', '   > b'], ['a', 'b'], [0]],
  ])('tells which they are if that is certain: %s', (_when, rows, options, checked) => {
    const list = listOf(rows, 0);
    expect(list).toMatchObject({ options, multiple: true });
    expect(list?.checked).toEqual(checked);
  });
});

describe('a list of fzf in a border', () => {
  const inBox = (rows: readonly string[], width = 38) => [
    `╭${'─'.repeat(width)}╮`,
    ...rows.map((row) => `│${row.padEnd(width)}│`),
    `╰${'─'.repeat(width)}╯`,
  ];
  const rows = ['   cherry', '   banana', ' > apple', '   Pick', `   3/3 (0) ${line}`, ' >'];
  const expected = { title: 'Pick', options: ['cherry', 'banana', 'apple'], selected: 2 };

  /** Returns the list of a screen whose cursor is in column 3. */
  const listAt = (screen: readonly string[], prompt: number) => {
    const watched = new WatchedTerminal({ cols: 60, rows: 12 });
    watched.output(`${screen.join('\r\n')}\x1b[${prompt + 1};5H`);
    const { cursor } = watched.terminal;
    return filterList({
      rows: watched.screenRows(),
      cells: (row) => watched.rowCells(row),
      cursor,
    });
  };

  it('is read as without it', () => {
    expect(listAt(inBox(rows), 6)).toMatchObject({ ...expected, multiple: true, checked: [] });
    const down = [' >', '   2/3', ' > apple', '   banana', '', ''];
    expect(listAt(inBox(down), 1)).toMatchObject({ options: ['apple', 'banana'], selected: 0 });
    expect(
      listAt(
        rows.map((row) => `│${row}`),
        5,
      ),
    ).toMatchObject(expected);
    const ascii = inBox(rows).map((row) => row.replace(/[╭╮╰╯]/g, '+').replace(/│/g, '|'));
    expect(listAt(ascii, 6)).toMatchObject(expected);
  });

  it('has no preview beside it', () => {
    const preview = inBox(['some text', 'of the', '', ''], 12);
    const beside = rows.map((row, index) => `${row.slice(0, 30).padEnd(31)}${preview[index]}`);
    expect(
      listAt(
        beside.map((row) => row.replace(/^ /, '  ')),
        5,
      ),
    ).toMatchObject(expected);
    expect(listAt(inBox(beside, 46), 6)).toMatchObject(expected);
  });
});

describe('a list of fzf', () => {
  it('has no selected item if each looks as if the pointer were there', () => {
    const rows = ['▌ b', '▌ a', `  2/2 ${line}`, '> '];
    expect(listOf(rows, 3)).toMatchObject({ options: ['b', 'a'], selected: null });
    const styled = ['▌ b', '▌ c', '\x1b[31m▌\x1b[m a', `  3/3 ${line}`, '> '];
    expect(listOf(styled, 4)).toMatchObject({ options: ['b', 'c', 'a'], selected: 2 });
  });

  it('has all of its items without colours, and the header as its title', () => {
    const rows = ['> ', `  3/3 ${line}`, '  Pick a fruit', '  apple', '> banana', '  cherry'];
    expect(listOf(rows, 0)).toMatchObject({
      title: 'Pick a fruit',
      options: ['apple', 'banana', 'cherry'],
      selected: 1,
    });
  });

  it('has no rows of what is above it, where it takes a part of the screen', () => {
    const above = ['$ echo "> a"', '> a', '$ ls | fzf --height 5'];
    const rows = [...above, '  c', '  b', '> a', `  3/3 ${line}`, '> '];
    expect(listOf(rows, 7)).toMatchObject({ title: '', options: ['c', 'b', 'a'], selected: 2 });
    const margin = [...above, '    b', '  > a', `    2/2 ${line}`, '  > '];
    expect(listOf(margin, 6)).toMatchObject({ options: ['b', 'a'], selected: 1 });
  });

  it('has its scrollbar in no option', () => {
    const down = ['> ', `  112/112 ${line}`, bar('> 1'), bar('  │ 2 │'), '  3', '  4'];
    expect(listOf(down, 0)?.options).toEqual(['1', '│ 2 │', '3', '4']);
    const up = ['  3', bar('  2'), bar('> 1'), `  112/112 ${line}`, '> '];
    expect(listOf(up, 4)?.options).toEqual(['3', '2', '1']);
  });

  it('keeps a line at the end of an item that is no scrollbar', () => {
    const rows = ['> ', `  2/2 ${line}`, bar('> 1'), bar('  2')];
    expect(listOf(rows, 0)?.options[1]).toMatch(/^2 +│$/);
    const table = ['> ', `  9/9 ${line}`, '> │ a │', '  │ b │'];
    expect(listOf(table, 0)?.options).toEqual(['│ a │', '│ b │']);
  });
});
