import {
  applyFrame,
  type Cursor,
  initialViewModes,
  plainStyle,
  type RowFrame,
  type Size,
  type ViewModes,
} from '#model';
import type { ScreenCells, Terminal } from '#vt';
import type { SessionColors } from './picture/session-colors.ts';

/** The screen of the session, as far as a view shows it. */
export interface SessionScreen {
  readonly cells: ScreenCells;
  readonly size: Size;
  readonly cursor: Cursor;
  readonly title: string;
  readonly alternate: boolean;
  /** One past the last line of the primary screen. */
  readonly endLine: number;
  readonly modes: Pick<ViewModes, 'mouseTracking' | 'reverseVideo'> & SessionColors;
  /** The terminal or the frame that it was read from. */
  readonly source: unknown;
}

/** Returns what a terminal shows. Rows that have not changed since `before` are the same objects. */
export function screenOf(terminal: Terminal, before: SessionScreen | null = null): SessionScreen {
  const { size, cursor, title, alternate, endLine, viewModes: modes } = terminal;
  const cells = terminal.screenCells(before?.source === terminal ? before.cells : null);
  return { cells, size, cursor, title, alternate, endLine, modes, source: terminal };
}

/**
 * Returns what is shown of a session until its events arrive, without a terminal: loading the engine
 * takes as long as everything else before the first picture.
 *
 * @param first a full frame; or nothing, in that size
 */
export function firstScreen(first: RowFrame | Size): SessionScreen {
  if ('full' in first) {
    const { revision, size, cursor, title, alternate, modes } = first;
    const cells = { revision, rows: applyFrame([], first) };
    // No line above the screen can be shown yet.
    return { cells, size, cursor, title, alternate, modes, endLine: 0, source: first };
  }
  const blank = { text: ' ', width: 1, style: plainStyle } as const;
  const row = Array(first.cols).fill(blank);
  return {
    ...{ size: first, title: '', alternate: false, endLine: 0 },
    ...{ modes: initialViewModes, source: first },
    cells: { revision: 0, rows: Array(first.rows).fill(row) },
    cursor: { row: 0, col: 0, wrapPending: false, visible: true, shape: 'block', blinking: true },
  };
}
