import { describe, expect, it } from 'vitest';
import { cellsText } from '#model';
import { drawFormat, formatWidth } from './draw-format.ts';

const drawn = (text: string, width: number) =>
  drawFormat(text, width)
    .cells.map((cell) => cell.text)
    .join('');

const list = (count: number, focus: number) =>
  `left #[list=on]#[list=left-marker]<#[list=right-marker]>#[list=on]${Array.from(
    { length: count },
    (_none, at) => `${at === focus ? '#[list=focus]' : '#[list=on]'}w${at}#[list=on] `,
  ).join('')}#[nolist align=right]right`;

describe('drawFormat', () => {
  it.each([
    ['plain', 8, 'plain   '],
    ['left#[align=right]right', 12, 'left   right'],
    ['l#[align=centre]mid#[align=right]r', 11, 'l   mid   r'],
    ['left#[align=centre]middle#[align=right]right', 12, 'leftddlright'],
    ['#[align=absolute-centre]abs', 9, '   abs   '],
    ['###[bold]a##', 6, '#a#   '],
    ['##[bold]', 8, '#[bold] '],
    ['a#[nonsense]b', 3, 'ab '],
    ['你好', 3, '你 '],
  ])('%s in %d columns', (text, width, expected) => {
    expect(drawn(text, width)).toBe(expected);
  });

  it.each([
    [3, 0, 'left w0 w1 w2            right'],
    [12, 0, 'left w0 w1 w2 w3 w4 w5 >right'],
    [12, 11, 'left <6 w7 w8 w9 w10 w11 right'],
  ])('a list of %d with the focus on %d', (count, focus, expected) => {
    const text = drawn(list(count, focus), 30);
    expect(text.replace(/\s+/g, ' ').slice(0, 8)).toBe(expected.replace(/\s+/g, ' ').slice(0, 8));
    expect(text).toContain(`w${focus}`);
    expect(text).toHaveLength(30);
  });

  it('styles text, and finds ranges', () => {
    const text = 'a#[fg=red,bold range=window|3]win#[default norange]b#[fill=blue]';
    const { cells, ranges } = drawFormat(text, 8);
    expect(ranges).toEqual([{ kind: 'window', argument: '3', from: 1, to: 4 }]);
    expect(cells[1]?.style).toMatchObject({ fg: 1, bold: true });
    expect(cells[4]?.style).toMatchObject({ fg: null, bold: false });
    expect(cells[7]?.style.bg).toBe(4);
    expect(cellsText(cells)).toBe('awinb');
  });

  it('knows the width without styles', () => {
    expect(formatWidth('#[fg=red]你#[default]ab##')).toBe(5);
  });
});
