import type { Cursor, MouseTracking, Size } from '#model';
import { columns, narrow, plain, type Row, textRow } from './row-cells.ts';
import { inSessionColors } from './session-screen.ts';
import { drives, type ViewState } from './view-state.ts';

/**
 * Where things are in the window. The session's first cell is the window's first cell, so that the
 * session does not move when something is shown beside it.
 */
export interface Layout {
  /** Rows of the window for the session, its border, and everything above them. */
  readonly bodyRows: number;
  /** The part of the session that is shown. */
  readonly shown: Size;
  /** Whether the last row is the status line. */
  readonly status: boolean;
  /** Whether a line right of the session and one below it show where it ends. */
  readonly border: { readonly right: boolean; readonly bottom: boolean };
}

export function layoutOf(state: ViewState): Layout {
  const { window, screen } = state;
  const session = screen?.size ?? window;
  const status = hasStatus(state, session);
  const bodyRows = window.rows - (status ? 1 : 0);
  return {
    bodyRows,
    status,
    shown: {
      cols: Math.min(session.cols, window.cols),
      rows: Math.min(session.rows, bodyRows),
    },
    border: { right: window.cols > session.cols, bottom: bodyRows > session.rows },
  };
}

/** A row is never taken from a session for the status line, except with `on`. */
function hasStatus({ window, status, connection, screen }: ViewState, session: Size): boolean {
  if (window.rows < 2) return false;
  if (status === 'on') return true;
  if (connection.state === 'ended' && screen !== null) return true;
  return status === 'auto' && window.rows > session.rows;
}

/** The size that the session has while this person drives. */
export const sessionSize = ({ window, status }: Pick<ViewState, 'window' | 'status'>): Size =>
  status === 'on' && window.rows > 1 ? { ...window, rows: window.rows - 1 } : window;

/**
 * What the person's terminal is asked to report of the mouse: what the program wants while it gets the
 * mouse, else what the view needs for scrolling and selecting, unless
 * the person keeps the mouse for the terminal.
 */
export function wantedMouse(state: ViewState): MouseTracking {
  const { screen, scroll, overlay } = state;
  const program = screen?.modes.mouseTracking ?? 'none';
  const isView = scroll !== null || overlay !== null || !drives(state);
  if (!isView && program !== 'none') return program;
  return state.usesMouse === false ? 'none' : 'button';
}

/** Returns the rows of the window above the status line, with the session as it is. */
export function liveRows(state: ViewState, layout: Layout): readonly Row[] {
  const { screen, window, session } = state;
  const { bodyRows, shown } = layout;
  if (screen === null) {
    const text = textRow([{ text: `attaching to ${session} …`, style: plain }], window.cols);
    return [text, ...emptyRows(bodyRows - 1, window.cols)].slice(0, bodyRows);
  }
  const rows = screen.cells.rows.map((row) => inSessionColors(row, screen.modes));
  if (isWhole(rows, window.cols, bodyRows)) return rows;
  const visible = rows.slice(state.pan.row, state.pan.row + shown.rows);
  return [...visible.map((row) => framedRow(row, state, layout)), ...rowsBelow(state, layout)];
}

const isWhole = (rows: readonly Row[], cols: number, count: number): boolean =>
  rows.length === count && rows.every(({ length }) => length === cols);

const framed = new WeakMap<Row, { readonly key: string; readonly row: Row }>();

/** Returns a row of the session in the width of the window: the same for the same row. */
function framedRow(row: Row, { pan, window }: ViewState, { shown, border }: Layout): Row {
  const key = `${pan.col} ${shown.cols} ${window.cols} ${border.right}`;
  const entry = framed.get(row);
  if (entry?.key === key) return entry.row;
  const part = columns(row, pan.col, pan.col + shown.cols);
  const whole = border.right ? columns([...part, ...vertical], 0, window.cols) : part;
  framed.set(row, { key, row: whole });
  return whole;
}

const vertical: Row = [narrow('│', plain)];

function rowsBelow({ window }: ViewState, { bodyRows, shown, border }: Layout): Row[] {
  if (!border.bottom) return [];
  const line = `${'─'.repeat(shown.cols)}${border.right ? '┘' : ''}`;
  const bottom = textRow([{ text: line, style: plain }], window.cols);
  return [bottom, ...emptyRows(bodyRows - shown.rows - 1, window.cols)];
}

const emptyByCols = new Map<number, Row>();

/** Returns empty rows, all of them the same object. */
export function emptyRows(count: number, cols: number): Row[] {
  let row = emptyByCols.get(cols);
  if (row === undefined) {
    row = textRow([], cols);
    emptyByCols.set(cols, row);
  }
  return Array(Math.max(0, count)).fill(row);
}

/** Returns where the session's cursor is in the window. */
export function liveCursor({ screen, pan }: ViewState, { shown }: Layout): Cursor {
  if (screen === null) return noCursor;
  const { cursor } = screen;
  const [row, col] = [cursor.row - pan.row, cursor.col - pan.col];
  const isSeen = row >= 0 && row < shown.rows && col >= 0 && col < shown.cols;
  return isSeen ? { ...cursor, row, col } : { ...noCursor, shape: cursor.shape };
}

export const noCursor: Cursor = {
  row: 0,
  col: 0,
  wrapPending: false,
  visible: false,
  shape: 'block',
  blinking: false,
};
