import type { Row } from '../picture/row-cells.ts';

/** A line of the session. */
export interface ViewLine {
  /** The line number, counted from the first line of the session. */
  readonly number: number;
  /** Its cells, however many rows it wraps to, without blanks at the end that have no background. */
  readonly cells: Row;
  /** Its text, with spaces in place of tabs. */
  readonly text: string;
  /** Its text with the tabs that were printed. */
  readonly tabbed: string;
}

/** A character of a line. */
export interface Place {
  readonly line: number;
  /** The column in the line, 0-based, counted over all rows it wraps to. */
  readonly col: number;
}

/**
 * The screen of a session at a moment, as lines. While the alternate screen is shown, its rows follow
 * the lines of the primary screen, each as a line of its own.
 */
export interface Frozen {
  /** The first of the lines. Earlier ones are in the scrollback, and do not change. */
  readonly from: number;
  readonly lines: readonly ViewLine[];
  /** The first character of the screen. */
  readonly top: Place;
  readonly cursor: Place;
  /** One past the last line of the primary screen. Lines from here on are new. */
  readonly endLine: number;
}

/** Lines that are read at once, and kept or forgotten together. */
export const pageLines = 500;
/** Pages that are kept. */
const maxPages = 64;

/** The lines of a page that exist, by the number of the page. */
export type Pages = ReadonlyMap<number, readonly ViewLine[]>;

export const pageOf = (line: number): number => Math.floor(line / pageLines);

/** Returns a line; undefined if it has not been read. */
export function pagedLine(pages: Pages, line: number): ViewLine | undefined {
  const page = pages.get(pageOf(line));
  const [first] = page ?? [];
  return first === undefined ? undefined : page?.[line - first.number];
}

/**
 * Adds lines of one page. If there are too many, the page that is farthest from the line `near` is
 * forgotten, except that of the line `kept`.
 */
export function withPage(
  pages: Pages,
  page: number,
  lines: readonly ViewLine[],
  near: number,
  kept: number | null,
): Pages {
  const next = new Map(pages).set(page, lines);
  if (next.size <= maxPages) return next;
  const distance = (other: number) =>
    kept !== null && other === pageOf(kept) ? -1 : Math.abs(other - pageOf(near));
  const farthest = [...next.keys()].reduce((worst, other) =>
    distance(other) > distance(worst) ? other : worst,
  );
  next.delete(farthest);
  return next;
}

const wholeLine: readonly number[] = [0];

/**
 * Returns the first column of each row of a line, at least one, cut as the engine wraps it: rows are
 * full, or one cell short where a wide character does not fit.
 */
export function rowStarts(cells: Row, cols: number): readonly number[] {
  if (cells.length <= cols) return wholeLine;
  const starts: number[] = [];
  for (let start = 0; start < cells.length; ) {
    starts.push(start);
    let end = start + cols;
    if (end < cells.length && cells[end - 1]?.width === 2) end += cols === 1 ? 1 : -1;
    start = end;
  }
  return starts;
}

/** Returns the row of a line in which a column is. */
export function rowOfCol(starts: readonly number[], col: number): number {
  let row = starts.length - 1;
  while (row > 0 && (starts[row] ?? 0) > col) row--;
  return row;
}

export const comparePlaces = (a: Place, b: Place): number => a.line - b.line || a.col - b.col;
