import { setImmediate } from 'node:timers/promises';
import { finder } from '../format/matching.ts';
import type { CopyGrid, Place } from './copy-grid.ts';

/** What is selected: from a place to another one, of which one follows the cursor. */
export interface Selection {
  readonly start: Place;
  readonly end: Place;
  /** The one that follows the cursor; null after `stop-selection`. */
  readonly moves: 'start' | 'end' | null;
}

/** What is looked for. */
export interface Search {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly isBackward: boolean;
}

/** The state of copy mode: a picture of a pane's rows, a cursor in it, and a selection. */
export class CopyMode {
  readonly grid: CopyGrid;
  /** How many rows the view is above the end. */
  offset = 0;
  x: number;
  /** The row in the view. */
  y: number;
  selection: Selection | null = null;
  isRectangle = false;
  search: Search | null = null;
  /** The pattern whose matches are shown. */
  shown: string | null = null;
  mark: Place | null = null;
  /** The column to which steps between rows return, and the length of the row in which it was left. */
  #column = 0;
  #columnOf = 0;

  constructor(grid: CopyGrid, cursor: { readonly col: number; readonly row: number }) {
    this.grid = grid;
    this.x = cursor.col;
    this.y = cursor.row;
  }

  /** The cursor in the grid. */
  get place(): Place {
    return { x: this.x, y: this.#rowAt(this.y) };
  }

  /** Goes to a place, and moves the view only if it is not in it. */
  goTo({ x, y }: Place): void {
    const top = this.grid.above - this.offset;
    if (y < top) this.offset = this.grid.above - y;
    if (y > top + this.grid.rows - 1) this.offset = this.grid.above - (y - this.grid.rows + 1);
    this.x = x;
    this.y = y - (this.grid.above - this.offset);
    this.#follow();
  }

  /** Goes to a row of the view. */
  goToRow(row: number, x = 0): void {
    this.x = x;
    this.y = row;
    this.#follow();
  }

  /** Shows the rows from an offset above the end. */
  show(offset: number): void {
    this.offset = Math.min(Math.max(0, offset), this.grid.above);
    this.#follow();
  }

  /** Moves by rows; the view follows at its edges. */
  step(by: 1 | -1): void {
    this.#keepColumn();
    const next = this.y + by;
    if (next >= 0 && next < this.grid.rows) this.y = next;
    else this.offset = Math.min(Math.max(0, this.offset - by), this.grid.above);
    this.#fitColumn();
  }

  /** Moves the view under the cursor. */
  scroll(by: 1 | -1): void {
    this.#keepColumn();
    this.offset = Math.min(Math.max(0, this.offset + by), this.grid.above);
    this.#fitColumn();
  }

  /** Moves by a page, or a half. */
  page(by: 1 | -1, isHalf: boolean): void {
    this.#keepColumn();
    const { rows, above } = this.grid;
    const count = rows <= 2 ? 1 : isHalf ? Math.floor(rows / 2) : rows - 2;
    const offset = this.offset + by * count;
    if (offset > above) {
      this.offset = above;
      this.y = Math.max(0, this.y - count);
    } else if (offset < 0) {
      this.y = Math.min(rows - 1, this.y - offset);
      this.offset = 0;
    } else this.offset = offset;
    this.#fitColumn();
  }

  beginSelection(): void {
    this.selection = { start: this.place, end: this.place, moves: 'end' };
  }

  /** Lets the other end of the selection follow the cursor, which goes there. */
  swapEnds(): void {
    if (this.selection === null) return;
    const { start, end, moves } = this.selection;
    this.selection = { start, end, moves: moves === 'start' ? 'end' : 'start' };
    this.goTo(moves === 'start' ? end : start);
  }

  /** The selected text; empty without a selection. @param isVi whether the cell of the cursor belongs to it */
  selectedText(isVi: boolean): string {
    if (this.selection === null) return '';
    const { start, end, moves } = this.selection;
    const isOrdered = start.y < end.y || (start.y === end.y && start.x <= end.x);
    const [first, last] = isOrdered ? [start, end] : [end, start];
    const { grid } = this;
    if (this.isRectangle) {
      const fixed = moves === 'start' ? end.x : start.x;
      const [from, to] = fixed < this.x ? [fixed, this.x + (isVi ? 1 : 0)] : [this.x, fixed + 1];
      return rowsOf(grid, first.y, last.y, () => [from, to], false);
    }
    const lastLength = grid.lengthOf(last.y);
    const to = Math.min(last.x, lastLength) + (isVi ? 1 : 0);
    const keepsEnd = isVi && to > lastLength;
    return rowsOf(
      grid,
      first.y,
      last.y,
      (y) => [y === first.y ? first.x : 0, y === last.y ? to : grid.cols],
      keepsEnd,
    );
  }

  /**
   * Looks for a pattern from the cursor on, around the end if the option says so. Other work of the daemon goes on
   * meanwhile.
   *
   * @returns whether it is there
   */
  async find(
    { pattern, isRegex, isBackward }: Search,
    wraps: boolean,
    isVi: boolean,
  ): Promise<boolean> {
    const find = finder(isRegex ? pattern : literal(pattern), pattern === pattern.toLowerCase());
    const { x, y } = this.place;
    const isBeyond = (match: Match) =>
      isBackward ? match.x < x : isVi ? match.x > x : match.x >= x && match.end > x;
    const count = this.grid.last + 1;
    const step = isBackward ? count - 1 : 1;
    // The row of the cursor comes twice: first the part in the direction, and last all of it.
    for (let passed = 0; passed <= count; passed++) {
      const row = (y + passed * step) % count;
      const isAround = isBackward ? row > y : row < y;
      if ((isAround || passed === count) && !wraps) return false;
      if (passed % 1_000 === 999) await setImmediate();
      const all = matchesIn(this.grid, row, find);
      const there = passed === 0 ? all.filter(isBeyond) : all;
      const found = isBackward ? there.at(-1) : there[0];
      if (found === undefined) continue;
      this.goTo({ x: isBackward || isVi ? found.x : found.end, y: row });
      this.shown = this.grid.text(row, found.x, found.end);
      return true;
    }
    return false;
  }

  /** The cursor has moved. */
  #follow(): void {
    const { selection } = this;
    if (selection === null || selection.moves === null) return;
    this.selection = { ...selection, [selection.moves]: this.place };
  }

  #rowAt(row: number): number {
    return this.grid.above - this.offset + row;
  }

  #keepColumn(): void {
    const length = this.grid.lengthOf(this.#rowAt(this.y));
    if (this.x !== length) {
      this.#column = this.x;
      this.#columnOf = length;
    }
    this.x = this.#column;
  }

  #fitColumn(): void {
    const length = this.grid.lengthOf(this.#rowAt(this.y));
    if (
      !(this.selection !== null && this.isRectangle) &&
      ((this.x >= this.#columnOf && this.x !== length) || this.x > length)
    ) {
      this.x = length;
    }
    this.#follow();
  }
}

/** A match in a row, in columns. */
interface Match {
  readonly x: number;
  readonly end: number;
}

function matchesIn(grid: CopyGrid, y: number, find: ReturnType<typeof finder>): Match[] {
  const text = grid.text(y);
  const found = find(text);
  if (found.length === 0) return [];
  const columns: number[] = [];
  for (let x = 0; x < grid.lengthOf(y); x++) {
    for (let unit = 0; unit < grid.text(y, x, x + 1).length; unit++) columns.push(x);
  }
  columns.push(grid.lengthOf(y));
  return found
    .filter(({ start, end }) => end > start)
    .map(({ start, end }) => ({ x: columns[start] ?? 0, end: columns[end] ?? 0 }));
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The cells of rows, with a line end after each that does not continue in the next one. */
function rowsOf(
  grid: CopyGrid,
  first: number,
  last: number,
  columns: (y: number) => readonly [number, number],
  keepsEnd: boolean,
): string {
  let text = '';
  for (let y = first; y <= last; y++) {
    const [from, to] = columns(y);
    const isWhole = grid.isWrapped(y) && to >= grid.cols;
    text += grid.text(y, from, Math.min(to, grid.isWrapped(y) ? grid.cols : grid.lengthOf(y)));
    if (!isWhole && (y < last || keepsEnd)) text += '\n';
  }
  return text;
}

/** Characters that end a word in formats. */
const formatSeparators = '!"#$%&\'()*+,-./:;<=>?@[\\]^`{|}~';

/** The word at the cursor, or the next one after a separator; empty at a blank. */
export function wordAtCursor({ grid, place: { x, y } }: CopyMode): string {
  const ends = (at: number) =>
    grid.isBlank({ x: at, y }) || grid.isIn({ x: at, y }, formatSeparators);
  if (x >= grid.lengthOf(y) || grid.isBlank({ x, y })) return '';
  let from = x;
  if (ends(x)) from++;
  else while (from > 0 && !ends(from - 1)) from--;
  let to = from;
  while (to < grid.lengthOf(y) && !ends(to)) to++;
  return grid.text(y, from, to);
}
