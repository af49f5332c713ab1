import type { CellBuffer } from '../cells/cell-buffer.ts';
import { appendRow } from '../grid/wrapping.ts';
import type { VisibleState } from './visible-state.ts';

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
