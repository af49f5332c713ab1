import type { Style } from '#model';
import type { CellColors } from '../screen-picture.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A polygon, in pixels from the left upper corner of the cell. */
export type Polygon = readonly Point[];

/** A character that is drawn instead of taken from a font, so that it joins its neighbours. */
export interface Shape {
  readonly polygons: readonly Polygon[];
  /** How much of the colour is seen, 0 to 1. Default: 1. */
  readonly share?: number;
}

export interface Box {
  readonly width: number;
  readonly height: number;
}

export const rectangle = (x0: number, y0: number, x1: number, y1: number): Polygon => [
  { x: x0, y: y0 },
  { x: x1, y: y0 },
  { x: x1, y: y1 },
  { x: x0, y: y1 },
];

/** Returns a line of a thickness along points, without caps. */
export function stroke(points: readonly Point[], thickness: number): Polygon {
  const left: Point[] = [];
  const right: Point[] = [];
  points.forEach((point, at) => {
    const before = points[at - 1] ?? point;
    const after = points[at + 1] ?? point;
    const length = Math.hypot(after.x - before.x, after.y - before.y) || 1;
    const dx = ((after.y - before.y) / length) * (thickness / 2);
    const dy = ((after.x - before.x) / length) * (thickness / 2);
    left.push({ x: point.x + dx, y: point.y - dy });
    right.unshift({ x: point.x - dx, y: point.y + dy });
  });
  return [...left, ...right];
}

/** Returns points on an ellipse; angles in quarter turns, clockwise from the right. */
export function arc(
  centre: Point,
  radius: { readonly x: number; readonly y: number },
  from: number,
  to: number,
): Point[] {
  const steps = 12;
  return Array.from({ length: steps + 1 }, (_, step) => {
    const angle = ((from + ((to - from) * step) / steps) * Math.PI) / 2;
    return {
      x: centre.x + radius.x * Math.cos(angle),
      y: centre.y + radius.y * Math.sin(angle),
    };
  });
}

/** A line below, through or above text. */
export interface Decoration {
  /** The same for the same polygons in cells of one size. */
  readonly name: string;
  readonly polygons: readonly Polygon[];
  readonly color: number;
}

/** Where lines are, from the top of a cell, in parts of its height. */
const underlineAt = 0.86;
const strikeAt = 0.52;

export const isDecorated = ({ underline, strikethrough, overline }: Style): boolean =>
  underline !== 'none' || strikethrough || overline;

/** Returns the lines of a cell, or of cells of one style that follow each other. */
export function decorations(
  { underline, strikethrough, overline }: Style,
  { text, underline: color }: CellColors,
  {
    width,
    height,
    scale,
  }: { readonly width: number; readonly height: number; readonly scale: number },
): Decoration[] {
  const line = (y: number): Polygon => rectangle(0, y, width, y + scale);
  const low = Math.round(height * underlineAt);
  const drawn: Decoration[] = [];
  if (underline !== 'none') {
    drawn.push({ name: underline, polygons: underlines(underline, low, width, scale), color });
  }
  if (strikethrough) {
    drawn.push({ name: 'strike', polygons: [line(Math.round(height * strikeAt))], color: text });
  }
  if (overline) drawn.push({ name: 'overline', polygons: [line(0)], color: text });
  return drawn;
}

function underlines(
  kind: Style['underline'],
  y: number,
  width: number,
  scale: number,
): readonly Polygon[] {
  const line = (top: number): Polygon => rectangle(0, top, width, top + scale);
  if (kind === 'double') return [line(y - scale), line(y + scale)];
  if (kind === 'curly') return [wave(y, width, scale)];
  if (kind === 'dotted') return pieces(y, width, scale, 2 * scale);
  if (kind === 'dashed') return pieces(y, width, 3 * scale, 5 * scale);
  return [line(y)];
}

const pieces = (y: number, width: number, length: number, step: number): Polygon[] =>
  Array.from({ length: Math.ceil(width / step) }, (_, at) => {
    const from = at * step;
    return rectangle(from, y, Math.min(width, from + length), y + length / Math.ceil(length / 2));
  });

/** A wave has a length of ten pixels, so that it goes on in the next cell. */
function wave(y: number, width: number, scale: number): Polygon {
  const points = Array.from({ length: Math.ceil(width / scale) + 1 }, (_, at) => {
    const x = Math.min(width, at * scale);
    return { x, y: y + scale / 2 + 1.5 * scale * Math.sin((x / (10 * scale)) * 2 * Math.PI) };
  });
  return stroke(points, scale);
}
