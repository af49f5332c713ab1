import { expect, test } from 'vitest';
import { shapeOf } from '#shapes';
import { maskOf } from '../raster/bitmap.ts';

const box = { width: 10, height: 20 };
const mask = (text: string): Uint8Array => maskOf(box, shapeOf(text, box)?.polygons ?? []);
const column = (text: string, x: number): number[] =>
  Array.from({ length: box.height }, (_, y) => mask(text)[y * box.width + x] ?? 0);
const row = (text: string, y: number): number[] => [
  ...mask(text).subarray(y * box.width, (y + 1) * box.width),
];

// The arms by weight: none, light, heavy, double.
test.each([
  ['to the left', [' │┃║├┠╟└┖╚╰', '─┐┘┤┬┴┼╴╮╯┒╖╫', '━┥┑┙╸╾┷┿', '═╗╝╣╦╩╬╡╪'], 'left'],
  ['to the right', ['│┃║┐┘┤╗╝╮╯┨', '─┌└├┬┴┼╶╭╰┎╓╫', '━┍┕╺╼┝┷┿', '═╔╚╠╦╩╬╞╪'], 'right'],
  ['up', ['─━═┌┐┬╔╗╭╮┭', '│└┘├┤┴┼╵╰╯┕╛╪', '┃┖┚╹╿┠┨╂', '║╚╝╠╣╩╬╙╫'], 'up'],
  ['down', ['─━═└┘┴╚╝╰╯┷', '│┌┐├┤┬┼╷╭╮┍╕╪', '┃┎┒╻╽┠┨╂', '║╔╗╠╣╦╬╓╫'], 'down'],
] as const)('lines of one weight that go %s look the same at the border', (_, weights, side) => {
  const borders = weights.map((characters) => {
    const all = [...characters].map((text) => {
      if (side === 'left') return column(text, 0).join();
      if (side === 'right') return column(text, box.width - 1).join();
      return row(text, side === 'up' ? 0 : box.height - 1).join();
    });
    // Names the first that differs.
    expect(
      all.findIndex((each) => each !== all[0]),
      `${characters}`,
    ).toBe(-1);
    return all[0];
  });
  expect(new Set(borders).size).toBe(4);
});

test('eight eighths are a full block, and a quarter each fills a corner', () => {
  const covered = (text: string): number => mask(text).filter((each) => each === 15).length;
  expect([...'▁▂▃▄▅▆▇█'].map(covered)).toEqual(
    [2, 5, 7, 10, 12, 15, 17, 20].map((rows) => rows * box.width),
  );
  expect([...'▘▝▖▗'].map(covered)).toEqual([50, 50, 50, 50]);
  expect(covered('⣿')).toBe(32);
});

test('signs with which agents and prompts begin rows stay in their cells, and mirror each other', () => {
  const mirrored = (text: string): number[] =>
    [...mask(text)].map(
      (_, at, all) => all[at - (at % box.width) + box.width - 1 - (at % box.width)] ?? 0,
    );
  for (const text of '⏴⏵⏶⏷⏸⏹⏺❮❯') {
    const { polygons = [] } = shapeOf(text, box) ?? {};
    const points = polygons.flat();
    expect(points.length, text).toBeGreaterThan(2);
    for (const { x, y } of points) {
      expect([text, x >= 0 && x <= box.width, y >= 0 && y <= box.height]).toEqual([
        text,
        true,
        true,
      ]);
    }
  }
  for (const [one, other] of [
    ['⏴', '⏵'],
    ['⏸', '⏸'],
    ['❮', '❯'],
  ] as const) {
    expect(mirrored(one), one).toEqual([...mask(other)]);
  }
});
