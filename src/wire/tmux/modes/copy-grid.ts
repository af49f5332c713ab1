import type { Row } from '../capture/pane-rows.ts';

/** A place in a grid: a column, and a row counted from the oldest one. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

const blanks = ' \t';

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
    this.#lines = [...history, ...screen].map(({ cells, wrapped }) => ({
      cells: packed(withoutBlanks(cells.map(({ text, width }) => (width === 0 ? '' : text)))),
      wrapped,
    }));
  }

  get last(): number {
    return this.#lines.length - 1;
  }

  /** Cells up to the last one that is not blank. */
  lengthOf(y: number): number {
    return this.#lines[y]?.cells.length ?? 0;
  }

  isWrapped(y: number): boolean {
    return this.#lines[y]?.wrapped === true;
  }

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
    return this.isIn(place, blanks);
  }

  left({ x, y }: Place): Place {
    let at = x;
    while (at > 0 && this.cellAt({ x: at, y }) === '') at--;
    if (at > 0) return { x: at - 1, y };
    return y > 0 ? { x: this.lengthOf(y - 1), y: y - 1 } : { x: 0, y };
  }

  /** @param all whether places after the end of a row count */
  right({ x, y }: Place, all: boolean): Place {
    const end = all ? this.cols : this.lengthOf(y);
    if (x >= end) return y < this.last ? { x: 0, y: y + 1 } : { x, y };
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

  indentation(place: Place): Place {
    const start = this.startOfLine(place);
    for (let y = start.y; y <= this.last; y++) {
      for (let x = 0; x < this.lengthOf(y); x++) if (!this.isBlank({ x, y })) return { x, y };
      if (!this.isWrapped(y)) break;
    }
    return start;
  }

  /** The beginning of the next word; separators next to each other are one, too. */
  nextWord(place: Place, separators: string): Place {
    let at = this.#inside(place);
    if (at === null) return place;
    if (!this.isBlank(at)) at = this.#wordEnd(at, separators);
    while (at !== null && this.isBlank(at)) {
      const next: Place | null = this.#inside({ x: at.x + 1, y: at.y });
      if (next === null) return { x: at.x + 1, y: at.y };
      at = next;
    }
    return at ?? { x: this.lengthOf(this.last), y: this.last };
  }

  /** The place after the end of a word. */
  nextWordEnd(place: Place, separators: string): Place {
    let at = this.#inside(place);
    while (at !== null && this.isBlank(at)) at = this.#inside({ x: at.x + 1, y: at.y });
    if (at === null) return { x: this.lengthOf(this.last), y: this.last };
    let end = at.x;
    const isSeparator = this.isIn(at, separators);
    const { y } = at;
    while (
      end < this.lengthOf(y) &&
      !this.isBlank({ x: end, y }) &&
      this.isIn({ x: end, y }, separators) === isSeparator
    ) {
      end++;
    }
    return { x: end, y };
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
            ? { x: this.lengthOf(at.y - 1) - 1, y: at.y - 1 }
            : null;
      const goesOn =
        before !== null && !this.isBlank(before) && this.isIn(before, separators) === isSeparator;
      if (!goesOn) return at;
      at = before;
    }
  }

  #wordEnd(from: Place, separators: string): Place | null {
    const isSeparator = this.isIn(from, separators);
    let at: Place | null = from;
    do at = this.#inside({ x: at.x + 1, y: at.y });
    while (at !== null && !this.isBlank(at) && this.isIn(at, separators) === isSeparator);
    return at;
  }

  /** The place, or the beginning of the next row after the end of one; null after the last. */
  #inside(place: Place): Place | null {
    let { x, y } = place;
    while (x > (this.isWrapped(y) ? this.cols - 1 : this.lengthOf(y))) {
      if (y === this.last) return null;
      x = 0;
      y++;
    }
    return { x, y };
  }
}

interface Line {
  /** One text if each cell is one character of it, which takes an eighth of the memory. */
  readonly cells: string | readonly string[];
  readonly wrapped: boolean;
}

const packed = (cells: readonly string[]): Line['cells'] =>
  cells.every(({ length }) => length === 1) ? cells.join('') : cells;

function withoutBlanks(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== ' ') + 1);
}
