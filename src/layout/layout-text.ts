import { type Direction, type Layout, LayoutCell, type LayoutPane } from './layout.ts';

/** Returns a layout as text with its checksum, such as `b25d,80x24,0,0,0`. */
export function layoutText<P extends LayoutPane>(root: LayoutCell<P>): string {
  const text = cellText(root);
  return `${checksum(text).toString(16).padStart(4, '0')},${text}`;
}

function cellText<P extends LayoutPane>(cell: LayoutCell<P>): string {
  const { cols, rows, x, y, direction, pane, children } = cell;
  const place = `${cols}x${rows},${x},${y}`;
  if (direction === null) return pane === null ? place : `${place},${pane.id}`;
  const [open, close] = direction === 'row' ? '{}' : '[]';
  return `${place}${open}${children.map(cellText).join(',')}${close}`;
}

function checksum(text: string): number {
  let sum = 0;
  for (const character of text) {
    sum = (sum >> 1) + ((sum & 1) << 15);
    sum = (sum + character.charCodeAt(0)) & 0xffff;
  }
  return sum;
}

/**
 * Arranges panes as a text says; cells that have no pane are removed from the bottom right.
 *
 * @returns what is wrong with the text; null if nothing is
 */
export function parseLayout<P extends LayoutPane>(
  layout: Layout<P>,
  panes: readonly P[],
  text: string,
): string | null {
  const [, sum = '', body = ''] = /^([0-9a-f]{4}),(.*)$/i.exec(text) ?? [];
  if (sum === '' || checksum(body) !== Number.parseInt(sum, 16)) return 'invalid layout';
  const reader = new LayoutReader<P>(body);
  const root = reader.cell(null);
  if (root === null || !reader.isAtEnd || !isWhole(root)) return 'invalid layout';
  const count = root.leaves().length;
  if (panes.length > count) return `have ${panes.length} panes but need ${count}`;
  layout.root = root;
  for (let left = count; left > panes.length; left--) layout.removeLast();
  for (const [index, cell] of layout.root.leaves().entries()) cell.pane = panes[index] ?? null;
  layout.fix();
  return null;
}

/** Whether the children of each cell fill it. */
function isWhole<P extends LayoutPane>(cell: LayoutCell<P>): boolean {
  const { direction, children } = cell;
  if (direction === null) return true;
  const across: Direction = direction === 'row' ? 'column' : 'row';
  const sum = children.reduce((all, each) => all + each.size(direction) + 1, -1);
  return (
    sum === cell.size(direction) &&
    children.every((each) => each.size(across) === cell.size(across) && isWhole(each))
  );
}

class LayoutReader<P extends LayoutPane> {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  cell(parent: LayoutCell<P> | null): LayoutCell<P> | null {
    const place = this.#take(/(\d{1,4})x(\d{1,4}),(\d{1,4}),(\d{1,4})/y);
    if (place === null) return null;
    const [cols = 0, rows = 0, x = 0, y = 0] = place.slice(1).map(Number);
    const cell = new LayoutCell<P>(parent);
    cell.place(cols, rows, x, y);
    // The number of a pane, which is another one in another window.
    this.#take(/,\d+(?![\dx])/y);
    const open = this.#take(/[{[]/y)?.[0];
    if (open === undefined) return cell;
    const children: LayoutCell<P>[] = [];
    do {
      const child = this.cell(cell);
      if (child === null) return null;
      children.push(child);
    } while (this.#take(/,/y) !== null);
    if (this.#take(open === '{' ? /\}/y : /\]/y) === null) return null;
    cell.become(open === '{' ? 'row' : 'column', children);
    return cell;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }
}
