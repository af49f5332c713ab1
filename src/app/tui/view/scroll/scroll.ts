import type { CommandRecord } from '#model';
import type { Row } from '../picture/row-cells.ts';
import type { Frozen, Pages, Place, ViewLine } from './lines.ts';
import { pagedLine } from './lines.ts';

/** A match in a text: `text.slice(start, end)`. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** Returns all matches in the text of a line. */
export type Matcher = (text: string) => readonly Match[];

export interface Search {
  /** Tells answers to this search from those to an earlier one. */
  readonly id: number;
  /** As typed. */
  readonly source: string;
  /** Whether `n` goes to older lines. */
  readonly backward: boolean;
  /** Null until the pattern is compiled. */
  readonly matcher: Matcher | null;
  /** The lines with a match, ascending. */
  readonly lines: readonly number[];
  /** The lines of the scrollback before this one have been searched, oldest first. */
  readonly searchedTo: number;
  /** Whether all lines have been searched. */
  readonly isDone: boolean;
  /** Whether there are more lines than are counted. */
  readonly isTruncated: boolean;
  /** The line of the match that the person is at. */
  readonly current: number | null;
  /** Whether {@link current} is beyond the end of the lines: the search began again at the other end. */
  readonly isAround: boolean;
  /** The match that the person wants to see; null if it is shown or does not exist. */
  readonly seek: Seek | null;
}

/** The nearest match on or after a line, or on or before it. */
export interface Seek {
  readonly line: number;
  readonly backward: boolean;
}

/** `chars`: from one character to another; `lines`: whole lines; `block`: a rectangle. */
export type SelectionKind = 'chars' | 'lines' | 'block';

export interface Selection {
  readonly kind: SelectionKind;
  /** Where it began. It ends at the cursor, which is included. */
  readonly anchor: Place;
}

/** The first row of the window: a row of a line. */
export interface Top {
  readonly line: number;
  readonly row: number;
}

/** Why the ledger was requested. */
export type LedgerWish = 'previous' | 'next' | 'output';

/** A text that is copied when its lines have been read. */
export interface PendingCopy {
  readonly id: number;
  readonly kind: SelectionKind;
  readonly from: Place;
  readonly to: Place;
}

/** A frozen view of the scrollback and the screen. */
export interface Scroll {
  readonly frozen: Frozen;
  /** The oldest line kept, as far as known. */
  readonly first: number;
  readonly pages: Pages;
  /** Pages that were requested. */
  readonly asked: ReadonlySet<number>;
  readonly top: Top;
  /** Rows by which the top still moves when the lines have been read; negative for up. */
  readonly owed: number;
  readonly cursor: Place;
  /** The column of the window that the cursor keeps while it moves up and down. */
  readonly goalCol: number;
  readonly selection: Selection | null;
  readonly search: Search | null;
  /** Whether scrolling past the end leaves: as the person came by scrolling. */
  readonly leavesAtEnd: boolean;
  /** Null until it was requested. */
  readonly commands: readonly CommandRecord[] | null;
  readonly wish: LedgerWish | null;
  readonly copying: PendingCopy | null;
  /** Whether it ends with the mouse button, with which it began. */
  readonly endsWithButton: boolean;
}

export const lineEndOf = ({ frozen }: Scroll): number => frozen.from + frozen.lines.length;

/** Returns a line; undefined if it has not been read. */
export function lineOf({ frozen, pages }: Scroll, line: number): ViewLine | undefined {
  return line >= frozen.from ? frozen.lines[line - frozen.from] : pagedLine(pages, line);
}

const noCells: Row = [];

/** Returns the cells of a line; none if it has not been read. */
export const lineCells = (scroll: Scroll, line: number): Row =>
  lineOf(scroll, line)?.cells ?? noCells;

/** The rows and columns in which lines are shown. */
export interface Body {
  readonly rows: number;
  readonly cols: number;
}
