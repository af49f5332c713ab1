import type { Row } from './row-cells.ts';
import {
  type Body,
  comparePlaces,
  lineCells,
  lineEndOf,
  lineOf,
  type Place,
  rowOfCol,
  rowStarts,
  type Scroll,
  type Top,
} from './scroll.ts';

/** A row of the window in the scrollback. */
export interface SeenRow {
  readonly line: number;
  /** Null if the line has not been read. */
  readonly cells: Row | null;
  /** Its columns in the line: from `from` up to but excluding `to`. */
  readonly from: number;
  readonly to: number;
}

/** Returns the rows that are seen, fewer than the window has at the end. */
export function seenRows(scroll: Scroll, { rows, cols }: Body): SeenRow[] {
  const visible: SeenRow[] = [];
  const end = lineEndOf(scroll);
  let { line, row } = scroll.top;
  for (; visible.length < rows && line < end; line++, row = 0) {
    const cells = lineOf(scroll, line)?.cells ?? null;
    const starts = rowStarts(cells ?? [], cols);
    for (let at = Math.min(row, starts.length - 1); at < starts.length; at++) {
      const from = starts[at] ?? 0;
      visible.push({ line, cells, from, to: starts[at + 1] ?? Math.max(cells?.length ?? 0, from) });
    }
  }
  return visible.slice(0, rows);
}

/** Returns the top if the end of the lines is seen, or the screen as it was. */
function lastTop(scroll: Scroll, { rows, cols }: Body): Top {
  const { frozen } = scroll;
  const screen = topAt(scroll, frozen.top, cols);
  let left = rows;
  for (let line = lineEndOf(scroll) - 1; line >= screen.line; line--) {
    const count = rowStarts(lineCells(scroll, line), cols).length;
    if (count >= left) {
      const end = { line, row: count - left };
      return end.line > screen.line || end.row > screen.row ? end : screen;
    }
    left -= count;
  }
  return screen;
}

/** Returns the row of a place. */
export const topAt = (scroll: Scroll, { line, col }: Place, cols: number): Top => ({
  line,
  row: rowOfCol(rowStarts(lineCells(scroll, line), cols), col),
});

export const isAtEnd = (scroll: Scroll, body: Body): boolean =>
  compareTops(scroll.top, lastTop(scroll, body)) >= 0;

const compareTops = (a: Top, b: Top): number => a.line - b.line || a.row - b.row;

/**
 * Moves the top by the rows that it owes, as far as lines have been read; then the cursor, if it would
 * not be seen.
 */
export function settled(scroll: Scroll, body: Body): Scroll {
  const { top, owed } = movedTop(withExistingTop(scroll, body), body);
  const last = lastTop(scroll, body);
  const isPast = owed === 0 && compareTops(top, last) > 0;
  return withSeenCursor({ ...scroll, top: isPast ? last : top, owed }, body);
}

function withExistingTop(scroll: Scroll, body: Body): Scroll {
  const first = Math.min(scroll.first, scroll.frozen.from);
  const line = lineOf(scroll, scroll.top.line);
  if (line === undefined) {
    return scroll.top.line < first ? { ...scroll, top: { line: first, row: 0 } } : scroll;
  }
  const rows = rowStarts(line.cells, body.cols).length;
  return scroll.top.row < rows ? scroll : { ...scroll, top: { ...scroll.top, row: rows - 1 } };
}

function movedTop(scroll: Scroll, body: Body): { top: Top; owed: number } {
  const { first, frozen } = scroll;
  let { line, row } = scroll.top;
  let { owed } = scroll;
  const last = lastTop(scroll, body);
  while (owed < 0) {
    const up = Math.min(row, -owed);
    row -= up;
    owed += up;
    if (owed === 0) break;
    // Lines that were read stay, also when the session has dropped them.
    const above = lineOf(scroll, line - 1);
    if (above === undefined && line <= Math.min(first, frozen.from)) owed = 0;
    if (above === undefined) break;
    line--;
    row = rowStarts(above.cells, body.cols).length;
  }
  while (owed > 0) {
    if (compareTops({ line, row }, last) >= 0) return { top: last, owed: 0 };
    const cells = lineOf(scroll, line)?.cells;
    if (cells === undefined) break;
    const isLast = row + 1 >= rowStarts(cells, body.cols).length;
    line += isLast ? 1 : 0;
    row = isLast ? 0 : row + 1;
    owed--;
  }
  return { top: { line, row }, owed };
}

/** Puts the cursor into the row that is next to it, if it is not seen. */
function withSeenCursor(scroll: Scroll, body: Body): Scroll {
  const rows = seenRows(scroll, body);
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return scroll;
  const { cursor } = scroll;
  if (comparePlaces(cursor, { line: first.line, col: first.from }) < 0) {
    return { ...scroll, cursor: placeIn(first, scroll.goalCol) };
  }
  const isBelow =
    cursor.line > last.line ||
    (cursor.line === last.line && cursor.col >= last.to && last.to < (last.cells?.length ?? 0));
  return isBelow ? { ...scroll, cursor: placeIn(last, scroll.goalCol) } : scroll;
}

/** Returns the place at a column of a row, or at its last character. */
export function placeIn({ line, cells, from, to }: SeenRow, col: number): Place {
  const last = Math.max(from, to - 1);
  const at = Math.min(from + col, last);
  const isTail = cells?.[at]?.width === 0;
  return { line, col: isTail && at > from ? at - 1 : at };
}

/** Scrolls by rows; negative for up. */
export const scrolled = (scroll: Scroll, rows: number, body: Body): Scroll =>
  settled({ ...scroll, owed: scroll.owed + rows }, body);

/** Returns the index of the row that the cursor is in, -1 if it is not seen. */
export const cursorRow = (scroll: Scroll, rows: readonly SeenRow[]): number =>
  rows.findIndex(
    ({ line, from, to, cells }) =>
      line === scroll.cursor.line &&
      scroll.cursor.col >= from &&
      (scroll.cursor.col < to || to >= (cells?.length ?? 0)),
  );

/** Moves the cursor by rows, and scrolls where it would leave the window. */
export function withCursorMoved(scroll: Scroll, rows: number, body: Body): Scroll {
  const visible = seenRows(scroll, body);
  const at = cursorRow(scroll, visible);
  const target = at + rows;
  const beyond = target < 0 ? target : Math.max(0, target - (body.rows - 1));
  const moved = beyond === 0 ? scroll : scrolled(scroll, beyond, body);
  const now = beyond === 0 ? visible : seenRows(moved, body);
  const row = now[Math.max(0, Math.min(target - beyond, now.length - 1))];
  return row === undefined ? moved : { ...moved, cursor: placeIn(row, scroll.goalCol) };
}

/** Returns the column of the window in which the cursor is. */
export function cursorCol(scroll: Scroll, { cols }: Body): number {
  const { line, col } = scroll.cursor;
  const starts = rowStarts(lineCells(scroll, line), cols);
  return col - (starts[rowOfCol(starts, col)] ?? 0);
}

/** Puts the cursor to a place, and shows it in the middle of the window if it is not seen. */
export function goneTo(scroll: Scroll, cursor: Place, body: Body): Scroll {
  const at = { ...scroll, cursor };
  const isSeen = cursorRow(at, seenRows(at, body)) >= 0;
  const shown = isSeen
    ? at
    : settled({ ...at, top: topAt(at, cursor, body.cols), owed: -Math.floor(body.rows / 2) }, body);
  return { ...shown, goalCol: cursorCol(shown, body) };
}

/** The first row of all lines. */
export const atFirst = (scroll: Scroll, body: Body): Scroll => {
  const line = Math.min(scroll.first, scroll.frozen.from);
  return settled(
    { ...scroll, top: { line, row: 0 }, owed: 0, cursor: { line, col: 0 }, goalCol: 0 },
    body,
  );
};

/** The last row of all lines. */
export function atLast(scroll: Scroll, body: Body): Scroll {
  const shown = { ...scroll, top: lastTop(scroll, body), owed: 0 };
  const last = seenRows(shown, body).at(-1);
  return last === undefined ? shown : { ...shown, cursor: placeIn(last, 0), goalCol: 0 };
}

/** Returns scroll mode in a window of another width, with the same text at its top. */
export function rewrapped(scroll: Scroll, from: number, to: number): Scroll {
  const cells = lineCells(scroll, scroll.top.line);
  const col = rowStarts(cells, from)[scroll.top.row] ?? 0;
  return { ...scroll, top: topAt(scroll, { line: scroll.top.line, col }, to) };
}
