import { defined } from '#base';
import type { Cell, Size, Style } from './cell.ts';
import { VtrError } from './errors.ts';
import type { KeyModes, MouseEncoding, MouseTracking } from './input.ts';
import type { Cursor } from './screen.ts';
import type { SessionInfo, SessionRef } from './session.ts';

/** Neighbouring cells of one style and one width. */
export interface Run {
  /** The graphemes of the cells; blanks are spaces. */
  readonly text: string;
  /** The columns it takes: one or two for each grapheme. */
  readonly cols: number;
  /** True if `text` is one grapheme of several code points; else each code point is a cell. */
  readonly cluster?: true;
  readonly style: Style;
}

/** A row of a frame. */
export interface FrameRow {
  /** 0-based. */
  readonly row: number;
  readonly runs: readonly Run[];
}

/** The rows of a screen that changed, for a viewer: the newest state, never a backlog. */
export interface RowFrame {
  readonly revision: number;
  readonly size: Size;
  /** Whether all rows are included; else those that changed since the frame before. */
  readonly full: boolean;
  /** From top to bottom. Trailing blanks in plain style are left out. */
  readonly rows: readonly FrameRow[];
  readonly cursor: Cursor;
  readonly alternate: boolean;
  readonly title: string;
  readonly modes: ViewModes;
}

/** A session and its screen, of one moment. */
export interface SessionFrame {
  readonly info: SessionInfo;
  /** A full one. */
  readonly frame: RowFrame;
}

/** The style of a cell that nothing was written to. */
export const plainStyle: Style = Object.freeze<Style>({
  fg: null,
  bg: null,
  underlineColor: null,
  underline: 'none',
  bold: false,
  dim: false,
  italic: false,
  blink: false,
  inverse: false,
  hidden: false,
  strikethrough: false,
  overline: false,
  link: null,
});

const blank: Cell = Object.freeze<Cell>({ text: ' ', width: 1, style: plainStyle });

/** Returns whether two styles look the same. */
export function isSameStyle(a: Style, b: Style): boolean {
  if (a === b) return true;
  // Most styles that differ differ in colour.
  if (a.fg !== b.fg || a.bg !== b.bg) return false;
  for (const name in a) if (a[name as keyof Style] !== b[name as keyof Style]) return false;
  return true;
}

/** Returns the cells of a row as runs, without trailing blanks in plain style. */
export function runsOfCells(cells: readonly Cell[]): Run[] {
  const end = endOf(cells);
  const runs: Run[] = [];
  let run: RunInProgress | null = null;
  for (let at = 0; at < end; at++) {
    const cell = cells[at];
    // The second half of a wide character.
    if (cell === undefined || cell.width === 0) continue;
    if (run?.takes(cell)) run.add(cell);
    else {
      if (run !== null) runs.push(run.end());
      run = new RunInProgress(cell);
    }
  }
  if (run !== null) runs.push(run.end());
  return runs;
}

/** Returns one past the last cell that is not blank in plain style. */
function endOf(cells: readonly Cell[]): number {
  let plain = plainStyle;
  let end = cells.length;
  for (; end > 0; end--) {
    const { text, style } = cells[end - 1] as Cell;
    if (text !== ' ') break;
    if (style === plain) continue;
    if (!isSameStyle(style, plain)) break;
    plain = style;
  }
  return end;
}

/** A run to which cells are added. */
class RunInProgress {
  readonly #first: Cell;
  readonly #isCluster: boolean;
  #text: string;
  #cells = 1;

  constructor(cell: Cell) {
    this.#first = cell;
    this.#text = cell.text;
    this.#isCluster = isCluster(cell.text);
  }

  takes({ text, width, style }: Cell): boolean {
    const { width: own, style: ownStyle } = this.#first;
    return width === own && !this.#isCluster && !isCluster(text) && isSameStyle(style, ownStyle);
  }

  add({ text }: Cell): void {
    this.#text += text;
    this.#cells++;
  }

  end(): Run {
    const { width, style } = this.#first;
    const cols = this.#cells * width;
    return { text: this.#text, cols, ...defined({ cluster: this.#isCluster || undefined }), style };
  }
}

/** Whether a grapheme has several code points. */
const isCluster = (text: string): boolean =>
  text.length > 1 && text.length > String.fromCodePoint(text.codePointAt(0) as number).length;

/**
 * Returns a row of a frame as exactly `cols` cells: the inverse of {@link runsOfCells}. A run that does
 * not fit is cut.
 */
export function cellsOfRuns(runs: readonly Run[], cols: number): Cell[] {
  const cells: Cell[] = [];
  for (const { text, cols: runCols, cluster, style } of runs) {
    const graphemes = cluster ? [text] : [...text];
    const isWide = runCols > graphemes.length;
    for (const grapheme of graphemes) {
      cells.push({ text: grapheme, width: isWide ? 2 : 1, style });
      if (isWide) cells.push({ text: '', width: 0, style });
    }
  }
  while (cells.length < cols) cells.push(blank);
  if (cells.length > cols) cutTo(cells, cols);
  return cells;
}

function cutTo(cells: Cell[], cols: number): void {
  cells.length = cols;
  const last = cells[cols - 1];
  if (last?.width === 2) cells[cols - 1] = { text: ' ', width: 1, style: last.style };
}

/** Returns the rows of a screen after a frame. */
export function applyFrame(
  before: readonly (readonly Cell[])[],
  { full, size, rows }: Pick<RowFrame, 'full' | 'size' | 'rows'>,
): (readonly Cell[])[] {
  const base = full ? [] : before.slice(0, size.rows);
  // What handles each row object once has less to do if blank rows are one object.
  let empty: readonly Cell[] | null = null;
  for (const { row, runs } of rows) {
    if (runs.length > 0) base[row] = cellsOfRuns(runs, size.cols);
    else base[row] = empty ??= cellsOfRuns(runs, size.cols);
  }
  return base;
}

/** Returns one frame for two that follow each other. */
export function mergeFrames(older: RowFrame, newer: RowFrame): RowFrame {
  if (newer.full) return newer;
  const rows = new Map(older.rows.map((each) => [each.row, each]));
  for (const each of newer.rows) rows.set(each.row, each);
  const sorted = [...rows.values()].sort((a, b) => a.row - b.row);
  return { ...newer, full: older.full, rows: sorted };
}

/** The modes of a terminal that a viewer needs: what its keys, mouse and colours mean. */
export interface ViewModes extends KeyModes {
  readonly mouseTracking: MouseTracking;
  readonly mouseEncoding: MouseEncoding;
  /** 1004: the program wants to know whether its window has the focus. */
  readonly focusReporting: boolean;
  /** 1007: on the alternate screen the wheel sends cursor keys. */
  readonly alternateScroll: boolean;
  /** DECSCNM */
  readonly reverseVideo: boolean;
  /** IRM: characters move the rest of the row to the right. */
  readonly insert: boolean;
  /** DECOM: rows and columns are counted from the margins. */
  readonly origin: boolean;
  /** DECAWM */
  readonly autowrap: boolean;
  /** The palette entries that the program changed (OSC 4), as 0xRRGGBB by index. */
  readonly palette: Readonly<Record<number, number>>;
  /** The default colours that the program set (OSC 10, 11, 12), as 0xRRGGBB; null if it did not. */
  readonly foreground: number | null;
  readonly background: number | null;
  readonly cursorColor: number | null;
}

/** The modes of a new terminal. */
export const initialViewModes: ViewModes = {
  applicationCursorKeys: false,
  applicationKeypad: false,
  backarrowSendsBackspace: false,
  newLine: false,
  bracketedPaste: false,
  alternateScreen: false,
  modifyOtherKeys: 0,
  formatOtherKeys: 0,
  kittyFlags: 0,
  mouseTracking: 'none',
  mouseEncoding: 'default',
  focusReporting: false,
  alternateScroll: false,
  reverseVideo: false,
  insert: false,
  origin: false,
  autowrap: true,
  palette: {},
  foreground: null,
  background: null,
  cursorColor: null,
};

/** Which sessions a watch sends frames of, and how often. */
export interface FramesRequest {
  readonly sessions: readonly SessionRef[];
  /** At most this many frames a second for each session, 1 to 60. Default: 10. */
  readonly perSecond?: number;
  /** Whether a person looks at these sessions, which ends `AgentInfo.done`. Default: false. */
  readonly looking?: boolean;
}

export interface WatchSessionsRequest {
  /** Default: none. */
  readonly frames?: FramesRequest;
  /** Whether secrets are replaced; there are no frames then. Default: false. */
  readonly redact?: boolean;
}

/**
 * - `sessions`: first, and again if events were skipped: all sessions, oldest first.
 * - `session`: a new session, or one of which anything in its info changed. Sent at most ten times a
 *   second for each session; its `revision` alone is not a change.
 * - `removed`: a session was removed.
 * - `frame`: see {@link RowFrame}. The first of a session is full.
 *
 * All infos have `activity` and `attention`.
 */
export type SessionsEvent =
  | { readonly type: 'sessions'; readonly sessions: readonly SessionInfo[] }
  | { readonly type: 'session'; readonly session: SessionInfo }
  | { readonly type: 'removed'; readonly id: string; readonly name: string }
  | { readonly type: 'frame'; readonly id: string; readonly frame: RowFrame };

/** All sessions of a coordinator as they change, for one consumer. Ends with `dispose`. */
export interface SessionsWatch extends AsyncIterable<SessionsEvent> {
  /** Replaces the frames that are sent; null for none. Sessions that do not exist are ignored. */
  setFrames(frames: FramesRequest | null): Promise<void>;
  dispose(): void;
}

/** The frames of a session per second, unless requested otherwise. */
const defaultPerSecond = 10;
const maxPerSecond = 60;

/** Returns how many frames of a session are sent per second. @throws VtrError INVALID_ARGUMENT */
export function checkPerSecond({ perSecond = defaultPerSecond }: FramesRequest): number {
  if (Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= maxPerSecond) return perSecond;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `perSecond is ${perSecond}; give a number of frames from 1 to ${maxPerSecond}`,
  );
}
