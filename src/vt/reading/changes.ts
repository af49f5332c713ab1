import { type CellBuffer, clusterFlag, codeMask } from '../cells/cell.ts';
import type { Grid } from '../grid/grid.ts';
import { appendRow } from '../grid/wrapping.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import type { VisibleState } from '../state/visible-state.ts';

/** Updates {@link Rewrites}. Must be called after each feed. */
export function noteRewrites(t: TerminalState): void {
  const { row } = t.onAlternate ? t.primaryCursor : t.cursor;
  note(t, lineOfRow(t.primary, t.topLine, row));
}

/** Updates {@link Rewrites} during a feed. */
export function noteRewritesSoFar(t: TerminalState): void {
  note(t, 0);
}

function note(t: TerminalState, cursor: number): void {
  // The feed began on the alternate screen and is still there.
  if (t.primary.revision < t.printedSince) return;
  const { printedOffScreen, rewrites, revision } = t;
  const first = printedOffScreen.count > 0 ? printedOffScreen.line(0) : firstPrintedLine(t);
  rewrites.note(revision, first, cursor);
}

/** The topmost line on the primary screen that was just printed on; Infinity if none. */
function firstPrintedLine({ primary, topLine }: TerminalState): number {
  let row = 0;
  while (row < primary.rows && primary.printedFrom(row) < 0) row++;
  return row === primary.rows ? Number.POSITIVE_INFINITY : lineOfRow(primary, topLine, row);
}

function lineOfRow(grid: Grid, topLine: number, row: number): number {
  let line = topLine;
  for (let above = 0; above < row; above++) if (!grid.wraps(above)) line++;
  return line;
}

/** Whether a line of the primary screen was printed on after a revision, as far as known. */
export function printedAfter(t: VisibleState, line: number, since: number): boolean {
  const screenLine = screenLines(t).find((each) => each.line === line);
  if (screenLine === undefined) return false;
  for (let row = screenLine.firstRow; row <= screenLine.lastRow; row++) {
    if (isPrintedAfter(t.primary, row, since)) return true;
  }
  return false;
}

/**
 * For rows that a resize wrapped again the time of printing is unknown. They count as printed, like
 * lines above the screen.
 */
function isPrintedAfter(grid: Grid, row: number, since: number): boolean {
  const at = grid.printedAt(row);
  return at > since || (at < 0 && grid.usedCols(row) > 0);
}

/**
 * Returns a number that changes when the screen looks different: cells, cursor, and how far the
 * primary screen has scrolled. It has 32 bits, so two different screens share a number about once
 * in 4 billion cases.
 */
export function fingerprint(t: VisibleState): number {
  const { cursor, modes } = t;
  let hash = Math.imul(t.scrollback.pushedRows, 0x9e3779b1) ^ (cursor.row << 16) ^ cursor.col;
  hash ^= modes.cursorVisible ? 1 : 0;
  // The row number is included, so that the same row elsewhere yields another hash.
  for (let row = 0; row < t.rows; row++) hash = hashRow(t, row, Math.imul(hash ^ row, 0x85ebca6b));
  return hash;
}

/** Returns one number per row, which changes when its cells look different. */
export function rowFingerprints(t: VisibleState): Int32Array {
  return Int32Array.from({ length: t.rows }, (_, row) => hashRow(t, row, 0));
}

/** FNV's. From 0, the hash of any number of empty cells is 0, and text could move over them unnoticed. */
const hashBasis = 0x811c9dc5;

/** Indexes of styles and clusters change when their tables are compacted, so their entries count. */
function hashRow({ grid, styles, clusters }: VisibleState, row: number, seed: number): number {
  const used = grid.usedCols(row);
  if (used === 0) return seed;
  const start = grid.start(row);
  const end = start + used;
  let hash = seed ^ hashBasis;
  for (let at = start; at < end; at++) {
    const code = grid.codes[at];
    const style = grid.styles[at];
    const content =
      (code & clusterFlag) === 0 ? code : (code & ~codeMask) ^ clusters.hash(code & codeMask);
    hash = Math.imul(hash ^ content, 0x01000193);
    hash = Math.imul(hash ^ styles.hash(style), 0x01000193) ^ (hash >>> 15);
  }
  return hash;
}

/** Returns a number for each row that moves with the row when the screen scrolls. */
export function rowIds({ grid, rows }: VisibleState): Int32Array {
  return Int32Array.from({ length: rows }, (_, row) => grid.metadata(row).start);
}

/** The rows of the visible screen that changed after a revision. */
export function changedRows(t: VisibleState, since: number): number[] {
  const rows: number[] = [];
  if (t.grid.revision <= since) return rows;
  for (let row = 0; row < t.rows; row++) if (t.grid.changedAt(row) > since) rows.push(row);
  return rows;
}

/** A logical line on the primary screen, with its rows. */
export interface ScreenLine {
  readonly line: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

/**
 * The lines of the primary screen from the top down to the last row that is not empty. The first
 * line may begin in the scrollback.
 */
export function screenLines(t: VisibleState): ScreenLine[] {
  const grid = t.primary;
  let end = grid.rows;
  while (end > 0 && grid.usedCols(end - 1) === 0) end--;
  const lines: ScreenLine[] = [];
  let line = t.topLine;
  for (let firstRow = 0; firstRow < end; line++) {
    let lastRow = firstRow;
    while (lastRow < end - 1 && grid.wraps(lastRow)) lastRow++;
    lines.push({ line, firstRow, lastRow });
    firstRow = lastRow + 1;
  }
  // The open line of the scrollback counts as a line even if it has no row on the screen.
  if (lines.length === 0 && t.scrollback.open) lines.push({ line, firstRow: 0, lastRow: 0 });
  return lines;
}

/** Appends the cells of a line: its part in the scrollback, then its rows. */
export function readScreenLine(t: VisibleState, screenLine: ScreenLine, into: CellBuffer): void {
  const { line, firstRow, lastRow } = screenLine;
  if (firstRow === 0 && t.scrollback.open) t.scrollback.readLine(line, into);
  for (let row = firstRow; row <= lastRow; row++) appendRow(t.primary, row, into);
}
