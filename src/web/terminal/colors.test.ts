import { expect, it } from 'vitest';
import { plainStyle, type Style } from '#model';
import { cellColors, type ProgramColors } from './colors.ts';

const none: ProgramColors = {
  palette: {},
  foreground: null,
  background: null,
  reverseVideo: false,
};

it.each<[string, Partial<Style>, Partial<ProgramColors>, string | null, string | null]>([
  ['text', {}, {}, null, null],
  ['coloured text', { fg: 2 }, {}, 'var(--c2)', null],
  ['white on blue', { fg: 7, bg: 4 }, {}, 'var(--back)', 'var(--c4)'],
  ['black on cyan', { fg: 0, bg: 6 }, {}, 'var(--back)', 'var(--c6)'],
  ['text on red', { bg: 9 }, {}, 'var(--back)', 'var(--c9)'],
  ['red on red', { fg: 1, bg: 1 }, {}, 'var(--c1)', 'var(--c1)'],
  ['green on black', { fg: 2, bg: 0 }, {}, 'var(--c2)', 'var(--c0)'],
  ['black on white', { fg: 0, bg: 15 }, {}, 'var(--ink15)', 'var(--c15)'],
  ['text on white', { bg: 15 }, {}, 'var(--ink15)', 'var(--c15)'],
  ['white on black', { fg: 7, bg: 0 }, {}, 'var(--ink0)', 'var(--c0)'],
  ['a colour of its own on blue', { fg: '#102030', bg: 4 }, {}, '#102030', 'var(--c4)'],
  ['grey of 256 on blue', { fg: 240, bg: 4 }, {}, '#585858', 'var(--c4)'],
  [
    'white on a blue that it set',
    { fg: 7, bg: 4 },
    { palette: { 4: 0x80 } },
    'var(--c7)',
    '#000080',
  ],
  ['its own text on blue', { bg: 4 }, { foreground: 0xffffff }, null, 'var(--c4)'],
  ['inverse green', { fg: 2, inverse: true }, {}, 'var(--back)', 'var(--c2)'],
  ['inverse green on blue', { fg: 2, bg: 4, inverse: true }, {}, 'var(--back)', 'var(--c2)'],
  ['inverse', { inverse: true }, {}, 'var(--back)', 'var(--front)'],
])('draws %s', (_what, style, program, front, back) => {
  const drawn = cellColors({ ...plainStyle, ...style }, { ...none, ...program });
  expect(drawn).toEqual({ front, back });
});
