import type { MouseTracking, Size } from '#model';
import { drives, type ViewState } from '../view-state.ts';

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
 * mouse, else what the view needs for scrolling and selecting.
 */
export function wantedMouse(state: ViewState): MouseTracking {
  const { screen, scroll, overlay } = state;
  const program = screen?.modes.mouseTracking ?? 'none';
  const isView = scroll !== null || overlay !== null || !drives(state);
  return isView || program === 'none' ? 'button' : program;
}
