/** A pane in its window. */
export interface BorderedPane {
  readonly x: number;
  readonly y: number;
  readonly cols: number;
  readonly rows: number;
}

/** A window with the panes that are shown, and what its borders depend on. */
export interface BorderedWindow<P extends BorderedPane> {
  readonly cols: number;
  readonly rows: number;
  readonly panes: readonly P[];
  readonly active: P;
  /** Where each pane has a line with its name. */
  readonly status: 'off' | 'top' | 'bottom';
  /** Whether the border between two panes shows by halves which one is active. */
  readonly isSplit: boolean;
}

type Side = 'inside' | 'outside' | 'left' | 'right' | 'top' | 'bottom';

/** What a cell of a window is. */
export interface BorderCell<P> {
  readonly character: string;
  /** A pane next to it, the active one before others; null if there is none. */
  readonly pane: P | null;
  /** Whether the active pane is next to it. */
  readonly isActive: boolean;
}

/**
 * By the neighbours that are borders, too: left 8, right 4, above 2, below 1. With one alone there is no border.
 */
const shapes: readonly string[] = (
  [
    ['single', '···│·┌└├·┐┘┤─┬┴┼'],
    ['double', '···║·╔╚╠·╗╝╣═╦╩╬'],
    ['heavy', '···┃·┏┗┣·┓┛┫━┳┻╋'],
    ['simple', '...|.+++.+++-+++'],
  ] as const
).map(([, characters]) => characters);

const kinds = ['single', 'double', 'heavy', 'simple'];

/** The character of a cell that is neither in a pane nor on a border. */
const outside = '·';

/** Draws the borders of a window as tmux does (`screen-redraw.c`). */
export class Borders<P extends BorderedPane> {
  readonly #window: BorderedWindow<P>;
  readonly #characters: string;
  /** Whether two panes are beside each other, or above each other. */
  readonly #halves: 'columns' | 'rows' | null;

  /** @param lines the option `pane-border-lines` */
  constructor(window: BorderedWindow<P>, lines: string) {
    this.#window = window;
    this.#characters = shapes[Math.max(0, kinds.indexOf(lines))] ?? '';
    const [, second, ...more] = window.panes;
    const hasTwo = second !== undefined && more.length === 0 && window.isSplit;
    this.#halves = !hasTwo ? null : second.x !== 0 ? 'columns' : second.y !== 0 ? 'rows' : null;
  }

  /** Returns a cell of a border; null for a cell of a pane. A cell beyond the window is one, too. */
  cell(x: number, y: number): BorderCell<P> | null {
    const { cols, rows, active, panes } = this.#window;
    if (x > cols || y > rows) return { character: outside, pane: null, isActive: false };
    const isEdge = x === cols || y === rows;
    const from = panes.indexOf(active);
    const ordered = [...panes.slice(from), ...panes.slice(0, from)];
    if (!isEdge) {
      for (const pane of ordered) {
        const side = this.#sideOf(pane, x, y);
        if (side === 'inside') return null;
        if (side === 'outside') continue;
        return { character: this.#shape(x, y), pane, isActive: this.touches(active, x, y) };
      }
      return { character: outside, pane: null, isActive: false };
    }
    return { character: this.#shape(x, y), pane: null, isActive: false };
  }

  /** Whether a cell is on the border of a pane. */
  touches(pane: P, x: number, y: number): boolean {
    const side = this.#sideOf(pane, x, y);
    return side !== 'inside' && side !== 'outside';
  }

  /** At which side of a pane a cell is. */
  #sideOf(pane: P, x: number, y: number): Side {
    const { x: left, y: top, cols, rows } = pane;
    const [right, bottom] = [left + cols, top + rows];
    if (x >= left && x < right && y >= top && y < bottom) return 'inside';
    const side = this.#leftOrRight(pane, x, y);
    return side === 'outside' ? this.#aboveOrBelow(pane, x, y) : side;
  }

  #leftOrRight({ x: left, y: top, cols, rows }: P, x: number, y: number): Side {
    const { status } = this.#window;
    if (status === 'off' && this.#halves === 'columns') {
      const half = rows >> 1;
      if (left === 0 && x === cols && y <= half) return 'right';
      return left !== 0 && x === left - 1 && y > half ? 'left' : 'outside';
    }
    const reaches = (top === 0 || y >= top - 1) && y <= top + rows;
    if (!reaches) return 'outside';
    if (left !== 0 && x === left - 1) return 'left';
    return x === left + cols ? 'right' : 'outside';
  }

  #aboveOrBelow({ x: left, y: top, cols, rows }: P, x: number, y: number): Side {
    const { status } = this.#window;
    if (status === 'off' && this.#halves === 'rows') {
      const half = cols >> 1;
      if (top === 0 && y === rows && x <= half) return 'bottom';
      return top !== 0 && y === top - 1 && x > half ? 'top' : 'outside';
    }
    if (!((left === 0 || x >= left - 1) && x <= left + cols)) return 'outside';
    if (status !== 'bottom' && top !== 0 && y === top - 1) return 'top';
    return status !== 'top' && y === top + rows ? 'bottom' : 'outside';
  }

  #shape(x: number, y: number): string {
    const { status, rows } = this.#window;
    const isBorder = (col: number, row: number) => this.#isBorder(col, row);
    let neighbours = 0;
    if (x === 0 || isBorder(x - 1, y)) neighbours |= 8;
    if (isBorder(x + 1, y)) neighbours |= 4;
    const hasAbove =
      status === 'top' ? y !== 0 && isBorder(x, y - 1) : y === 0 || isBorder(x, y - 1);
    if (hasAbove) neighbours |= 2;
    if ((status !== 'bottom' || y !== rows - 1) && isBorder(x, y + 1)) neighbours |= 1;
    return [...this.#characters][neighbours] ?? outside;
  }

  #isBorder(x: number, y: number): boolean {
    const { cols, rows, panes } = this.#window;
    if (x > cols || y > rows) return false;
    if (x === cols || y === rows) return true;
    for (const pane of panes) {
      const side = this.#sideOf(pane, x, y);
      if (side === 'inside') return false;
      if (side !== 'outside') return true;
    }
    return false;
  }
}
