import type { Style } from '#model';
import { type Polygon, rectangle, stroke } from '#shapes';
import type { CellColors } from '../screen-picture.ts';

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
