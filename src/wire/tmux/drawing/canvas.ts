import { type Cell, plainStyle, type Size, type Style } from '#model';
import { textCells } from '#vt/widths';
import { drawFormat } from './draw-format.ts';

const plainBlank: Cell = { text: ' ', width: 1, style: plainStyle };

/** Cells on which windows, lines and boxes are drawn. What is outside is not drawn. */
export class Canvas {
  readonly size: Size;
  readonly rows: Cell[][];

  constructor(size: Size) {
    this.size = size;
    this.rows = Array.from({ length: size.rows }, () =>
      Array.from({ length: size.cols }, () => plainBlank),
    );
  }

  /** Draws cells from a place on. A wide character of which one half is hidden is a blank. */
  put(row: number, col: number, cells: readonly Cell[]): void {
    const line = this.rows[row];
    if (line === undefined) return;
    const from = Math.max(0, col);
    const to = Math.min(this.size.cols, col + cells.length);
    if (from >= to) return;
    for (let at = from; at < to; at++) line[at] = cells[at - col] ?? plainBlank;
    for (const at of [from - 1, from, to - 1, to]) fixHalf(line, at);
  }

  text(row: number, col: number, text: string, style: Style = plainStyle): void {
    this.put(row, col, textCells(text, style));
  }

  /** Draws an expanded format in some columns of a row. */
  format(row: number, col: number, cols: number, text: string, style: Style = plainStyle): void {
    this.put(row, col, drawFormat(text, cols, style).cells);
  }

  fill({ row, col, rows, cols }: Box, style: Style): void {
    const cells = Array.from({ length: cols }, () => ({ text: ' ', width: 1, style }) as const);
    for (let at = 0; at < rows; at++) this.put(row + at, col, cells);
  }

  /** Draws the border of a box, with a title in its upper line. */
  box(box: Box, lines: BoxLines, style: Style, title = ''): void {
    const { row, col, rows, cols } = box;
    if (lines === 'none' || rows < 2 || cols < 2) return;
    const [side, line, topLeft, topRight, bottomLeft, bottomRight] = boxCharacters[lines];
    const across = (line ?? '').repeat(cols - 2);
    this.text(row, col, `${topLeft}${across}${topRight}`, style);
    this.text(row + rows - 1, col, `${bottomLeft}${across}${bottomRight}`, style);
    for (let at = 1; at < rows - 1; at++) {
      this.text(row + at, col, side ?? '', style);
      this.text(row + at, col + cols - 1, side ?? '', style);
    }
    this.over(row, col + 2, cols - 4, title, style);
  }

  /** Draws an expanded format over what is there: blanks that are not its own leave that as it is. */
  over(row: number, col: number, cols: number, text: string, style: Style): void {
    if (text === '' || cols <= 0) return;
    // Blanks of its own are marked meanwhile.
    const cells = drawFormat(text.replaceAll(' ', ownBlank), cols, style).cells;
    for (const [at, cell] of cells.entries()) {
      const shown = cell.text === ownBlank ? ' ' : cell.text;
      if (cell.text !== ' ') this.put(row, col + at, [{ ...cell, text: shown }]);
    }
  }
}

/** Stands for a blank of a title; nothing prints it. Blanks between words of a style are the same for it. */
const ownBlank = '\u2002';

function fixHalf(line: Cell[], at: number): void {
  const cell = line[at];
  if (cell === undefined) return;
  const isHalf =
    (cell.width === 0 && line[at - 1]?.width !== 2) ||
    (cell.width === 2 && line[at + 1]?.width !== 0);
  if (isHalf) line[at] = { text: ' ', width: 1, style: cell.style };
}

/** A part of the terminal, with its border. */
export interface Box {
  readonly row: number;
  readonly col: number;
  readonly rows: number;
  readonly cols: number;
}

/** The lines of popups; those of panes are in the same table, by the name of the option's value. */
export type BoxLines = 'single' | 'double' | 'heavy' | 'simple' | 'rounded' | 'padded' | 'none';

/** Side, line, the four corners: top left and right, bottom left and right. */
const boxCharacters: Readonly<Record<Exclude<BoxLines, 'none'>, readonly string[]>> = {
  single: ['│', '─', '┌', '┐', '└', '┘'],
  double: ['║', '═', '╔', '╗', '╚', '╝'],
  heavy: ['┃', '━', '┏', '┓', '┗', '┛'],
  simple: ['|', '-', '+', '+', '+', '+'],
  rounded: ['│', '─', '╭', '╮', '╰', '╯'],
  padded: [' ', ' ', ' ', ' ', ' ', ' '],
};

/** The value of an option as lines of a box. */
export const boxLinesOf = (value: string): BoxLines =>
  value === 'none' || Object.hasOwn(boxCharacters, value) ? (value as BoxLines) : 'single';
