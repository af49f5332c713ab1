import type { Size } from '#model';

/** The size of a cell in CSS pixels. */
export interface CellBox {
  readonly width: number;
  readonly height: number;
}

const sample = 'M'.repeat(100);

/** Measures the cells of a terminal element in its present font. */
export function cellBox(terminal: HTMLElement): CellBox {
  const probe = document.createElement('div');
  probe.className = 'probe row';
  probe.textContent = sample;
  terminal.append(probe);
  const { width, height } = probe.getBoundingClientRect();
  probe.remove();
  return { width: width / sample.length, height };
}

/** Returns the room for cells in a terminal element, without its padding and its scroll bar, in CSS pixels. */
export function roomIn(terminal: HTMLElement): { readonly width: number; readonly height: number } {
  const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(terminal);
  const sum = (...lengths: string[]) =>
    lengths.reduce((total, length) => total + Number.parseFloat(length), 0);
  return {
    width: terminal.clientWidth - sum(paddingLeft, paddingRight),
    height: terminal.clientHeight - sum(paddingTop, paddingBottom),
  };
}

/** Returns the columns and rows that fit into a box, at least 20 by 4. */
export const fittingSize = (width: number, height: number, cell: CellBox): Size => ({
  cols: Math.min(1000, Math.max(20, Math.floor(width / cell.width))),
  rows: Math.min(1000, Math.max(4, Math.floor(height / cell.height))),
});

const largest = 14;
/** The smallest font that the page chooses: else a person who zooms in would get no larger text. */
const smallest = 11;
/** On a phone, all columns are seen at once, as far as they can be read at all. */
export const smallestOfPhone = 6;
/** Rows are scrolled before the font becomes smaller than this. */
const smallestForRows = 9;

/**
 * Returns the largest font in which all columns fit, in CSS pixels, at most that of a desktop.
 *
 * @param height in which all rows fit, too, unless the font becomes too small; absent: any
 * @param least the smallest font; what does not fit in it is scrolled to
 */
export function fontFor(
  { cols, rows }: Size,
  { width, height }: { readonly width: number; readonly height?: number },
  cell: CellBox,
  font: number,
  least = smallest,
): number {
  const quarters = (factor: number) => Math.floor(font * factor * 4) / 4;
  const forCols = quarters(width / (cell.width * cols));
  const forRows = height === undefined ? largest : quarters(height / (cell.height * rows));
  const fitting = Math.min(forCols, Math.max(forRows, smallestForRows));
  return Math.max(least, Math.min(largest, fitting));
}
