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

  /** The cell before (-1) or after (1) this one in its parent. */
  sibling(step: 1 | -1): LayoutCell<P> | null {
    const siblings = this.parent?.children ?? [];
    return siblings[siblings.indexOf(this) + step] ?? null;
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

  /** Gives the children their share of this cell's size, in proportion to the sizes they have. */
  fitChildren(): void {
    const { direction, children } = this;
    if (direction === null) return;
    const gaps = children.length - 1;
    const previous = children.reduce((sum, each) => sum + each.size(direction), gaps);
    let left = this.size(direction);
    const across = direction === 'row' ? 'column' : 'row';
    for (const [index, child] of children.entries()) {
      const after = children.length - index - 1;
      const share = Math.floor((child.size(direction) * this.size(direction)) / previous);
      const most = left - (minimumSize + 1) * after;
      const size = after === 0 ? left : Math.max(minimumSize, Math.min(share, most));
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
