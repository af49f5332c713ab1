import { arc, type Box, type Point, type Shape, stroke } from './polygons.ts';

/** U+E0B0 to U+E0BF, the separators of Powerline and its extras. @param at the code point less 0xe0b0 */
export function powerline(at: number, { width, height }: Box): Shape | null {
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
