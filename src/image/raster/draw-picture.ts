import type { Cell, Cursor, Size, Style } from '#model';
import {
  type CellColors,
  cellColors,
  cellHeight,
  cellWidth,
  type PictureColors,
  type ScreenPicture,
} from '../screen-picture.ts';
import { Bitmap, type Frame } from './bitmap.ts';
import { CellPainter, isBlank, type Scale } from './cell-painter.ts';

/** Draws a screen in pixels: 10 by 20 for a cell, times the scale. */
export function drawPicture(picture: ScreenPicture, scale: Scale = 1): Bitmap {
  const bitmap = emptyBitmap(picture.size, scale);
  new ScreenPainter(picture.colors, scale).draw(bitmap, picture, picture.rows.keys());
  return bitmap;
}

export const emptyBitmap = ({ cols, rows }: Size, scale: Scale): Bitmap =>
  new Bitmap(cols * cellWidth * scale, rows * cellHeight * scale);

/** Cells of a style, as they were drawn. */
interface StyleTiles {
  readonly colors: CellColors;
  /**
   * The pixels of cells with one column, and with two, by their texts; null for those that reach into
   * other cells.
   */
  readonly narrow: Map<string, Int32Array | null>;
  readonly wide: Map<string, Int32Array | null>;
}

/** The tiles that are kept; one has 800 bytes in the smallest scale. */
const maxTiles = 8_192;

/** Draws screens that have the same colours. Cells that look as one before are copied. */
export class ScreenPainter {
  readonly #colors: PictureColors;
  readonly #width: number;
  readonly #height: number;
  readonly #scale: Scale;
  readonly #cells: CellPainter;
  /** Cells of one look share their style. */
  readonly #styles = new Map<Style, StyleTiles>();
  #tiles = 0;

  constructor(colors: PictureColors, scale: Scale) {
    this.#colors = colors;
    this.#width = cellWidth * scale;
    this.#height = cellHeight * scale;
    this.#scale = scale;
    this.#cells = new CellPainter(scale);
  }

  /** Draws rows of a screen over what a bitmap shows. */
  draw(bitmap: Bitmap, { rows, cursor }: ScreenPicture, which: Iterable<number>): void {
    const { background } = this.#colors;
    for (const row of which) {
      const cells = rows[row] ?? [];
      const frame = { ...this.#frame(row, 0, 1), width: bitmap.width };
      bitmap.fill(frame, background);
      this.#row(bitmap, cells, row);
      if (cursor?.visible && cursor.row === row) this.#cursor(bitmap, cells, cursor);
    }
  }

  #row(bitmap: Bitmap, cells: readonly Cell[], row: number): void {
    // Characters may reach into the next cell, so the backgrounds come first.
    cells.forEach(({ style }, col) => {
      const { background } = this.#style(style).colors;
      if (background !== this.#colors.background) {
        bitmap.fill(this.#frame(row, col, 1), background);
      }
    });
    let isReached = false;
    cells.forEach((cell, col) => {
      if (cell.width === 0) return;
      if (isBlank(cell)) {
        isReached = false;
        return;
      }
      const frame = this.#frame(row, col, cell.width);
      const style = this.#style(cell.style);
      const tile = this.#tile(style, cell);
      if (tile === null || isReached) this.#cells.draw(bitmap, cell, frame, style.colors);
      else bitmap.put(frame, tile);
      isReached = tile === null;
    });
  }

  #style(style: Style): StyleTiles {
    let tiles = this.#styles.get(style);
    if (tiles === undefined) {
      const colors = cellColors(style, this.#colors);
      tiles = { colors, narrow: new Map(), wide: new Map() };
      this.#styles.set(style, tiles);
    }
    return tiles;
  }

  #tile(style: StyleTiles, cell: Cell): Int32Array | null {
    const tiles = cell.width === 1 ? style.narrow : style.wide;
    let tile = tiles.get(cell.text);
    if (tile !== undefined) return tile;
    if (++this.#tiles > maxTiles) {
      this.#styles.clear();
      this.#tiles = 0;
    }
    tile = this.#drawn(cell, style.colors);
    tiles.set(cell.text, tile);
    return tile;
  }

  #drawn(cell: Cell, colors: CellColors): Int32Array | null {
    const frame = this.#frame(0, 0, cell.width);
    if (this.#cells.reaches(cell, frame)) return null;
    const bitmap = new Bitmap(frame.width, frame.height);
    bitmap.fill(frame, colors.background);
    this.#cells.draw(bitmap, cell, frame, colors);
    return bitmap.pixels;
  }

  #cursor(bitmap: Bitmap, cells: readonly Cell[], { row, col, shape }: Cursor): void {
    const cell = cells[col];
    if (cell === undefined) return;
    const { cursor } = this.#colors;
    const frame = this.#frame(row, col, Math.max(1, cell.width));
    const thick = 2 * this.#scale;
    if (shape === 'bar') bitmap.fill({ ...frame, width: thick }, cursor);
    else if (shape === 'underline') {
      const y = frame.y + frame.height - thick;
      bitmap.fill({ ...frame, y, height: thick }, cursor);
    } else {
      const { background } = this.#style(cell.style).colors;
      bitmap.fill(frame, cursor);
      const colors = { text: background, background: cursor, underline: background };
      this.#cells.draw(bitmap, cell, frame, colors);
    }
  }

  #frame(row: number, col: number, cols: number): Frame {
    const [width, height] = [this.#width, this.#height];
    return { x: col * width, y: row * height, width: cols * width, height };
  }
}
