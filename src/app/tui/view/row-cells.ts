import { type Cell, oneLine, plainStyle, type Style } from '#model';
import { textCells } from '#vt';

/** The cells of one row of a picture. */
export type Row = readonly Cell[];

/** Text of one style. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

export const plain: Style = plainStyle;
export const bold: Style = { ...plainStyle, bold: true };
export const inverse: Style = { ...plainStyle, inverse: true };
export const boldInverse: Style = { ...inverse, bold: true };

const blanks = new WeakMap<Style, Cell>();

/** Returns a space in a style; the same object for the same style. */
export function blank(style: Style): Cell {
  let cell = blanks.get(style);
  if (cell === undefined) {
    cell = { text: ' ', width: 1, style };
    blanks.set(style, cell);
  }
  return cell;
}

/**
 * Returns the cell of one character of width 1. A constant has no other way: {@link cellsOf} builds
 * tables when it first gets a character that is not ASCII, which takes longer than the first picture.
 */
export const narrow = (text: string, style: Style): Cell => ({ text, width: 1, style });

/** Returns the cells of a text of any origin. */
export const cellsOf = (text: string, style: Style): Cell[] => textCells(oneLine(text), style);

const spanCells = (spans: readonly Span[]): Cell[] =>
  spans.flatMap(({ text, style }) => cellsOf(text, style));

/**
 * Returns the columns of a row from `from` up to but excluding `to`, filled up with blanks. A wide
 * character of which only one half is left is a blank.
 */
export function columns(row: Row, from: number, to: number, filler = blank(plain)): Row {
  if (from === 0 && to === row.length) return row;
  const cells = row.slice(from, to);
  const { length } = cells;
  const [first] = cells;
  if (first !== undefined && first.width === 0) cells[0] = blank(first.style);
  const last = cells[length - 1];
  if (last !== undefined && last.width === 2) cells[length - 1] = blank(last.style);
  while (cells.length < to - from) cells.push(filler);
  return cells;
}

/** Returns a row of text: cut where it does not fit, and filled up in a style. */
export const textRow = (spans: readonly Span[], cols: number, filler: Style = plain): Row =>
  columns(spanCells(spans), 0, cols, blank(filler));

/** Returns `after`, or `before` if both look the same. */
export function reused(after: Row, before: Row | undefined): Row {
  if (after === before || before?.length !== after.length) return after;
  for (let col = 0; col < after.length; col++) {
    // Not a destructured pair: that takes ten times as long in code that is not optimised yet.
    const a = after[col];
    const b = before[col];
    if (a === b) continue;
    if (a?.text !== b?.text || a?.width !== b?.width || a?.style !== b?.style) return after;
  }
  return before;
}

/** Columns of a line: from `from` up to but excluding `to`. */
export interface Cols {
  readonly from: number;
  readonly to: number;
}

/**
 * Changes the style of columns of a row.
 *
 * @param offset the column of the first cell
 */
export function restyle(
  row: Cell[],
  offset: number,
  cols: Cols,
  style: (style: Style) => Style,
): void {
  const end = Math.min(row.length, cols.to - offset);
  for (let col = Math.max(0, cols.from - offset); col < end; col++) {
    const cell = row[col];
    if (cell !== undefined) row[col] = { ...cell, style: style(cell.style) };
  }
}

/** Remembers a style for each style, so that equal cells have the same one. */
export function remembered(change: (style: Style) => Style): (style: Style) => Style {
  const cache = new WeakMap<Style, Style>();
  return (style) => {
    let changed = cache.get(style);
    if (changed === undefined) {
      changed = change(style);
      cache.set(style, changed);
    }
    return changed;
  };
}

export const turned = remembered((style) => ({ ...style, inverse: !style.inverse }));
/** Yellow where there are colours; inverse everywhere. */
export const matchStyle = remembered((style) => ({ ...style, inverse: true, fg: 11, bg: 0 }));
export const currentStyle = remembered((style) => ({
  ...style,
  inverse: true,
  bold: true,
  underline: 'single',
  fg: 13,
  bg: 0,
}));
