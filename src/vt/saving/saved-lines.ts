import { DumpWriter, lineFeed } from '../dump/dump-writer.ts';
import { type Inside, inside } from '../terminal.ts';

/** Complete lines above the screen, from `from` up to but excluding `to`. */
export interface SavedLines {
  readonly from: number;
  readonly to: number;
  /** Output for a terminal of {@link savedCols} columns; each line ends with a line feed. */
  readonly bytes: Uint8Array;
}

/**
 * The columns for which lines are saved, whatever the size of the terminal is. Few lines are
 * longer.
 */
export const savedCols = 1024;

/**
 * Returns the complete lines above the screen from `from` up to but excluding `to`, or up to the
 * first line after which they have at least `maxBytes`. Lines that do not exist are left out. A
 * resize does not change the lines before `Terminal.returnedFrom`.
 */
export function saveLines(
  terminal: Inside,
  from: number,
  to = Number.POSITIVE_INFINITY,
  maxBytes = Number.POSITIVE_INFINITY,
): SavedLines {
  const t = terminal[inside].state;
  const { firstLine, nextLine } = t.scrollback;
  const first = Math.min(Math.max(from, firstLine), nextLine);
  const end = Math.max(first, Math.min(to, nextLine));
  const lines = new DumpWriter(t, savedCols);
  const last = lines.lines(first, end, maxBytes);
  return { from: first, to: last, bytes: lines.bytes.slice() };
}

/** Saved lines without a gap up to the end that was requested. */
export interface KeptLines {
  readonly from: number;
  readonly parts: readonly Uint8Array[];
}

/**
 * Returns the lines from `first` up to but excluding `end`, without those before a gap or before
 * damaged ones.
 *
 * @param saved oldest first
 */
export function keptLines(saved: readonly SavedLines[], first: number, end: number): KeptLines {
  const parts: Uint8Array[] = [];
  let from = end;
  for (let index = saved.length - 1; index >= 0 && from > first; index--) {
    const lines = saved[index];
    if (lines.from >= from) continue;
    const start = Math.max(lines.from, first);
    const part = lines.to < from ? null : cut(lines, start, from);
    if (part === null) break;
    parts.unshift(part);
    from = start;
  }
  return { from, parts };
}

/** Returns null if the number of lines is wrong. */
function cut({ from, to, bytes }: SavedLines, first: number, end: number): Uint8Array | null {
  let start = 0;
  let stop = 0;
  let line = from;
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    line++;
    if (line === first) start = at + 1;
    if (line === end) stop = at + 1;
  }
  return line === to ? bytes.subarray(start, stop) : null;
}
