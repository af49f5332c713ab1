import { type Cell, oneLine, plainStyle, type Style } from '#model';
import { textCells } from '#vt';

/** Text in one style. */
export interface Span {
  readonly text: string;
  readonly style: StyleName;
  /** It takes exactly this number of columns. Default: as many as it needs. */
  readonly cols?: number;
  /** The part that is kept if it is too long; `clip`: the start, without an ellipsis. Default: `start`. */
  readonly keep?: 'start' | 'end' | 'clip';
}

export const span = (text: string, style: StyleName = 'plain'): Span => ({ text, style });

const blankOf = (style: StyleName): Cell => ({ text: ' ', width: 1, style: styles[style] });

/** Returns spans as exactly `cols` cells, filled with blanks in a style. */
function spansCells(
  spans: readonly Span[],
  cols: number,
  fill: StyleName = 'plain',
): readonly Cell[] {
  const cells: Cell[] = [];
  for (const each of spans) {
    const left = cols - cells.length;
    if (left <= 0) break;
    cells.push(...spanCells(each, left));
  }
  while (cells.length < cols) cells.push(blankOf(fill));
  return cells;
}

function spanCells({ text, style, cols, keep = 'start' }: Span, left: number): Cell[] {
  const cells = textCells(oneLine(text), styles[style]);
  const width = Math.min(cols ?? cells.length, left);
  if (cells.length > width) return cut(cells, width, keep, style);
  while (cells.length < width) cells.push(blankOf(style));
  return cells;
}

/** Returns exactly `width` of the cells, with an ellipsis at the place of the others. */
function cut(
  cells: Cell[],
  width: number,
  keep: NonNullable<Span['keep']>,
  style: StyleName,
): Cell[] {
  if (width <= 0) return [];
  if (keep === 'clip') return clipped(cells, 0, width);
  const ellipsis: Cell = { text: '…', width: 1, style: styles[style] };
  if (keep === 'end') return [ellipsis, ...clipped(cells, cells.length - width + 1, cells.length)];
  return [...clipped(cells, 0, width - 1), ellipsis];
}

/** Returns the cells of a range; the half of a wide character is a blank. */
export function clipped(cells: readonly Cell[], start: number, end: number): Cell[] {
  const part = cells.slice(start, end);
  const [first, last] = [part[0], part[part.length - 1]];
  if (first?.width === 0) part[0] = { text: ' ', width: 1, style: first.style };
  if (last?.width === 2) part[part.length - 1] = { text: ' ', width: 1, style: last.style };
  return part;
}

const styleOf = (changes: Partial<Style>): Style => Object.freeze({ ...plainStyle, ...changes });

/** The styles of the overview. Colours are of the palette, so that they suit the person's theme. */
export const styles = {
  plain: plainStyle,
  bold: styleOf({ bold: true }),
  dim: styleOf({ dim: true }),
  question: styleOf({ fg: 3, bold: true }),
  failed: styleOf({ fg: 1, bold: true }),
  done: styleOf({ fg: 2 }),
  told: styleOf({ fg: 6 }),
  driver: styleOf({ fg: 5 }),
  /** Of the pane with the keys. */
  focus: styleOf({ fg: 2, bold: true }),
  match: styleOf({ fg: 3, bold: true, underline: 'single' }),
  selected: styleOf({ inverse: true }),
  selectedBold: styleOf({ inverse: true, bold: true }),
} as const satisfies Record<string, Style>;

export type StyleName = keyof typeof styles;

const invertedStyles = new WeakMap<Style, Style>();

/** Returns a cell in inverse video. Its style is the same object for the same style: painting compares them quickly. */
export function inverted(cell: Cell): Cell {
  let style = invertedStyles.get(cell.style);
  if (style === undefined) {
    style = { ...cell.style, inverse: !cell.style.inverse };
    invertedStyles.set(cell.style, style);
  }
  return { ...cell, style };
}

type Cells = readonly Cell[];

interface Part {
  readonly key: string | readonly unknown[];
  readonly cells: Cells;
}

const isSame = (a: Part['key'], b: Part['key']): boolean =>
  typeof a === 'string' || typeof b === 'string'
    ? a === b
    : a.length === b.length && a.every((each, index) => each === b[index]);

/**
 * The parts of the picture before, by place. A part that would be made of the same is the same array,
 * which painting skips.
 */
export class DrawnParts {
  #before = new Map<string, Part>();
  #now = new Map<string, Part>();

  /** Forgets the parts that were not drawn since the last call. */
  turn(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }

  spans(place: string, spans: readonly Span[], cols: number, fill: StyleName = 'plain'): Cells {
    const key = `${cols} ${fill}${spans
      .map(({ text, style, cols: own = '', keep = '' }) => `\0${style} ${own} ${keep}\0${text}`)
      .join('')}`;
    return this.of(place, key, () => spansCells(spans, cols, fill));
  }

  /** @param key what the part is made of: a text, or objects that are compared by identity */
  of(place: string, key: Part['key'], make: () => Cells): Cells {
    const before = this.#before.get(place);
    const part = before !== undefined && isSame(before.key, key) ? before : { key, cells: make() };
    this.#now.set(place, part);
    return part.cells;
  }
}
