import type { CopyGrid, Place } from './copy-grid.ts';

/** What the options of the pane and its session say about copy mode. */
export interface CopyOptions {
  /** Whether `mode-keys` is vi. */
  readonly isVi: boolean;
  readonly wrapsSearch: boolean;
  /** Characters that end a word. */
  readonly separators: string;
}

/** What is selected: from a place to another one, of which one follows the cursor. */
export interface Selection {
  readonly start: Place;
  readonly end: Place;
  /** The one that follows the cursor; null after `stop-selection`. */
  readonly moves: 'start' | 'end' | null;
  /** Whether steps between rows select whole rows, and in which direction; null: as far as the cursor. */
  readonly lines: 'down' | 'up' | null;
  /** What is selected as a whole: `select-word`, `select-line`; null: each place. */
  readonly unit: Unit | null;
}

export interface Unit {
  readonly kind: 'word' | 'line';
  /** Where the cursor was: the selection turns there. */
  readonly from: Place;
  /** The word, or the line, at which it began. */
  readonly start: Place;
  readonly end: Place;
}

/** The cursor in a grid. */
interface Reader {
  readonly grid: CopyGrid;
  readonly place: Place;
  readonly options: CopyOptions;
  readonly wordEnd: (separators: string) => Place;
}

/** The selection after the cursor has moved. @param isExact whether it goes to the cursor itself */
export function followed(reader: Reader, selection: Selection, isExact: boolean): Selection {
  const { moves, unit } = selection;
  if (moves === null) return selection;
  const { grid, place, options } = reader;
  if (unit === null || isExact) return { ...selection, [moves]: place };
  const { from, start, end, kind } = unit;
  if (kind === 'line') {
    if (from.y > place.y) return { ...selection, start: { x: 0, y: place.y }, end };
    const y = Math.max(place.y, end.y);
    return { ...selection, start, end: { x: grid.lengthOf(y), y } };
  }
  if (from.y > place.y || (from.y === place.y && from.x > place.x)) {
    return { ...selection, start: grid.previousWord(place, options.separators, false), end };
  }
  const goesOn = place.x >= grid.lengthOf(place.y) || !grid.isBlank({ x: place.x + 1, y: place.y });
  return { ...selection, start, end: goesOn ? reader.wordEnd(options.separators) : place };
}

/** Returns the text of a selection. @param how the kind of selection, and the column of the cursor */
export function selectedIn(
  grid: CopyGrid,
  { start, end, moves }: Selection,
  how: { readonly isVi: boolean; readonly isRectangle: boolean; readonly cursor: number },
): string {
  const isOrdered = start.y < end.y || (start.y === end.y && start.x <= end.x);
  const [first, last] = isOrdered ? [start, end] : [end, start];
  const { isVi, isRectangle, cursor } = how;
  const lastLength = grid.lengthOf(last.y);
  const fixed = moves === 'end' ? start.x : end.x;
  const sides = fixed < cursor ? [fixed, isVi ? cursor + 1 : cursor] : [cursor, fixed + 1];
  const [left = 0, right = grid.cols] = isRectangle ? sides : [];
  const to = isRectangle ? right : Math.min(last.x, lastLength) + (isVi ? 1 : 0);
  let text = '';
  for (let { y } = first; y <= last.y; y++) {
    const from = isRectangle ? left : y === first.y ? first.x : 0;
    text += rowText(grid, y, from, y === last.y ? to : right);
  }
  // With vi, the end of a row can be selected, too.
  const isWhole = isVi && to > lastLength;
  return isWhole || !text.endsWith('\n') ? text : text.slice(0, -1);
}

/** Cells of a row, with a line end if it does not continue in the next one. */
function rowText(grid: CopyGrid, y: number, from: number, to: number): string {
  if (from > to) return '';
  const length = grid.isWrapped(y) ? grid.fullLengthOf(y) : grid.lengthOf(y);
  const isWhole = grid.isWrapped(y) && to >= length;
  return grid.text(y, from, Math.min(to, length)) + (isWhole ? '' : '\n');
}
