import { boxDrawing } from './box-drawing.ts';
import { arc, type Box, type Point, rectangle, type Shape, stroke } from './polygons.ts';

/** No character before it has a shape. */
export const firstShape = 0x23be;

/** Returns how a character is drawn; null if it is taken from a font, as those with marks on them are. */
export function shapeOf(text: string, box: Box): Shape | null {
  const point = text.codePointAt(0) ?? 0;
  if (point < firstShape || text.length > (point > 0xffff ? 2 : 1)) return null;
  if (point >= 0x23f4 && point <= 0x23fa) return media(point - 0x23f4, box);
  if (point < 0x2500) return bracket(point, box);
  if (point <= 0x257f) return boxDrawing(point - 0x2500, box);
  if (point <= 0x259f) return block(point - 0x2580, box);
  if (point === 0x276e || point === 0x276f) return pointer(point === 0x276f, box);
  if (point >= 0x2800 && point <= 0x28ff) return braille(point - 0x2800, box);
  if (point >= 0xe0b0 && point <= 0xe0bf) return powerline(point - 0xe0b0, box);
  if (point >= 0x1fb00 && point <= 0x1fb3b) return sextant(point - 0x1fb00, box);
  return null;
}

/**
 * The dentistry symbols of one corner: a vertical line, with a line to one side at an end. Coding agents set ⎿ before what a
 * tool has printed, and many fonts lack it.
 */
const brackets: ReadonlyMap<number, { readonly isRight: boolean; readonly isBelow: boolean }> =
  new Map([
    [0x23be, { isRight: true, isBelow: false }],
    [0x23bf, { isRight: true, isBelow: true }],
    [0x23cb, { isRight: false, isBelow: false }],
    [0x23cc, { isRight: false, isBelow: true }],
  ]);

/** U+23BE, U+23BF, U+23CB and U+23CC; null for others. */
function bracket(point: number, { width, height }: Box): Shape | null {
  const sides = brackets.get(point);
  if (sides === undefined) return null;
  const thickness = Math.max(1, Math.round(width / 10));
  const middle = Math.floor((width - thickness) / 2);
  const [left, right] = sides.isRight ? [middle, width] : [0, middle + thickness];
  const top = sides.isBelow ? height - thickness : 0;
  return {
    polygons: [
      rectangle(middle, 0, middle + thickness, height),
      rectangle(left, top, right, top + thickness),
    ],
  };
}

/** The largest square in the middle of a cell that leaves some room to its neighbours. */
function middleOf({ width, height }: Box) {
  const side = Math.max(3, Math.round(width * 0.85));
  const left = (width - side) / 2;
  const top = Math.round((height - side) / 2);
  return { left, top, right: left + side, bottom: top + side, side };
}

/**
 * U+23F4 to U+23FA: ⏴ ⏵ ⏶ ⏷ ⏸ ⏹ ⏺. Coding agents begin rows with them, and fonts have them as emoji of two cells or not at
 * all. @param at the code point less 0x23f4
 */
function media(at: number, box: Box): Shape {
  const { left, top, right, bottom, side } = middleOf(box);
  const centre = { x: (left + right) / 2, y: (top + bottom) / 2 };
  const corner = { a: { x: left, y: top }, b: { x: right, y: top } };
  const below = { a: { x: left, y: bottom }, b: { x: right, y: bottom } };
  const bar = Math.max(1, Math.round(side * 0.35));
  const polygons = [
    [[corner.b, below.b, { x: left, y: centre.y }]],
    [[corner.a, { x: right, y: centre.y }, below.a]],
    [[below.a, { x: centre.x, y: top }, below.b]],
    [[corner.a, corner.b, { x: centre.x, y: bottom }]],
    [rectangle(left, top, left + bar, bottom), rectangle(right - bar, top, right, bottom)],
    [rectangle(left, top, right, bottom)],
    [arc(centre, { x: side / 2, y: side / 2 }, 0, 4)],
  ];
  return { polygons: polygons[at] ?? [] };
}

/** U+276E and U+276F: ❮ ❯, which agents and prompts have before what a person writes. Fonts have them wider than a cell. */
function pointer(isRight: boolean, { width, height }: Box): Shape {
  const thickness = Math.max(1, width / 5);
  const middle = height / 2;
  const [base, tip] = isRight ? [0.25, 0.8] : [0.75, 0.2];
  const ends = [middle - height * 0.27, middle + height * 0.27];
  const point = { x: tip * width, y: middle };
  return { polygons: ends.map((y) => stroke([{ x: base * width, y }, point], thickness)) };
}

/** Quarters: left and right above, left and right below. */
const quarters = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14];

/** U+2580 to U+259F, Block Elements. @param at the code point less 0x2580 */
function block(at: number, { width, height }: Box): Shape {
  const part = (x0: number, y0: number, x1: number, y1: number): Shape => {
    const [left, right] = [Math.round(x0 * width), Math.round(x1 * width)];
    return { polygons: [rectangle(left, Math.round(y0 * height), right, Math.round(y1 * height))] };
  };
  if (at === 0x00) return part(0, 0, 1, 0.5);
  if (at <= 0x08) return part(0, 1 - at / 8, 1, 1);
  if (at <= 0x0f) return part(0, 0, (0x10 - at) / 8, 1);
  if (at === 0x10) return part(0.5, 0, 1, 1);
  if (at <= 0x13) return { ...part(0, 0, 1, 1), share: (at - 0x10) / 4 };
  if (at === 0x14) return part(0, 0, 1, 0.125);
  if (at === 0x15) return part(0.875, 0, 1, 1);
  return mosaic(quarters[at - 0x16] ?? 0, 2, { width, height });
}

/** U+1FB00 to U+1FB3B: sextants. @param at the code point less 0x1fb00 */
function sextant(at: number, box: Box): Shape {
  // Those that are blocks already are left out.
  let bits = at + 1;
  if (bits >= 0x15) bits++;
  if (bits >= 0x2a) bits++;
  return mosaic(bits, 3, box);
}

/** Returns rectangles in two columns; the lowest bit is the left upper one, the next that beside it. */
function mosaic(bits: number, rows: number, { width, height }: Box): Shape {
  const polygons = Array.from({ length: rows * 2 }, (_, at) => at)
    .filter((at) => (bits >> at) & 1)
    .map((at) => {
      const [col, row] = [at % 2, at >> 1];
      const [top, bottom] = [
        Math.round((row * height) / rows),
        Math.round(((row + 1) * height) / rows),
      ];
      return rectangle(
        Math.round((col * width) / 2),
        top,
        Math.round(((col + 1) * width) / 2),
        bottom,
      );
    });
  return { polygons };
}

/** The places of the dots of braille, from the lowest bit: column and row. */
const dots = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [1, 1],
  [1, 2],
  [0, 3],
  [1, 3],
] as const;

/** U+2800 to U+28FF, Braille Patterns. @param bits the code point less 0x2800 */
function braille(bits: number, { width, height }: Box): Shape {
  const side = Math.max(2, Math.round(width / 5));
  const polygons = dots.flatMap(([col, row], at) => {
    if (((bits >> at) & 1) === 0) return [];
    const x = Math.round(((2 * col + 1) * width) / 4 - side / 2);
    const y = Math.round(((2 * row + 1) * height) / 8 - side / 2);
    return [rectangle(x, y, x + side, y + side)];
  });
  return { polygons };
}

/** U+E0B0 to U+E0BF, the separators of Powerline and its extras. @param at the code point less 0xe0b0 */
function powerline(at: number, { width, height }: Box): Shape | null {
  const thickness = Math.max(1, Math.round(width / 10));
  const outline = outlines(width, height)[at >> 1];
  if (outline === undefined) return null;
  return { polygons: [at % 2 === 0 ? outline : stroke(outline, thickness)] };
}

function outlines(width: number, height: number): readonly (readonly Point[])[] {
  const [left, right] = [0, width].map((x) => ({ top: { x, y: 0 }, bottom: { x, y: height } }));
  if (left === undefined || right === undefined) return [];
  const middle = height / 2;
  const radius = { x: width, y: middle };
  return [
    [left.top, { x: width, y: middle }, left.bottom],
    [right.top, { x: 0, y: middle }, right.bottom],
    arc({ x: 0, y: middle }, radius, -1, 1),
    arc({ x: width, y: middle }, radius, 1, 3),
    [left.top, right.bottom, left.bottom],
    [left.bottom, right.top, right.bottom],
    [left.bottom, right.top, left.top],
    [left.top, right.bottom, right.top],
  ];
}
