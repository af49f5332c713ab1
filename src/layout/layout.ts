/** Where a new pane goes. */
export interface SplitRequest {
  readonly direction: Direction;
  /** The size of the new pane, in cells. Default: half. */
  readonly size?: number;
  /** Left of, or above, the pane that is split. */
  readonly before?: boolean;
  /** Splits the window instead of the pane. */
  readonly full?: boolean;
}

/** The tree of cells of a window. Sizes and places of all panes follow from it. */
export class Layout<P extends LayoutPane> {
  root: LayoutCell<P>;

  constructor(pane: P | null, cols: number, rows: number) {
    this.root = new LayoutCell<P>(null, pane);
    this.root.place(cols, rows, 0, 0);
  }

  /** Returns a layout with the same cells and panes. Changes of one do not change the other. */
  copy(): Layout<P> {
    const { cols, rows } = this.root;
    const layout = new Layout<P>(null, cols, rows);
    layout.root = this.root.copy(null);
    return layout;
  }

  cellOf(pane: P): LayoutCell<P> | null {
    return this.root.leaves().find((cell) => cell.pane === pane) ?? null;
  }

  panes(): P[] {
    return this.root.leaves().flatMap(({ pane }) => (pane === null ? [] : [pane]));
  }

  fix(): void {
    this.root.placeChildren();
  }

  /** Makes room for a pane and puts it there. Returns false if there is none. */
  split(pane: P, added: P, { direction, size, before = false, full = false }: SplitRequest) {
    const cell = full ? this.root : this.cellOf(pane);
    const total = cell?.size(direction) ?? 0;
    if (cell === null || total < minimumSize * 2 + 1) return false;
    const second = Math.min(Math.max(minimumSize, secondSize(total, size, before)), total - 2);
    const first = total - 1 - second;
    const own = before ? second : first;
    if (full && !fits(cell, direction, own)) return false;
    const fresh = new LayoutCell<P>(null, added);
    const { cols, rows, x, y } = cell;
    if (full && cell.parent === null && cell.direction === direction) {
      cell.setSize(direction, own);
      cell.fitChildren();
      cell.place(cols, rows, x, y);
      fresh.place(cols, rows, x, y);
      fresh.setSize(direction, total - 1 - own);
      fresh.parent = cell;
      cell.children.splice(before ? 0 : cell.children.length, 0, fresh);
      this.fix();
      return true;
    }
    if (cell.parent?.direction === direction) {
      const at = cell.parent.children.indexOf(cell);
      fresh.parent = cell.parent;
      cell.parent.children.splice(before ? at : at + 1, 0, fresh);
    } else {
      const parent = new LayoutCell<P>(cell.parent);
      parent.place(cols, rows, x, y);
      this.#replace(cell, parent);
      parent.become(direction, before ? [fresh, cell] : [cell, fresh]);
    }
    fresh.place(cols, rows, x, y);
    const [left, right] = before ? [fresh, cell] : [cell, fresh];
    left.setSize(direction, first);
    right.setSize(direction, second);
    if (full) cell.fitChildren();
    this.fix();
    return true;
  }

  /** Removes a pane; a neighbour gets its room. Returns false if it was the last one. */
  remove(pane: P): boolean {
    const cell = this.cellOf(pane);
    if (cell === null) return true;
    return this.#removeCell(cell);
  }

  #removeCell(cell: LayoutCell<P>): boolean {
    const { parent } = cell;
    if (parent === null) return false;
    const other = cell.sibling(-1) ?? cell.sibling(1);
    const direction = parent.direction ?? 'row';
    other?.grow(direction, cell.size(direction) + 1);
    parent.children = parent.children.filter((each) => each !== cell);
    const [only, ...more] = parent.children;
    if (only !== undefined && more.length === 0) {
      if (parent.parent === null) only.place(only.cols, only.rows, 0, 0);
      this.#replace(parent, only);
    }
    this.fix();
    return true;
  }

  /** Removes the pane at the bottom right. */
  removeLast(): void {
    const last = this.root.leaves().at(-1);
    if (last !== undefined) this.#removeCell(last);
  }

  #replace(cell: LayoutCell<P>, by: LayoutCell<P>): void {
    const { parent } = cell;
    by.parent = parent;
    if (parent === null) this.root = by;
    else parent.children = parent.children.map((each) => (each === cell ? by : each));
  }

  /** Gives the window another size, as far as the panes allow. */
  resize(cols: number, rows: number): void {
    for (const [direction, size] of [
      ['row', cols],
      ['column', rows],
    ] as const) {
      const change = size - this.root.size(direction);
      const least = -this.root.spare(direction);
      this.root.grow(direction, Math.max(change, least));
    }
    this.fix();
  }

  /** Gives a pane a size in one direction. */
  resizePaneTo(pane: P, direction: Direction, size: number): void {
    const cell = this.#resizable(pane, direction);
    if (cell === null) return;
    const change = size - cell.size(direction);
    this.resizePane(pane, direction, cell.sibling(1) === null ? -change : change, true);
  }

  /** Moves the border right of or below a pane; of the last one, the border before it. */
  resizePane(pane: P, direction: Direction, change: number, opposite: boolean): void {
    const edge = this.#resizable(pane, direction);
    const cell = edge?.sibling(1) === null ? edge.sibling(-1) : edge;
    if (!cell) return;
    this.#moveAfter(cell, direction, change, opposite);
  }

  /** Returns the cell left of, or above, the border at a place; null if no border is there. */
  cellBefore(x: number, y: number): LayoutCell<P> | null {
    return this.root.childBefore(x, y);
  }

  /**
   * Moves the border after a cell of {@link cellBefore}, as far as there is room.
   *
   * @param change in cells; negative for left and up
   */
  moveBorder(cell: LayoutCell<P>, change: number): void {
    const direction = cell.parent?.direction;
    if (direction != null) this.#moveAfter(cell, direction, change, false);
  }

  #moveAfter(cell: LayoutCell<P>, direction: Direction, change: number, opposite: boolean): void {
    for (let left = change; left !== 0; ) {
      const done =
        left > 0 ? grown(cell, direction, left, opposite) : shrunk(cell, direction, left);
      if (done === 0) break;
      left -= left > 0 ? done : -done;
    }
    this.fix();
  }

  /** The cell around a pane whose neighbours are in a direction. */
  #resizable(pane: P, direction: Direction): LayoutCell<P> | null {
    let cell = this.cellOf(pane);
    while (cell !== null && cell.parent !== null && cell.parent.direction !== direction) {
      cell = cell.parent;
    }
    return cell?.parent ? cell : null;
  }

  /** Swaps two panes of this or of another layout. */
  static swap<P extends LayoutPane>(one: LayoutCell<P>, two: LayoutCell<P>): void {
    [one.pane, two.pane] = [two.pane, one.pane];
  }
}

/** The size of the second of two parts. */
function secondSize(total: number, size: number | undefined, before: boolean): number {
  if (size === undefined) return Math.floor((total + 1) / 2) - 1;
  return before ? total - size - 1 : size;
}

/** Whether a cell and all in it can have a size. */
function fits<P extends LayoutPane>(
  cell: LayoutCell<P>,
  direction: Direction,
  size: number,
): boolean {
  return cell.size(direction) - cell.spare(direction) <= size;
}

function grown<P extends LayoutPane>(
  cell: LayoutCell<P>,
  direction: Direction,
  needed: number,
  opposite: boolean,
): number {
  const spareFrom = (step: 1 | -1) => {
    let other = cell.sibling(step);
    while (other !== null && other.spare(direction) === 0) other = other.sibling(step);
    return other;
  };
  const giver = spareFrom(1) ?? (opposite ? spareFrom(-1) : null);
  if (giver === null) return 0;
  const size = Math.min(needed, giver.spare(direction));
  cell.grow(direction, size);
  giver.grow(direction, -size);
  return size;
}

function shrunk<P extends LayoutPane>(
  cell: LayoutCell<P>,
  direction: Direction,
  needed: number,
): number {
  let giver: LayoutCell<P> | null = cell;
  while (giver !== null && giver.spare(direction) === 0) giver = giver.sibling(-1);
  const taker = cell.sibling(1);
  if (giver === null || taker === null) return 0;
  const size = Math.min(-needed, giver.spare(direction));
  taker.grow(direction, size);
  giver.grow(direction, -size);
  return size;
}

/** How the children of a cell are placed: side by side, or one above the other. */
export type Direction = 'row' | 'column';

/** What a leaf of a layout shows. */
export interface LayoutPane {
  readonly id: number;
}

/** The smallest size of a pane in one direction, in cells. */
export const minimumSize = 1;

/**
 * A rectangle of a window, in columns and rows: a pane, or a row or column of other cells with a border
 * of one cell between two of them.
 */
export class LayoutCell<P extends LayoutPane> {
  parent: LayoutCell<P> | null;
  /** Null for a pane. */
  direction: Direction | null = null;
  children: LayoutCell<P>[] = [];
  pane: P | null = null;
  cols = 0;
  rows = 0;
  x = 0;
  y = 0;

  constructor(parent: LayoutCell<P> | null, pane: P | null = null) {
    this.parent = parent;
    this.pane = pane;
  }

  /** Returns a cell with the same place, pane and children. */
  copy(parent: LayoutCell<P> | null): LayoutCell<P> {
    const cell = new LayoutCell<P>(parent, this.pane);
    cell.direction = this.direction;
    cell.place(this.cols, this.rows, this.x, this.y);
    cell.children = this.children.map((each) => each.copy(cell));
    return cell;
  }

  /** Returns the size in a direction. */
  size(direction: Direction): number {
    return direction === 'row' ? this.cols : this.rows;
  }

  setSize(direction: Direction, size: number): void {
    if (direction === 'row') this.cols = size;
    else this.rows = size;
  }

  place(cols: number, rows: number, x: number, y: number): void {
    Object.assign(this, { cols, rows, x, y });
  }

  /** Makes this cell a row or a column of cells. */
  become(direction: Direction, children: LayoutCell<P>[]): void {
    this.direction = direction;
    this.pane = null;
    this.children = children;
    for (const child of children) child.parent = this;
  }

  /** Panes from the left and the top on. */
  leaves(): LayoutCell<P>[] {
    return this.direction === null ? [this] : this.children.flatMap((each) => each.leaves());
  }

  /** Whether the cell is at the upper or the lower edge of the window. */
  isAtEdge(edge: 'top' | 'bottom'): boolean {
    if (this.parent === null) return true;
    const { children, direction } = this.parent;
    const isOuter = direction === 'row' || children.at(edge === 'top' ? 0 : -1) === this;
    return isOuter && this.parent.isAtEdge(edge);
  }

  /** The cell before (-1) or after (1) this one in its parent. */
  sibling(step: 1 | -1): LayoutCell<P> | null {
    const siblings = this.parent?.children ?? [];
    return siblings[siblings.indexOf(this) + step] ?? null;
  }

  /** Returns the cell in this one that ends at the border at a place; null if no border is there. */
  childBefore(x: number, y: number): LayoutCell<P> | null {
    const at = this.direction === 'row' ? x : y;
    const first = this.children.find((each) => each.end(this.direction ?? 'row') >= at);
    if (first === undefined) return null;
    if (first.end(this.direction ?? 'row') > at) return first.childBefore(x, y);
    return first.sibling(1) === null ? null : first;
  }

  /** Returns the column or row after this cell. */
  end(direction: Direction): number {
    return direction === 'row' ? this.x + this.cols : this.y + this.rows;
  }

  /** Places the children after each other, with borders between them. */
  placeChildren(): void {
    let at = this.direction === 'row' ? this.x : this.y;
    for (const child of this.children) {
      child.x = this.direction === 'row' ? at : this.x;
      child.y = this.direction === 'row' ? this.y : at;
      at += child.size(this.direction ?? 'row') + 1;
      child.placeChildren();
    }
  }

  /** How much smaller this cell can become in a direction. */
  spare(direction: Direction): number {
    if (this.direction === null) return Math.max(0, this.size(direction) - minimumSize);
    const spares = this.children.map((each) => each.spare(direction));
    if (this.direction !== direction) return Math.min(...spares);
    return spares.reduce((sum, each) => sum + each, 0);
  }

  /** Makes this cell larger or smaller; its children share the change, one cell each in turn. */
  grow(direction: Direction, change: number): void {
    this.setSize(direction, this.size(direction) + change);
    if (this.direction === null) return;
    if (this.direction !== direction) {
      for (const child of this.children) child.grow(direction, change);
      return;
    }
    for (let left = change; left !== 0; ) {
      const before = left;
      for (const child of this.children) {
        if (left === 0) break;
        if (left > 0) {
          child.grow(direction, 1);
          left--;
        } else if (child.spare(direction) > 0) {
          child.grow(direction, -1);
          left++;
        }
      }
      if (left === before) return;
    }
  }

  /** Returns the smallest size in a direction in which each pane has a cell. */
  least(direction: Direction): number {
    const sizes = this.children.map((each) => each.least(direction));
    if (this.direction === null) return minimumSize;
    if (this.direction !== direction) return Math.max(...sizes);
    return sizes.reduce((sum, each) => sum + each, sizes.length - 1);
  }

  /**
   * Gives the children their share of this cell's size, in proportion to the sizes they have. Each pane gets a cell if
   * this cell is not smaller than {@link least}.
   */
  fitChildren(): void {
    const { direction, children } = this;
    if (direction === null) return;
    const gaps = children.length - 1;
    const previous = children.reduce((sum, each) => sum + each.size(direction), gaps);
    let left = this.size(direction);
    const across = direction === 'row' ? 'column' : 'row';
    const leasts = children.map((each) => each.least(direction));
    let after = leasts.reduce((sum, each) => sum + each + 1, 0);
    for (const [index, child] of children.entries()) {
      const least = leasts[index] ?? minimumSize;
      after -= least + 1;
      const share = Math.floor((child.size(direction) * this.size(direction)) / previous);
      const size = after === 0 ? left : Math.max(least, Math.min(share, left - after));
      child.setSize(direction, size);
      child.setSize(across, this.size(across));
      left -= size + 1;
      child.fitChildren();
    }
  }

  /** Gives all children the same size; the last one gets the cells that are left over. */
  spreadChildren(): void {
    const { direction, children } = this;
    const count = children.length;
    if (direction === null || count <= 1) return;
    const size = this.size(direction);
    const each = Math.floor((size - (count - 1)) / count);
    if (each <= 0) return;
    const last = size - (each + 1) * (count - 1);
    for (const [at, child] of children.entries()) {
      child.grow(direction, (at === count - 1 ? last : each) - child.size(direction));
    }
  }
}
