import type { Cell, Cursor, Size } from '#model';
import type { Picture } from '#tty';
import type { Terminal } from '#vt';
import type { Keys } from '../keys.ts';
import type { LineText } from '../line-editor.ts';
import { emptyRows, noCursor } from '../view/layout.ts';
import {
  blank,
  bold,
  boldInverse,
  type Cols,
  cellsOf,
  columns,
  inverse,
  matchStyle,
  narrow,
  plain,
  type Row,
  remembered,
  restyle,
  textRow,
} from '../view/row-cells.ts';

/** What the player shows. Times in ms. */
export interface PlayerView {
  readonly window: Size;
  readonly keys: Keys;
  readonly terminal: Terminal;
  /** The cells of its screen. */
  readonly cells: readonly Row[];
  readonly name: string;
  readonly state: 'playing' | 'paused' | 'ended';
  readonly playedMs: number;
  readonly totalMs: number;
  readonly speed: number;
  /** When markers are played. */
  readonly markersMs: readonly number[];
  /** The last marker before now; empty if there is none. */
  readonly marker: string;
  readonly notice: string | null;
  readonly prompt: LineText | null;
  readonly isHelp: boolean;
  /** Whether the status line is shown although the recording needs the row. */
  readonly isStatusWanted: boolean;
  /** What is searched: the matches in a text. */
  readonly matcher:
    | ((text: string) => readonly { readonly start: number; readonly end: number }[])
    | null;
}

/** Returns what a person sees of a recording. Nothing of it but cells is used. */
export function pictureOf(view: PlayerView): Picture {
  const { window, terminal } = view;
  const hasStatus = window.rows > 1 && (view.isStatusWanted || window.rows > terminal.size.rows);
  const status = hasStatus ? [statusRow(view)] : [];
  const bodyRows = window.rows - status.length;
  const rows = view.isHelp ? helpRows(view.keys, window.cols) : screenRows(view, bodyRows);
  const body = [...rows.slice(0, bodyRows), ...emptyRows(bodyRows - rows.length, window.cols)];
  return {
    size: window,
    rows: [...body, ...status],
    cursor: cursorOf(view, bodyRows),
    title: null,
    reverseVideo: terminal.viewModes.reverseVideo,
  };
}

/** The first row and column that are shown: those with the cursor, if not all fit. */
function partOf({ window, terminal }: PlayerView, bodyRows: number): { row: number; col: number } {
  const { cursor } = terminal;
  return {
    row: Math.max(0, cursor.row - bodyRows + 1),
    col: Math.max(0, cursor.col - window.cols + 1),
  };
}

function screenRows(view: PlayerView, bodyRows: number): readonly Row[] {
  const { window, cells, terminal } = view;
  const part = partOf(view, bodyRows);
  const { cols } = terminal.size;
  const border = window.cols > cols ? [narrow('│', plain)] : [];
  const rows = cells.slice(part.row, part.row + bodyRows).map((row, index) => {
    const marked = withMatches(view, unlinked(row), part.row + index);
    if (cols === window.cols) return marked;
    return columns([...marked.slice(part.col, part.col + window.cols), ...border], 0, window.cols);
  });
  if (rows.length >= bodyRows) return rows;
  const line = `${'─'.repeat(Math.min(cols, window.cols))}${border.length > 0 ? '┘' : ''}`;
  const cellsOfLine = Array.from(line, (text) => narrow(text, plain));
  return [...rows, columns(cellsOfLine, 0, window.cols)];
}

const unlinkedRows = new WeakMap<Row, Row>();
const unlinkedStyle = remembered((style) => ({ ...style, link: null }));

/** Returns a row without its links, which the author of a recording may point anywhere. */
function unlinked(row: Row): Row {
  if (row.every(({ style }) => style.link === null)) return row;
  let cells = unlinkedRows.get(row);
  if (cells === undefined) {
    cells = row.map((cell) => ({ ...cell, style: unlinkedStyle(cell.style) }));
    unlinkedRows.set(row, cells);
  }
  return cells;
}

function withMatches({ matcher, terminal }: PlayerView, row: Row, index: number): Row {
  if (matcher === null) return row;
  const reader = terminal.readRow(index);
  const matches = matcher(reader.spaced());
  if (matches.length === 0) return row;
  const shown: Cell[] = [...row];
  for (const { start, end } of matches) {
    const cols: Cols = { from: reader.colAfter(start), to: reader.colAfter(end) };
    restyle(shown, 0, cols, matchStyle);
  }
  return shown;
}

function cursorOf(view: PlayerView, bodyRows: number): Cursor {
  const { window, terminal, prompt, isHelp } = view;
  if (prompt !== null) {
    const { col } = promptRow(prompt, window.cols);
    return { ...noCursor, row: window.rows - 1, col, visible: true, shape: 'bar' };
  }
  const { cursor } = terminal;
  const part = partOf(view, bodyRows);
  const [row, col] = [cursor.row - part.row, cursor.col - part.col];
  if (isHelp || row >= bodyRows) return noCursor;
  return { ...cursor, row, col, wrapPending: cursor.wrapPending && col === window.cols - 1 };
}

const promptLabel = ' /';

/** Returns the row of the prompt and the column of its cursor: where not all fits, the part before the cursor. */
function promptRow({ text, at }: LineText, cols: number): { row: Row; col: number } {
  const label = cellsOf(promptLabel, inverse);
  const before = cellsOf(text.slice(0, at), inverse);
  const skipped = Math.max(0, before.length - Math.max(0, cols - label.length - 1));
  const all = [...before, ...cellsOf(text.slice(at), inverse)];
  const shown = columns(all, skipped, skipped + cols, blank(inverse));
  const row = columns([...label, ...shown], 0, cols, blank(inverse));
  return { row, col: Math.min(cols - 1, label.length + before.length - skipped) };
}

const keyCols = 10;

function helpRows(keys: Keys, cols: number): readonly Row[] {
  const rows = keys.help('play').map(({ keys: names, does }) =>
    textRow(
      [
        { text: `  ${names.padEnd(keyCols)}`, style: bold },
        { text: does, style: plain },
      ],
      cols,
    ),
  );
  return [textRow([{ text: ' Keys; any key leaves this help', style: bold }], cols), ...rows];
}

/** The columns that the bar of the times has at least. */
const minBarCols = 10;

function statusRow(view: PlayerView): Row {
  const { window, notice, prompt, name, state, speed, marker } = view;
  const { cols } = window;
  if (prompt !== null) return promptRow(prompt, cols).row;
  if (notice !== null) return textRow([{ text: ` ${notice}`, style: inverse }], cols, inverse);
  const total = timeText(view.totalMs);
  const times = `${timeText(view.playedMs).padStart(total.length)} / ${total}`;
  const left = [
    ...cellsOf(` ${state.padEnd(7)} ${times} `, boldInverse),
    ...(speed === 1 ? [] : cellsOf(`${speed}x `, inverse)),
  ];
  const help = view.keys.hint('play', 'help', 'help');
  const right = cellsOf(` ${marker === '' ? name : marker}  ${help} `, inverse);
  const most = Math.max(0, cols - left.length - minBarCols);
  const end = right.length <= most ? right : cellsOf(` ${help} `, inverse);
  const barCols = cols - left.length - end.length;
  const cells = barCols < minBarCols ? left : [...left, ...bar(view, barCols), ...end];
  return columns(cells, 0, cols, blank(inverse));
}

/** The times as a line: what has been played, and the markers. */
function bar({ playedMs, totalMs, markersMs }: PlayerView, cols: number): Cell[] {
  const colOf = (ms: number) => Math.min(cols - 1, Math.floor((ms / Math.max(1, totalMs)) * cols));
  const played = playedMs >= totalMs ? cols : colOf(playedMs);
  const texts: string[] = Array.from({ length: cols }, (_, col) => (col < played ? '━' : '─'));
  for (const ms of markersMs) texts[colOf(ms)] = '┃';
  return texts.map((text) => narrow(text, inverse));
}

/** Returns a time as `1:02` or `1:02:03`. */
function timeText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (number: number) => String(number).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const rest = two(seconds % 60);
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}
