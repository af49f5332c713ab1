import { type Cell, cellsOfRuns, type Run, runsOfCells } from '#model';
import type { Row } from '../capture/pane-rows.ts';

/** The rows of a pane as they were when copy mode began, with the steps of a reader in them. */
export class CopyGrid {
  readonly cols: number;
  /** Rows of the screen. */
  readonly rows: number;
  /** Rows above the screen. */
  readonly above: number;
  readonly #lines: readonly Line[];

  constructor(history: readonly Row[], screen: readonly Row[], cols: number) {
    this.cols = cols;
    this.rows = screen.length;
    this.above = history.length;
    this.#lines = [...history, ...screen].map(({ cells, used, wrapped }) => {
      const texts = cells.map(({ text, width }) => (width === 0 ? '' : text));
      const length = texts.findLastIndex((text) => text !== ' ') + 1;
      const runs = runsOfCells(cells);
      return { cells: packed(texts.slice(0, wrapped ? used : length)), length, wrapped, runs };
    });
  }

  get last(): number {
    return this.#lines.length - 1;
  }

  /** A row as it is drawn. */
  drawn(y: number): Cell[] {
    return cellsOfRuns(this.#lines[y]?.runs ?? [], this.cols);
  }

  /** Cells up to the last one that is not blank. */
  lengthOf(y: number): number {
    return this.#lines[y]?.length ?? 0;
  }

  /** As {@link lengthOf}, with the blanks at the end of a row whose line continues in the next one. */
  fullLengthOf(y: number): number {
    return this.#lines[y]?.cells.length ?? 0;
  }

  isWrapped(y: number): boolean {
    return this.#lines[y]?.wrapped === true;
  }

  /** The character of a cell; empty for the second one of a wide character. */
  cellAt({ x, y }: Place): string {
    return this.#lines[y]?.cells[x] ?? ' ';
  }

  /** The text of some cells of a row. */
  text(y: number, from = 0, to = this.lengthOf(y)): string {
    const cells = this.#lines[y]?.cells.slice(from, to) ?? '';
    return typeof cells === 'string' ? cells : cells.join('');
  }

  isIn(place: Place, set: string): boolean {
    const cell = this.cellAt(place);
    return cell !== '' && set.includes(cell);
  }

  isBlank(place: Place): boolean {
    return this.cellAt(place) === ' ';
  }

  left({ x, y }: Place, wraps = true): Place {
    let at = x;
    while (at > 0 && this.cellAt({ x: at, y }) === '') at--;
    if (at > 0) return { x: at - 1, y };
    const goesUp = y > 0 && (wraps || this.isWrapped(y - 1));
    return goesUp ? { x: this.lengthOf(y - 1), y: y - 1 } : { x: 0, y };
  }

  /** @param all whether places after the end of a row count */
  right({ x, y }: Place, all: boolean, wraps = true): Place {
    const end = all ? this.cols : this.lengthOf(y);
    if (x >= end) return wraps && y < this.last ? { x: 0, y: y + 1 } : { x, y };
    let at = x + 1;
    while (at < end && this.cellAt({ x: at, y }) === '') at++;
    return { x: at, y };
  }

  startOfLine({ y }: Place): Place {
    let at = y;
    while (at > 0 && this.isWrapped(at - 1)) at--;
    return { x: 0, y: at };
  }

  /** @param all whether the end is that of the screen */
  endOfLine({ y }: Place, all: boolean): Place {
    let at = y;
    while (at < this.last && this.isWrapped(at)) at++;
    return { x: all ? this.cols : this.lengthOf(at), y: at };
  }

  /** The first place of the line that is not blank; the place itself if there is none. */
  indentation(place: Place): Place {
    for (let { y } = this.startOfLine(place); y <= this.last; y++) {
      for (let x = 0; x < this.lengthOf(y); x++) if (!this.isBlank({ x, y })) return { x, y };
      if (!this.isWrapped(y)) break;
    }
    return place;
  }

  /** The beginning of the next word; separators next to each other are one, too. */
  nextWord(place: Place, separators: string): Place {
    const walk = new Walk(this, place);
    if (!walk.isInside()) return walk.place;
    if (!this.isBlank(walk.place)) walk.overWord(separators);
    while (walk.isInside() && this.isBlank(walk.place)) walk.x++;
    return walk.place;
  }

  /** The place after the end of a word. */
  nextWordEnd(place: Place, separators: string): Place {
    const walk = new Walk(this, place);
    while (walk.isInside() && this.isBlank(walk.place)) walk.x++;
    if (walk.isInside()) walk.overWord(separators);
    return walk.place;
  }

  /** The beginning of a word. @param already whether one that begins here does not count */
  previousWord(place: Place, separators: string, already: boolean): Place {
    let at = place;
    if (already || this.isBlank(at)) {
      do {
        if (at.x > 0) at = { x: at.x - 1, y: at.y };
        else if (at.y === 0) return at;
        else at = { x: this.lengthOf(at.y - 1), y: at.y - 1 };
      } while (this.isBlank(at));
    }
    const isSeparator = this.isIn(at, separators);
    for (;;) {
      const before: Place | null =
        at.x > 0
          ? { x: at.x - 1, y: at.y }
          : at.y > 0 && this.isWrapped(at.y - 1)
            ? { x: this.cols - 1, y: at.y - 1 }
            : null;
      const goesOn =
        before !== null && !this.isBlank(before) && this.isIn(before, separators) === isSeparator;
      if (!goesOn) return at;
      at = before;
    }
  }

  /** The next cell with a character, from a place on and in its line; null if there is none. */
  nextOf(character: string, { x, y }: Place): Place | null {
    for (let [at, row] = [x, y]; row <= this.last; at = 0, row++) {
      for (; at < this.lengthOf(row); at++) {
        if (this.cellAt({ x: at, y: row }) === character) return { x: at, y: row };
      }
      if (!this.isWrapped(row)) break;
    }
    return null;
  }

  /** As {@link nextOf}, backwards. */
  previousOf(character: string, { x, y }: Place): Place | null {
    for (let [at, row] = [x, y]; row >= 0; row--, at = this.lengthOf(row) - 1) {
      for (; at >= 0; at--) {
        if (this.cellAt({ x: at, y: row }) === character) return { x: at, y: row };
      }
      if (row === 0 || !this.isWrapped(row - 1)) break;
    }
    return null;
  }
}

interface Line {
  /** One text if each cell is one character of it, which takes an eighth of the memory. */
  readonly cells: string | readonly string[];
  readonly length: number;
  readonly wrapped: boolean;
  readonly runs: readonly Run[];
}

const packed = (cells: readonly string[]): Line['cells'] =>
  cells.every(({ length }) => length === 1) ? cells.join('') : cells;

/** A reader that goes forwards, word by word. It goes to the next row when it is asked whether it is inside. */
class Walk {
  readonly #grid: CopyGrid;
  x: number;
  #y: number;

  constructor(grid: CopyGrid, { x, y }: Place) {
    this.#grid = grid;
    this.x = x;
    this.#y = y;
  }

  get place(): Place {
    return { x: this.x, y: this.#y };
  }

  /** Goes to the beginning of the next row from a place after the end of one. @returns false after the last row */
  isInside(): boolean {
    const grid = this.#grid;
    while (this.x > (grid.isWrapped(this.#y) ? grid.cols - 1 : grid.lengthOf(this.#y))) {
      if (this.#y === grid.last) return false;
      this.x = 0;
      this.#y++;
    }
    return true;
  }

  /** Goes over a word, or over separators next to each other, which may continue in the next row. */
  overWord(separators: string): void {
    const grid = this.#grid;
    const isSeparator = grid.isIn(this.place, separators);
    do this.x++;
    while (
      this.isInside() &&
      !grid.isBlank(this.place) &&
      grid.isIn(this.place, separators) === isSeparator
    );
  }
}

/** A place in a grid: a column, and a row counted from the oldest one. */
export interface Place {
  readonly x: number;
  readonly y: number;
}
