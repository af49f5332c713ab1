import type { Cursor, Size, ViewModes } from '#model';
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
  /** The terminal that it was read from. */
  readonly source: unknown;
}

/** Returns what a terminal shows. Rows that have not changed since `before` are the same objects. */
export function screenOf(terminal: Terminal, before: SessionScreen | null = null): SessionScreen {
  const { size, cursor, title, alternate, endLine, viewModes: modes } = terminal;
  const cells = terminal.screenCells(before?.source === terminal ? before.cells : null);
  return { cells, size, cursor, title, alternate, endLine, modes, source: terminal };
}
