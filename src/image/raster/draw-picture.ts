import type { Cell, Cursor } from '#model';
import {
  type CellColors,
  cellColors,
  cellHeight,
  cellWidth,
  type ScreenPicture,
} from '../screen-picture.ts';
import { shapeOf } from '../shapes/shape-of.ts';
import { Bitmap, type Frame } from './bitmap.ts';
import { decorations } from './decorations.ts';
import { type GlyphSheets, glyphSheets } from './glyph-sheets.ts';

export type Scale = 1 | 2;

/** Draws a screen in pixels: 10 by 20 for a cell, times the scale. */
export function drawPicture(picture: ScreenPicture, scale: Scale = 1): Bitmap {
  const { cols, rows } = picture.size;
  const bitmap = new Bitmap(cols * cellWidth * scale, rows * cellHeight * scale);
  bitmap.pixels.fill(picture.colors.background);
  const painter = new CellPainter(bitmap, picture, scale);
  picture.rows.forEach((cells, row) => painter.row(cells, row));
  if (picture.cursor?.visible) painter.cursor(picture.cursor);
  return bitmap;
}

class CellPainter {
  readonly #bitmap: Bitmap;
  readonly #picture: ScreenPicture;
  readonly #scale: Scale;
  readonly #sheets: GlyphSheets;

  constructor(bitmap: Bitmap, picture: ScreenPicture, scale: Scale) {
    this.#bitmap = bitmap;
    this.#picture = picture;
    this.#scale = scale;
    this.#sheets = glyphSheets(scale);
  }

  row(cells: readonly Cell[], row: number): void {
    // Glyphs may reach into the next cell, so the backgrounds come first.
    cells.forEach((cell, col) => {
      const { background } = cellColors(cell.style, this.#picture.colors);
      if (background !== this.#picture.colors.background) {
        this.#bitmap.fill(this.#frame(row, col, 1), background);
      }
    });
    cells.forEach((cell, col) => {
      if (cell.width > 0) this.#cell(cell, row, col, cellColors(cell.style, this.#picture.colors));
    });
  }

  cursor({ row, col, shape }: Cursor): void {
    const cell = this.#picture.rows[row]?.[col];
    if (cell === undefined) return;
    const { colors } = this.#picture;
    const frame = this.#frame(row, col, Math.max(1, cell.width));
    const thick = 2 * this.#scale;
    if (shape === 'bar') this.#bitmap.fill({ ...frame, width: thick }, colors.cursor);
    else if (shape === 'underline') {
      const y = frame.y + frame.height - thick;
      this.#bitmap.fill({ ...frame, y, height: thick }, colors.cursor);
    } else {
      const { background } = cellColors(cell.style, colors);
      this.#bitmap.fill(frame, colors.cursor);
      this.#cell(cell, row, col, { text: background, background, underline: background });
    }
  }

  #frame(row: number, col: number, cols: number): Frame {
    const [width, height] = [cellWidth * this.#scale, cellHeight * this.#scale];
    return { x: col * width, y: row * height, width: cols * width, height };
  }

  #cell(cell: Cell, row: number, col: number, colors: CellColors): void {
    const frame = this.#frame(row, col, cell.width);
    for (const { polygons, color } of decorations(cell.style, colors, {
      ...{ width: frame.width, height: frame.height, scale: this.#scale },
    })) {
      this.#bitmap.drawPolygons(frame, polygons, color);
    }
    if (cell.text === ' ' || cell.text === '' || cell.style.hidden) return;
    const shape = shapeOf(cell.text, frame);
    if (shape === null) this.#text(cell, frame, colors.text);
    else this.#bitmap.drawPolygons(frame, shape.polygons, colors.text, shape.share);
  }

  /** Draws a character and the marks on it. */
  #text({ text, style }: Cell, frame: Frame, color: number): void {
    const slant = style.italic ? 5 : 0;
    const [base = '', ...marks] = text.normalize('NFC');
    const isDrawn = this.#glyph(base, frame, color, style.bold, slant);
    if (!isDrawn) this.#missing(frame, color);
    for (const mark of marks) {
      // The parts of an emoji that joins several are not drawn over each other.
      if (/\p{M}/u.test(mark)) this.#fallback(mark, frame, color, slant);
    }
  }

  #glyph(text: string, frame: Frame, color: number, isBold: boolean, slant: number): boolean {
    const point = text.codePointAt(0) ?? 0;
    const sheet = isBold ? this.#sheets.bold : this.#sheets.regular;
    const mask = sheet.glyph(point);
    if (mask === null) return this.#fallback(text, frame, color, slant);
    const x = frame.x + ((frame.width - sheet.width) >> 1);
    this.#bitmap.draw({ ...frame, x, width: sheet.width }, mask, color, slant);
    return true;
  }

  #fallback(text: string, frame: Frame, color: number, slant: number): boolean {
    const glyph = this.#sheets.fallback(text.codePointAt(0) ?? 0);
    if (glyph === null) return false;
    const { mask, width, height } = enlarged(glyph.pixels, glyph.width, this.#scale);
    const x = frame.x + ((frame.width - width) >> 1);
    const y = frame.y + ((frame.height - height) >> 1);
    this.#bitmap.draw({ x, y, width, height }, mask, color, slant);
    return true;
  }

  /** Draws an empty box for a character that no font has. */
  #missing({ x, y, width, height }: Frame, color: number): void {
    const unit = this.#scale;
    const [left, top] = [x + unit, y + 3 * unit];
    const [w, h] = [width - 2 * unit, height - 7 * unit];
    this.#bitmap.fill({ x: left, y: top, width: w, height: unit }, color);
    this.#bitmap.fill({ x: left, y: top + h - unit, width: w, height: unit }, color);
    this.#bitmap.fill({ x: left, y: top, width: unit, height: h }, color);
    this.#bitmap.fill({ x: left + w - unit, y: top, width: unit, height: h }, color);
  }
}

/** The fallback font is a bitmap of 16 rows: its pixels are repeated. */
function enlarged(pixels: Uint8Array, width: number, scale: Scale) {
  const height = pixels.length / width;
  if (scale === 1) return { mask: pixels, width, height };
  const mask = Uint8Array.from({ length: pixels.length * 4 }, (_, at) => {
    const [x, y] = [at % (2 * width), Math.floor(at / (2 * width))];
    return pixels[(y >> 1) * width + (x >> 1)] ?? 0;
  });
  return { mask, width: 2 * width, height: 2 * height };
}
