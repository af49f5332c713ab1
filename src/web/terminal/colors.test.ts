import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainStyle, type Style } from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import { contrast, legible } from '../look/contrast.ts';
import { cellColors, type ProgramColors, type Theme } from './colors.ts';

const none: ProgramColors = {
  palette: {},
  foreground: null,
  background: null,
  reverseVideo: false,
};

const [dark, light] = [
  ...readFileSync(new URL('../page/themes.css', import.meta.url), 'utf8').matchAll(
    /:root(?:\[data-theme=.light.\])? \{([^}]*)\}/g,
  ),
].map(([, block = '']): Theme => {
  const all = [...block.matchAll(/--([\w-]+): #([0-9a-f]{6});/g)];
  const colors = new Map(all.map(([, name = '', rgb = '']) => [name, Number.parseInt(rgb, 16)]));
  return { rgb: (name) => colors.get(name) ?? 0 };
}) as [Theme, Theme];

const colorsOf = (style: Partial<Style>, program: Partial<ProgramColors> = {}, text = 'x') =>
  cellColors({ ...plainStyle, ...style }, { ...none, ...program }, text, dark);

it.each<[string, Partial<Style>, Partial<ProgramColors>, string | null, string | null]>([
  ['text', {}, {}, null, null],
  ['coloured text', { fg: 2 }, {}, 'var(--c2)', null],
  ['white on blue', { fg: 7, bg: 4 }, {}, 'var(--c7)', 'var(--b4)'],
  ['yellow on blue', { fg: 11, bg: 4 }, {}, 'var(--c11)', 'var(--b4)'],
  ['text on red', { bg: 1 }, {}, null, 'var(--b1)'],
  ['red on red', { fg: 1, bg: 1 }, {}, 'var(--b1)', 'var(--b1)'],
  ['green on black', { fg: 2, bg: 0 }, {}, 'var(--c2)', 'var(--b0)'],
  ['black on white', { fg: 0, bg: 15 }, {}, 'var(--c0)', 'var(--b15)'],
  [
    'white on blue that the program set',
    { fg: 7, bg: 4 },
    { palette: { 4: 0x80 } },
    'var(--c7)',
    '#000080',
  ],
  ['inverse green', { fg: 2, inverse: true }, {}, 'var(--back)', 'var(--c2)'],
  ['inverse', { inverse: true }, {}, 'var(--back)', 'var(--front)'],
])('draws %s as the theme has it', (_what, style, program, front, back) => {
  expect(colorsOf(style, program)).toEqual({ front, back });
});

it('changes no colours of boxes, blocks and the signs of prompt themes', () => {
  const style = { fg: '#202020', bg: '#303030' } as const;
  for (const text of ['▀▄', '│ ', '⣿', '\ue0b0'])
    expect(colorsOf(style, {}, text)).toEqual({ front: '#202020', back: '#303030' });
  expect(colorsOf(style, {}, 'words').front).not.toBe('#202020');
});

it.each([
  ['dark', dark],
  ['light', light],
])('lines on a background of the %s theme have the colour of text beside them', (_name, theme) => {
  const colorOf = (text: string, fg: Style['fg'], bg: Style['bg']) =>
    cellColors({ ...plainStyle, fg, bg }, none, text, theme).front;
  for (const fg of [null, 0, 3, 7, 8, 15]) {
    for (const bg of [1, 2, 4, 6, 7]) {
      if (fg !== bg) expect(colorOf('│ ', fg, bg)).toBe(colorOf('│ file', fg, bg));
    }
  }
  expect(colorOf('│ ', '#0b57c0', 4)).toBe('#0b57c0');
});

it('usual text on a ground as in the other theme is as clear as on the page', () => {
  const onDark = cellColors({ ...plainStyle, bg: '#222222' }, none, 'x', light);
  expect(onDark).toEqual({ front: 'var(--back)', back: '#222222' });
  const onLight = cellColors({ ...plainStyle, bg: '#eeeeee' }, none, 'x', dark);
  expect(onLight).toEqual({ front: 'var(--back)', back: '#eeeeee' });
});

/** The place on the wheel of colours, in degrees, and how far apart the channels are; WCAG has no hue. */
function hueOf(rgb: number) {
  const [red = 0, green = 0, blue = 0] = [16, 8, 0].map((shift) => (rgb >> shift) & 0xff);
  const x = red - (green + blue) / 2;
  const y = (Math.sqrt(3) / 2) * (green - blue);
  return { degrees: (Math.atan2(y, x) * 180) / Math.PI, strength: Math.hypot(x, y) };
}

describe('[S3.32] text on a background', () => {
  const rgb = fc.nat({ max: 0xffffff });

  it('can be read, and keeps its hue', () => {
    const property = fc.property(rgb, rgb, (front, back) => {
      const read = legible(front, back);
      expect(contrast(read, back)).toBeGreaterThanOrEqual(4.5);
      if (contrast(front, back) >= 4.5) expect(read).toBe(front);
      const [before, after] = [hueOf(front), hueOf(read)];
      if (Math.min(before.strength, after.strength) < 30) return;
      const turned = Math.abs(before.degrees - after.degrees);
      expect(Math.min(turned, 360 - turned)).toBeLessThan(5);
    });
    fc.assert(property, runs(2000));
  });

  it.each([
    ['dark', dark],
    ['light', light],
  ])('keeps its hue on blue in the %s theme, as on the panels of mc', (_name, theme) => {
    const onBlue = (fg: number) => {
      const { front } = cellColors({ ...plainStyle, fg, bg: 4 }, none, 'x', theme);
      const name = /^var\(--(\w+)\)$/.exec(front ?? '')?.[1];
      return hueOf(
        name === undefined ? Number.parseInt(front?.slice(1) ?? '', 16) : theme.rgb(name),
      );
    };
    for (const fg of [2, 3, 6, 10, 11]) expect([fg, onBlue(fg).strength > 60]).toEqual([fg, true]);
  });
});
