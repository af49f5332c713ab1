import type { Cell } from '#model';
import { oneLine } from '#model';
import { textCells } from '#vt';
import { type StyleName, styles } from './styles.ts';

/** Text in one style. */
export interface Span {
  readonly text: string;
  readonly style: StyleName;
  /** It takes exactly this number of columns. Default: as many as it needs. */
  readonly cols?: number;
  /** The part that is kept if it is too long; `clip`: the start, without an ellipsis. Default: `start`. */
  readonly keep?: 'start' | 'end' | 'clip';
}

export const span = (text: string, style: StyleName = 'plain'): Span => ({ text, style });

const blankOf = (style: StyleName): Cell => ({ text: ' ', width: 1, style: styles[style] });

/** Returns spans as exactly `cols` cells, filled with blanks in a style. */
export function spansCells(
  spans: readonly Span[],
  cols: number,
  fill: StyleName = 'plain',
): readonly Cell[] {
  const cells: Cell[] = [];
  for (const each of spans) {
    const left = cols - cells.length;
    if (left <= 0) break;
    cells.push(...spanCells(each, left));
  }
  while (cells.length < cols) cells.push(blankOf(fill));
  return cells;
}

function spanCells({ text, style, cols, keep = 'start' }: Span, left: number): Cell[] {
  const cells = textCells(oneLine(text), styles[style]);
  const width = Math.min(cols ?? cells.length, left);
  if (cells.length > width) return cut(cells, width, keep, style);
  while (cells.length < width) cells.push(blankOf(style));
  return cells;
}

/** Returns exactly `width` of the cells, with an ellipsis at the place of the others. */
function cut(
  cells: Cell[],
  width: number,
  keep: NonNullable<Span['keep']>,
  style: StyleName,
): Cell[] {
  if (width <= 0) return [];
  if (keep === 'clip') return clipped(cells, 0, width);
  const ellipsis: Cell = { text: '…', width: 1, style: styles[style] };
  if (keep === 'end') return [ellipsis, ...clipped(cells, cells.length - width + 1, cells.length)];
  return [...clipped(cells, 0, width - 1), ellipsis];
}

/** Returns the cells of a range; the half of a wide character is a blank. */
export function clipped(cells: readonly Cell[], start: number, end: number): Cell[] {
  const part = cells.slice(start, end);
  const [first, last] = [part[0], part[part.length - 1]];
  if (first?.width === 0) part[0] = { text: ' ', width: 1, style: first.style };
  if (last?.width === 2) part[part.length - 1] = { text: ' ', width: 1, style: last.style };
  return part;
}
