import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cell, cellsText, plainStyle } from '#model';
import { htmlOf, pictureColors, type ScreenPicture, svgOf } from '../index.ts';

const colors = pictureColors();
const styles = fc.record({
  bold: fc.boolean(),
  inverse: fc.boolean(),
  fg: fc.constantFrom(null, 1, 200, '#102030' as const),
  link: fc.constantFrom(null, 'https://example.com/?a=1&b="2"', 'javascript:alert(1)'),
});
const character = fc.constantFrom(
  ...'ab <>&"\'',
  'é',
  'b\u202e',
  '\u2066c\u061c',
  '┼',
  '█',
  '🎉',
  '漢',
  '\u0000',
  '\ufffe',
);

const cell = fc.tuple(character, styles).map(([text, style]): Cell[] => {
  const whole = { ...plainStyle, ...style };
  if (!/[🎉漢]/u.test(text)) return [{ text, width: 1, style: whole }];
  return [
    { text, width: 2, style: whole },
    { text: '', width: 0, style: whole },
  ];
});
const row = fc.array(cell, { maxLength: 12 }).map((cells) => cells.flat());
const picture = fc.array(row, { minLength: 1, maxLength: 4 }).map(
  (rows): ScreenPicture => ({
    size: { cols: 24, rows: rows.length },
    rows,
    cursor: null,
    colors,
  }),
);

const unescaped = (text: string): string =>
  text
    .replace(/<[^>]*>/g, '')
    .replace(
      /&(amp|lt|gt|quot);/g,
      (_, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? '"',
    );
/** What may be in XML, without what would move the cells after it. */
const allowed = (text: string): string =>
  text.replace(/[\u0000\ufffe]/g, '\ufffd').replace(/[\u202e\u2066\u061c]/g, '');

test('the text of an SVG is that of the screen', () => {
  fc.assert(
    fc.property(picture, (screen) => {
      const svg = svgOf(screen);
      const texts = new Map<number, string>();
      for (const [, y, content = ''] of svg.matchAll(
        /<g transform="translate\(0 (\d+)\)">(.*)<\/g>/g,
      )) {
        texts.set(Number(y) / 20, unescaped(content).trimEnd());
      }
      screen.rows.forEach((cells, at) => {
        expect(texts.get(at) ?? '').toBe(allowed(cellsText(cells)));
      });
      expect(svg).not.toContain('javascript:');
    }),
  );
});

test('a character with a mark is text, beside shapes in their places', () => {
  const [line, marked] = ['─', '─\u0301'].map(
    (text): Cell => ({ text, width: 1, style: plainStyle }),
  );
  const svg = svgOf({
    size: { cols: 3, rows: 1 },
    cursor: null,
    colors,
    rows: [[line, marked, line] as Cell[]],
  });
  const paths = [...svg.matchAll(/<path d="M(\d+)/g)].map(([, x]) => Number(x));
  expect(paths).toEqual([0, 20]);
  expect(svg).toMatch(/<tspan x="10" textLength="10" fill="#[0-9a-f]{6}">─\u0301</);
});

test('the text of HTML is that of the screen, without scripts', () => {
  fc.assert(
    fc.property(picture, fc.string(), (screen, title) => {
      const html = htmlOf(screen, title);
      // A browser leaves out the line feed behind <pre> (HTML, 13.2.6.4.7).
      const [, pre = ''] = /<pre>\n?(.*)<\/pre>/s.exec(html) ?? [];
      const lines = unescaped(pre).split('\n');
      expect(lines.map((line) => line.trimEnd())).toEqual(
        screen.rows.map((cells) => allowed(cellsText(cells))),
      );
      expect(html).not.toMatch(/<script|javascript:/i);
    }),
  );
});
