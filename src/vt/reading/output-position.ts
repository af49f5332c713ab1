import type { OutputPosition } from '#model';
import { rowLength } from '../grid/wrapping.ts';
import type { TerminalState } from '../state/terminal-state.ts';

/** Where output goes on. @param offset absolute offset of what is said there */
export function positionAt(t: TerminalState, offset: number): OutputPosition {
  const { cursor, primary, scrollback } = t;
  // With a wrap pending the cursor stands on the last cell, and behind it in truth.
  const col = cursor.col + (cursor.wrapPending ? 1 : 0);
  if (t.onAlternate) return { offset, line: null, col };
  let line = t.topLine;
  let before = scrollback.open ? scrollback.openCells : 0;
  for (let row = 0; row < cursor.row; row++) {
    if (primary.wraps(row)) before += rowLength(primary, row);
    else {
      line++;
      before = 0;
    }
  }
  return { offset, line, col: before + col };
}
