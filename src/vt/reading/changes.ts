import type { Grid } from '../grid/grid.ts';
import { screenLines } from '../state/screen-lines.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import type { Shown } from '../state/visible-state.ts';

/** To be called after each feed: keeps what `Rewrites` tells. */
export function noteRewrites(t: TerminalState): void {
  const { grid, rewrites, printedOff } = t;
  if (t.onAlternate) return;
  const first = printedOff.count > 0 ? printedOff.line(0) : firstPrintedLine(t);
  rewrites.note(t.revision, first, lineOfRow(grid, t.topLine, t.cursor.row));
}

/** The topmost line on the primary screen that was just printed on; Infinity for none. */
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

/** Whether anything was printed after a revision on a line of the primary screen, as far as is known. */
export function printedAfter(t: Shown, line: number, since: number): boolean {
  const found = screenLines(t).find((each) => each.line === line);
  if (found === undefined) return false;
  for (let row = found.firstRow; row <= found.lastRow; row++) {
    if (isPrintedAfter(t.primary, row, since)) return true;
  }
  return false;
}

/** Of rows that a resize cut anew it is not known when; they count, as those above the screen do. */
function isPrintedAfter(grid: Grid, row: number, since: number): boolean {
  const at = grid.printedAt(row);
  return at > since || (at < 0 && grid.usedCols(row) > 0);
}
