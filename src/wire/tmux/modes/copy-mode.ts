import type { CopyGrid, Place } from './copy-grid.ts';
import { findMatch, matchAt, type Search } from './copy-search.ts';
import { type CopyOptions, followed, type Selection, selectedIn, type Unit } from './selection.ts';

/** The state of copy mode: a picture of a pane's rows, a cursor in it, and a selection. */
export class CopyMode {
  grid: CopyGrid;
  /** Whether it ends when the view gets to the end of the rows. */
  readonly endsBelow: boolean;
  /** How many rows the view is above the end. */
  offset = 0;
  x: number;
  /** The row in the view. */
  y: number;
  selection: Selection | null = null;
  isRectangle = false;
  /** Whether the position is not shown in the upper right corner. */
  isPositionHidden = false;
  search: Search | null;
  /** The search whose matches are shown. */
  shown: Search | null = null;
  /** Where an incremental search began, and its offset. */
  searchFrom: (Place & { readonly offset: number }) | null = null;
  /** The character of `jump-again`. */
  jump: {
    readonly character: string;
    readonly isBackward: boolean;
    readonly isTo: boolean;
  } | null = null;
  /** Reads the rows again that it began with. */
  read: () => Promise<CopyGrid>;
  options: CopyOptions = { isVi: false, wrapsSearch: true, separators: '' };
  #mark: Place;
  /** The column to which steps between rows return, and the length of the row in which it was left. */
  #column = 0;
  #columnOf = 0;
  readonly #pane: { lastSearch: Search | null };

  /** @param pane knows what was looked for before */
  constructor(
    grid: CopyGrid,
    cursor: { readonly col: number; readonly row: number },
    pane: { lastSearch: Search | null },
    endsBelow: boolean,
  ) {
    this.grid = grid;
    this.x = cursor.col;
    this.y = cursor.row;
    this.endsBelow = endsBelow;
    this.read = () => Promise.resolve(grid);
    this.#mark = this.place;
    this.#pane = pane;
    this.search = pane.lastSearch === null ? null : { ...pane.lastSearch, isBackward: true };
  }

  /** The cursor in the grid. */
  get place(): Place {
    return { x: this.x, y: this.#rowAt(this.y) };
  }

  /** Goes to a place; the view follows row by row. */
  goTo({ x, y }: Place): void {
    const { rows } = this.grid;
    const top = this.#rowAt(0);
    for (let row = y; row < top; row++) this.step(-1, true);
    for (let row = y; row > top + rows - 1; row--) this.step(1, true);
    this.x = x;
    this.y = Math.min(Math.max(0, y - top), rows - 1);
    this.follow();
  }

  /** Goes to a place, and shows the rows around it if it is not in the view. */
  jumpTo({ x, y }: Place): void {
    const { rows, above } = this.grid;
    this.x = x;
    const top = this.#rowAt(0);
    if (y < top || y >= top + rows) {
      const gap = Math.floor(rows / 4);
      const from = y < rows ? 0 : y > above + rows - gap ? above : y + gap - rows;
      this.offset = above - from;
    }
    this.y = y - this.#rowAt(0);
    this.follow();
  }

  /** Goes to a place of the view, as far as its row has text. */
  goToPlace(x: number, y: number): void {
    this.y = Math.max(0, Math.min(y, this.grid.rows - 1));
    this.x = Math.max(0, Math.min(x, this.grid.lengthOf(this.place.y)));
    this.follow();
  }

  /** Goes to the beginning of a row of the view. */
  goToRow(row: number): void {
    this.x = 0;
    this.y = row;
    this.follow();
  }

  /** Goes to the first row, or to the last one. */
  goToEnd(isTop: boolean): void {
    const { above, rows, last } = this.grid;
    this.#turnLines(isTop ? -1 : 1);
    this.offset = isTop ? above : 0;
    this.y = isTop ? 0 : rows - 1;
    this.x = isTop ? 0 : this.grid.lengthOf(last);
    this.follow();
  }

  /** Shows the rows from an offset above the end. */
  show(offset: number): void {
    this.offset = offset;
    this.follow();
  }

  /** Moves by a row; the view follows at its edges, or moves under the cursor. */
  step(by: 1 | -1, isScroll = false): void {
    const isFree = !(this.selection !== null && this.isRectangle);
    const length = this.grid.lengthOf(this.place.y);
    if (isFree && this.x !== length) {
      this.#column = this.x;
      this.#columnOf = length;
    }
    this.#turnLines(by);
    if (isFree) this.x = this.#column;
    const next = this.y + by;
    if (!isScroll && next >= 0 && next < this.grid.rows) {
      this.y = next;
      this.follow();
    } else {
      const offset = Math.min(Math.max(0, this.offset - by), this.grid.above);
      if (offset !== this.offset) this.show(offset);
    }
    if (isFree) this.#fitColumn();
    const lines = this.selection?.lines ?? null;
    if (lines === null) return;
    const row = this.place.y;
    this.x = lines === 'up' ? 0 : this.isRectangle ? this.grid.cols : this.grid.lengthOf(row);
    this.follow();
  }

  /** Moves by a page, or a half. */
  page(by: 1 | -1, isHalf: boolean): void {
    const { rows, above } = this.grid;
    const length = this.grid.lengthOf(this.place.y);
    if (this.x !== length) {
      this.#column = this.x;
      this.#columnOf = length;
    }
    this.x = this.#column;
    const count = rows <= 2 ? 1 : isHalf ? Math.floor(rows / 2) : rows - 2;
    const offset = this.offset + by * count;
    if (offset > above || offset < 0) this.y = Math.min(Math.max(0, this.y - by * count), rows - 1);
    this.offset = Math.min(Math.max(0, offset), above);
    if (!(this.selection !== null && this.isRectangle) && this.#isPastEnd) this.endOfLine();
    this.follow();
  }

  startOfLine(): void {
    this.goTo(this.grid.startOfLine(this.place));
  }

  endOfLine(): void {
    const isAll = this.selection !== null && this.isRectangle;
    this.goTo(this.grid.endOfLine(this.place, isAll));
  }

  setMark(): void {
    this.#mark = this.place;
  }

  /** Goes to the mark, at first where the cursor was when the mode began, and leaves it here. */
  goToMark(): void {
    const { x, y } = this.#mark;
    const { above } = this.grid;
    this.#mark = this.place;
    this.x = x;
    this.offset = Math.max(0, above - y);
    this.y = Math.max(0, y - above);
    this.follow();
  }

  beginSelection(): void {
    this.startSelection(null, null);
  }

  /** Begins a selection at the cursor. Without values, what is selected as a whole stays as it was. */
  startSelection(lines = this.selection?.lines ?? null, unit = this.selection?.unit ?? null): void {
    const { place } = this;
    this.selection = { start: place, end: place, moves: 'end', lines, unit };
    this.follow();
  }

  /** Selects the line of the cursor, and the ones after it. @param times how many */
  selectLine(times: number): void {
    this.isRectangle = false;
    const from = this.place;
    this.startOfLine();
    const start = this.place;
    this.beginSelection();
    this.endOfLine();
    const end = this.place;
    this.#extendBy('line', { from, start, end });
    for (let more = 1; more < Math.min(times, this.grid.last); more++) {
      this.step(1);
      this.endOfLine();
    }
  }

  /** Selects the word at the cursor. */
  selectWord(): void {
    this.isRectangle = false;
    const from = this.place;
    const { grid } = this;
    this.goTo(grid.previousWord(from, this.options.separators, false));
    const start = this.place;
    this.beginSelection();
    const isAtEnd = grid.isWrapped(start.y) && start.x + 1 > grid.cols - 1;
    const next = isAtEnd ? { x: 0, y: start.y + 1 } : { x: start.x + 1, y: start.y };
    if (start.x >= grid.lengthOf(start.y) || !grid.isBlank(next)) {
      this.goTo(this.wordEnd(this.options.separators));
    }
    const end = this.place;
    const turn = from.y > end.y ? end : { x: Math.min(from.x, end.x), y: from.y };
    this.#extendBy('word', { from: turn, start, end });
  }

  /** The end of the next word from the cursor on. */
  wordEnd(separators: string): Place {
    const { grid, place } = this;
    if (!this.options.isVi) return grid.nextWordEnd(place, separators);
    const from = grid.isBlank(place) ? place : grid.right(place, false, false);
    return grid.left(grid.nextWordEnd(from, separators));
  }

  /** From now on the selection ends at the cursor, not at the end of a word or a line. */
  endUnit(): void {
    if (this.selection !== null) this.selection = { ...this.selection, unit: null };
  }

  stopSelection(): void {
    if (this.selection === null) return;
    this.selection = { ...this.selection, moves: null, lines: null, unit: null };
  }

  clearSelection(): void {
    this.selection = null;
    this.x = Math.min(this.x, this.grid.lengthOf(this.place.y));
  }

  setRectangle(isRectangle: boolean): void {
    this.isRectangle = isRectangle;
    if (this.selection !== null) this.selection = { ...this.selection, lines: null };
    this.x = Math.min(this.x, this.grid.lengthOf(this.place.y));
    this.follow();
  }

  /** Lets the other end of the selection follow the cursor, which goes there. */
  swapEnds(): void {
    if (this.selection === null) return;
    const { start, end, moves, lines } = this.selection;
    const isEnd = moves !== 'end';
    this.selection = {
      ...this.selection,
      moves: isEnd ? 'end' : 'start',
      lines: lines === null ? null : lines === 'down' ? 'up' : 'down',
    };
    const { above, rows } = this.grid;
    const { x, y } = isEnd ? end : start;
    const top = this.#rowAt(0);
    this.x = x;
    if (y < top) this.offset = above - y;
    if (y > top + rows - 1) this.offset = above - y + rows - 1;
    this.y = y - this.#rowAt(0);
    this.follow(true);
  }

  /** The selected text, or without a selection the match at the cursor; empty without both. */
  get selectedText(): string {
    if (this.selection === null) return this.match ?? '';
    return selectedIn(this.grid, this.selection, {
      isVi: this.options.isVi,
      isRectangle: this.isRectangle,
      cursor: this.x,
    });
  }

  /** The text of the match at the cursor. */
  get match(): string | null {
    return this.shown === null ? null : (matchAt(this.grid, this.place, this.shown)?.text ?? null);
  }

  /** Looks for what `search` says, and goes there. @returns whether it is there */
  async find(isBackward: boolean): Promise<boolean> {
    const { isVi, wrapsSearch } = this.options;
    if (this.search === null || this.search.pattern === '') return false;
    const search = { ...this.search, isBackward };
    this.#pane.lastSearch = search;
    const isAfter = isVi && !isBackward;
    const match = await findMatch(this.grid, this.place, search, wrapsSearch, isAfter);
    if (match === null) return false;
    this.jumpTo(match.start);
    this.shown = search;
    if (isBackward || isVi) return true;
    const { x, y } = match.end;
    this.x = x;
    this.y = Math.min(y - this.#rowAt(0), this.grid.rows - 1);
    return true;
  }

  /** Takes over the rows as they are now. */
  refresh(grid: CopyGrid): void {
    this.grid = grid;
    this.offset = Math.min(this.offset, grid.above);
    this.y = Math.min(this.y, grid.rows - 1);
    this.clearSelection();
    this.shown = null;
  }

  /**
   * The cursor has moved, and the end of the selection that follows it.
   *
   * @param isExact whether it goes to the cursor, also where words or lines are selected
   */
  follow(isExact = false): void {
    if (this.selection === null) return;
    this.selection = followed(this, this.selection, isExact);
  }

  /** From now on, whole words or lines are selected. */
  #extendBy(kind: Unit['kind'], unit: Omit<Unit, 'kind'>): void {
    if (this.selection === null) return;
    this.selection = { ...this.selection, lines: 'down', unit: { kind, ...unit } };
  }

  /** Selected lines grow on the side to which the cursor goes. */
  #turnLines(by: 1 | -1): void {
    const { y } = this.place;
    const { lines = null, start, end } = this.selection ?? {};
    if (by === -1 ? lines === 'down' && y === start?.y : lines === 'up' && y === end?.y) {
      this.swapEnds();
    }
  }

  #rowAt(row: number): number {
    return this.grid.above - this.offset + row;
  }

  /** Whether the cursor, in the column to which it returned, is after the end of its row. */
  get #isPastEnd(): boolean {
    const length = this.grid.lengthOf(this.place.y);
    return (this.x >= this.#columnOf && this.x !== length) || this.x > length;
  }

  #fitColumn(): void {
    if (!this.#isPastEnd) return;
    this.x = this.grid.lengthOf(this.place.y);
    this.follow();
  }
}

/** Characters that end a word in formats. */
const formatSeparators = '!"#$%&\'()*+,-./:;<=>?@[\\]^`{|}~';

/** The word at the cursor; at a blank or a separator, the one after it. */
export function wordAtCursor({ grid, place: { x, y } }: CopyMode): string {
  const ends = (at: number) =>
    grid.isBlank({ x: at, y }) || grid.isIn({ x: at, y }, formatSeparators);
  let from = x;
  if (ends(x)) from++;
  else while (from > 0 && !ends(from - 1)) from--;
  let to = from;
  while (to < grid.lengthOf(y) && !ends(to)) to++;
  return grid.text(y, from, to);
}
