import { CellBuffer } from '../cells/cell-buffer.ts';
import { cellsText, textUnits } from '../cells/cell-text.ts';
import type { Scrollback } from '../scrollback/scrollback.ts';
import type { TerminalState } from '../state/terminal-state.ts';

/** The end of the open line above the screen: its cells from `from` up to `to`, as text. */
export interface OpenTail {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

interface KnownTail extends OpenTail {
  readonly line: number;
  readonly edits: number;
}

/** A tail begins at a multiple of this number of cells, and has at least as many if the line has. */
const blockCells = 16 * 1024;
/** The most that a cell without combining characters takes, in bytes. */
const bytesPerCell = 4;
/** Maximum bytes that are read of the open line. */
const maxBytes = 256 * 1024;

/** A long line with many short outputs would take quadratic time if each read its tail again. */
const known = new WeakMap<Scrollback, KnownTail>();

export function openTail(t: TerminalState): OpenTail {
  const { scrollback, clusters } = t;
  const { nextLine: line, openEdits: edits, openCells: to } = scrollback;
  if (!scrollback.open) return { from: to, to, text: '' };
  const from = Math.max(0, Math.floor(to / blockCells) - 1) * blockCells;
  const before = known.get(scrollback);
  const isGrown = before?.line === line && before.edits === edits && before.from === from;
  if (isGrown && before.to === to) return before;
  const start = isGrown ? before.to : from;
  const cells = lastCells(scrollback, to - start);
  const added = cellsText(cells.codes, 0, cells.length, clusters);
  // Fewer cells are read if they have many combining characters.
  const tail =
    cells.length < to - start
      ? { from: to - cells.length, to, text: added }
      : { from, to, text: isGrown ? before.text + added : added };
  known.set(scrollback, { ...tail, line, edits });
  return tail;
}

/** Returns the length of the text of the cells of a tail from `cell` on, in UTF-16 code units. */
export function unitsFrom(t: TerminalState, tail: OpenTail, cell: number): number {
  if (cell <= tail.from) return tail.text.length;
  const { codes, length } = lastCells(t.scrollback, tail.to - cell);
  return textUnits(codes, 0, length, t.clusters);
}

/** Returns the last cells of the open line, at most `count`. */
function lastCells(scrollback: Scrollback, count: number): { codes: Int32Array; length: number } {
  const cells = new CellBuffer();
  for (let bytes = count * bytesPerCell; count > 0; bytes *= 2) {
    cells.clear();
    scrollback.readTail(Math.min(bytes, maxBytes), cells);
    if (cells.length >= count || bytes >= maxBytes) break;
  }
  const start = Math.max(0, cells.length - count);
  return { codes: cells.codes.subarray(start, cells.length), length: cells.length - start };
}
