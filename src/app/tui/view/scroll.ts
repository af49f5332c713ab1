import type { CommandRecord } from '#model';
import type { Row } from './row-cells.ts';

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

/** Where a text is copied to. All of them also keep it for pasting. */
export type CopyTarget =
  | { readonly type: 'clipboard' }
  /** Appended to what was copied last. */
  | { readonly type: 'append' }
  /** The stdin of a command of the shell. */
  | { readonly type: 'pipe'; readonly command: string }
  | { readonly type: 'file'; readonly path: string };

/** A move of the cursor in its line, as by `f`, `t`, `F` and `T` of vi. */
export interface CharFind {
  readonly way: 'to' | 'before' | 'backTo' | 'after';
  readonly character: string;
}

/** A text that is copied when its lines have been read. */
export interface PendingCopy {
  readonly id: number;
  readonly target: CopyTarget;
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
  readonly requests: ReadonlySet<number>;
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
  /** Whether the person has only scrolled, by the wheel: what is typed is for the program. */
  readonly isByWheel: boolean;
  /** The number that was typed before a command; null for none. */
  readonly count: number | null;
  /** How the cursor goes to the character that is typed next; null if it does not. */
  readonly awaits: CharFind['way'] | null;
  /** The last of these moves. */
  readonly lastFind: CharFind | null;
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

/** A line of the session. */
export interface ViewLine {
  /** The line number, counted from the first line of the session. */
  readonly number: number;
  /** Its cells, however many rows it wraps to, without blanks at the end that have no background. */
  readonly cells: Row;
  /** Its text, with spaces in place of tabs. */
  readonly text: string;
  /** Its text with the tabs that were printed. */
  readonly tabbed: string;
}

/** A character of a line. */
export interface Place {
  readonly line: number;
  /** The column in the line, 0-based, counted over all rows it wraps to. */
  readonly col: number;
}

/**
 * The screen of a session at a moment, as lines. While the alternate screen is shown, its rows follow
 * the lines of the primary screen, each as a line of its own.
 */
export interface Frozen {
  /** The first of the lines. Earlier ones are in the scrollback, and do not change. */
  readonly from: number;
  readonly lines: readonly ViewLine[];
  /** The first character of the screen. */
  readonly top: Place;
  readonly cursor: Place;
  /** One past the last line of the primary screen. Lines from here on are new. */
  readonly endLine: number;
}

/** Lines that are read at once, and kept or forgotten together. */
export const pageLines = 500;
/** Pages that are kept. */
const maxPages = 64;

/** The lines of a page that exist, by the number of the page. */
export type Pages = ReadonlyMap<number, readonly ViewLine[]>;

export const pageOf = (line: number): number => Math.floor(line / pageLines);

/** Returns a line; undefined if it has not been read. */
function pagedLine(pages: Pages, line: number): ViewLine | undefined {
  const page = pages.get(pageOf(line));
  const [first] = page ?? [];
  return first === undefined ? undefined : page?.[line - first.number];
}

/**
 * Adds lines of one page. If there are too many, the page that is farthest from the line `near` is
 * forgotten, except that of the line `anchor`.
 */
export function withPage(
  pages: Pages,
  page: number,
  lines: readonly ViewLine[],
  near: number,
  anchor: number | null,
): Pages {
  const next = new Map(pages).set(page, lines);
  if (next.size <= maxPages) return next;
  const distance = (other: number) =>
    anchor !== null && other === pageOf(anchor) ? -1 : Math.abs(other - pageOf(near));
  const farthest = [...next.keys()].reduce((worst, other) =>
    distance(other) > distance(worst) ? other : worst,
  );
  next.delete(farthest);
  return next;
}

const wholeLine: readonly number[] = [0];

/**
 * Returns the first column of each row of a line, at least one, cut as the engine wraps it: rows are
 * full, or one cell short where a wide character does not fit.
 */
export function rowStarts(cells: Row, cols: number): readonly number[] {
  if (cells.length <= cols) return wholeLine;
  const starts: number[] = [];
  for (let start = 0; start < cells.length; ) {
    starts.push(start);
    let end = start + cols;
    if (end < cells.length && cells[end - 1]?.width === 2) end += cols === 1 ? 1 : -1;
    start = end;
  }
  return starts;
}

/** Returns the row of a line in which a column is. */
export function rowOfCol(starts: readonly number[], col: number): number {
  let row = starts.length - 1;
  while (row > 0 && (starts[row] ?? 0) > col) row--;
  return row;
}

export const comparePlaces = (a: Place, b: Place): number => a.line - b.line || a.col - b.col;
