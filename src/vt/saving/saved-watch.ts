import { decodeUtf8, encodeUtf8 } from '#base';
import { alternateStart, dumpGrid, dumpStart } from '../dump/dump.ts';
import { DumpWriter, lineFeed } from '../dump/dump-writer.ts';
import type { Grid } from '../grid/grid.ts';
import type { CursorState } from '../state/cursor-state.ts';
import type { Frame } from '../state/frame.ts';
import type { SavedRewrites } from '../state/rewrites.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import type { ScrollbackPosition, VisibleState } from '../state/visible-state.ts';
import { type Inside, inside } from '../terminal.ts';

// The properties of a terminal that readers see and no output restores, as a JSON value.

/** More than the open line of a scrollback has. */
const mostOpenCells = 1024 * 1024;

/** Changed when the meaning of a property changes. */
const format = 1;

/** Row, column, and 1 if a wrap is pending. */
type SavedCursorPosition = readonly number[];

/** When the rows of a grid changed. */
export interface SavedRows {
  readonly revision: number;
  readonly printedSince: number;
  /** For each row: `changedAt`, `printedAt`, `printedFrom`, `printedTo` of its metadata. */
  readonly rows: readonly number[];
}

/** The frame that readers see while the next one is being drawn. */
export interface SavedFrame {
  /** Output that draws its screens. */
  readonly dump: string;
  readonly revision: number;
  readonly cursor: SavedCursorPosition;
  readonly primaryCursor: SavedCursorPosition;
  readonly cursorVisible: boolean;
  readonly cursorShape: Frame['modes']['cursorShape'];
  readonly cursorBlinking: boolean;
  /** Absent if not. */
  readonly reverseVideo?: boolean;
  /** Alternating indexes and colours of `Frame.colors`; absent if none. */
  readonly colors?: readonly number[];
  readonly scrollback: ScrollbackPosition;
  readonly primary: SavedRows;
  /** Null if the frame is on the primary screen. */
  readonly alternate: SavedRows | null;
  /** The text printed since on lines that have left the screen; see `PrintedLines`. */
  readonly printed: readonly number[];
  /**
   * Lines before the first that the frame or `printed` refer to, as output; see `SavedLines`. Null
   * unless more lines than the scrollback keeps have left the screen since.
   */
  readonly earlier: { readonly from: number; readonly output: string } | null;
}

export interface SavedWatch {
  readonly format: typeof format;
  readonly revision: number;
  readonly printedSince: number;
  readonly outputEnd: number;
  /** Absolute offset of an incomplete control string. */
  readonly stringOffset: number;
  readonly firstLine: number;
  readonly linesEnd: number;
  readonly pushedRows: number;
  readonly primaryCursor: SavedCursorPosition;
  readonly primary: SavedRows;
  readonly alternate: SavedRows | null;
  readonly rewrites: SavedRewrites;
  readonly frame: SavedFrame | null;
}

/** @param stringOffset see `Parser` */
export function saveWatch(t: TerminalState, outputEnd: number, stringOffset: number): SavedWatch {
  return {
    format,
    revision: t.revision,
    printedSince: t.printedSince,
    outputEnd,
    stringOffset,
    firstLine: t.scrollback.firstLine,
    linesEnd: t.scrollback.nextLine,
    pushedRows: t.scrollback.pushedRows,
    primaryCursor: savePrimaryCursor(t),
    primary: saveRows(t.primary),
    alternate: t.alternate === null ? null : saveRows(t.alternate),
    rewrites: t.rewrites.save(),
    frame: t.frame === null ? null : saveFrame(t, t.frame),
  };
}

function saveFrame(t: TerminalState, frame: Frame): SavedFrame {
  const screens = new DumpWriter(t, frame.cols);
  screens.put(dumpStart);
  dumpGrid(frame.primary, screens);
  if (frame.onAlternate) {
    screens.put(alternateStart);
    dumpGrid(frame.grid, screens);
  }
  const { nextLine, open, openCells, pushedRows } = frame.scrollback;
  return {
    dump: decodeUtf8(screens.bytes),
    revision: frame.revision,
    cursor: saveCursor(frame.cursor),
    primaryCursor: savePrimaryCursor(frame),
    ...frame.modes,
    ...(frame.colors.size === 0 ? {} : { colors: [...frame.colors].flat() }),
    scrollback: { nextLine, open, openCells, pushedRows },
    primary: saveRows(frame.primary),
    alternate: frame.onAlternate ? saveRows(frame.grid) : null,
    printed: t.printedOffScreen.save(),
    earlier: saveEarlier(t, frame),
  };
}

function saveEarlier(t: TerminalState, frame: Frame): SavedFrame['earlier'] {
  const { printedOffScreen } = t;
  const open = frame.scrollback.open ? frame.scrollback.nextLine : Number.POSITIVE_INFINITY;
  const printed = printedOffScreen.count > 0 ? printedOffScreen.line(0) : open;
  const { firstHeld, firstLine } = t.scrollback;
  const from = Math.max(firstHeld, Math.min(open, printed));
  if (from >= firstLine) return null;
  const lines = new DumpWriter(t, savedCols);
  lines.lines(from, firstLine);
  return { from, output: decodeUtf8(lines.bytes) };
}

/** On the primary screen it has no meaning, and may be outside of the screen. */
function savePrimaryCursor({ onAlternate, primaryCursor }: VisibleState): SavedCursorPosition {
  return onAlternate ? saveCursor(primaryCursor) : [0, 0, 0];
}

function saveCursor({ row, col, wrapPending }: CursorState): SavedCursorPosition {
  return [row, col, wrapPending ? 1 : 0];
}

function saveRows(grid: Grid): SavedRows {
  const rows: number[] = [];
  for (let row = 0; row < grid.rows; row++) {
    const { printedAt, printedFrom, printedTo } = grid.metadata(row);
    rows.push(grid.changedAt(row), printedAt, printedFrom, printedTo);
  }
  return { revision: grid.revision, printedSince: grid.printedSince, rows };
}

export function restoreCursor(cursor: CursorState, saved: SavedCursorPosition): void {
  [cursor.row, cursor.col] = saved;
  cursor.wrapPending = saved[2] === 1;
}

/** Requires that the grid has no changes since revision 0. */
export function restoreRows(grid: Grid, saved: SavedRows): void {
  grid.revision = saved.revision;
  grid.printedSince = saved.printedSince;
  for (let row = 0; row < grid.rows; row++) {
    const meta = grid.metadata(row);
    [meta.changedAt, meta.printedAt, meta.printedFrom, meta.printedTo] = saved.rows.slice(row * 4);
  }
}

/** Returns the first line that is needed, and the lines that were saved with the shown frame. */
export function neededLines(watch: SavedWatch): { first: number; earlier: SavedLines[] } {
  const { firstLine, frame } = watch;
  if (!frame?.earlier) return { first: firstLine, earlier: [] };
  const { from, output } = frame.earlier;
  return { first: from, earlier: [{ from, to: firstLine, bytes: encodeUtf8(output) }] };
}

/**
 * Returns the value as it was saved for a terminal of this size; null if it is damaged or of
 * another format.
 */
export function readWatch(value: unknown, cols: number, rows: number): SavedWatch | null {
  const check = new Check(cols, rows);
  return check.isWatch(value) ? (value as SavedWatch) : null;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function areIntegers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => Number.isSafeInteger(each));
}

/** Checks saved values against the size of the terminal. */
class Check {
  readonly #cols: number;
  readonly #rows: number;

  constructor(cols: number, rows: number) {
    this.#cols = cols;
    this.#rows = rows;
  }

  isWatch(value: unknown): boolean {
    if (!isFields(value) || value['format'] !== format) return false;
    const { revision, printedSince, outputEnd, stringOffset, firstLine, linesEnd } = value;
    return (
      [revision, printedSince, outputEnd, firstLine, linesEnd].every(isCount) &&
      isCount(value['pushedRows']) &&
      Number.isSafeInteger(stringOffset) &&
      this.#isCursor(value['primaryCursor']) &&
      this.#isGrid(value['primary']) &&
      (value['alternate'] === null || this.#isGrid(value['alternate'])) &&
      isRewrites(value['rewrites']) &&
      (value['frame'] === null || this.#isFrame(value['frame']))
    );
  }

  #isFrame(value: unknown): boolean {
    if (!isFields(value)) return false;
    const { dump, revision, cursor, primaryCursor, primary, alternate, printed } = value;
    return (
      typeof dump === 'string' &&
      isCount(revision) &&
      this.#isCursor(cursor) &&
      this.#isCursor(primaryCursor) &&
      typeof value['cursorVisible'] === 'boolean' &&
      ['block', 'underline', 'bar'].includes(String(value['cursorShape'])) &&
      typeof value['cursorBlinking'] === 'boolean' &&
      typeof (value['reverseVideo'] ?? false) === 'boolean' &&
      areIntegers(value['colors'] ?? []) &&
      isPosition(value['scrollback']) &&
      this.#isGrid(primary) &&
      (alternate === null || this.#isGrid(alternate)) &&
      areIntegers(printed) &&
      printed.length % 3 === 0 &&
      (value['earlier'] === null || areLines(value['earlier']))
    );
  }

  #isCursor(value: unknown): boolean {
    if (!areIntegers(value) || value.length !== 3) return false;
    const [row, col] = value;
    return row >= 0 && row < this.#rows && col >= 0 && col < this.#cols;
  }

  #isGrid(value: unknown): boolean {
    if (!isFields(value)) return false;
    const { revision, printedSince, rows } = value;
    return (
      isCount(revision) &&
      isCount(printedSince) &&
      areIntegers(rows) &&
      rows.length === this.#rows * 4
    );
  }
}

function areLines(value: unknown): boolean {
  return isFields(value) && isCount(value['from']) && typeof value['output'] === 'string';
}

function isPosition(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { nextLine, open, openCells, pushedRows } = value;
  return (
    [nextLine, openCells, pushedRows].every(isCount) &&
    typeof open === 'boolean' &&
    Number(openCells) <= mostOpenCells
  );
}

function isRewrites(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { printed, cleared, returned, furthest, lastClear } = value;
  return (
    [printed, cleared, returned].every((list) => areIntegers(list) && list.length % 2 === 0) &&
    isCount(furthest) &&
    (lastClear === null || isClear(lastClear))
  );
}

function isClear(value: unknown): boolean {
  if (!isFields(value)) return false;
  return isCount(value['number']) && (value['line'] === null || isCount(value['line']));
}

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
