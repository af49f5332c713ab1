import type { Cell, Cursor, Size, Style } from '#model';
import {
  type CellColors,
  cellColors,
  cellHeight,
  cellWidth,
  type ScreenPicture,
} from '../screen-picture.ts';
import { decorations, isDecorated } from '../shapes/decorations.ts';
import { firstShape, shapeOf } from '../shapes/shape-of.ts';
import { Bitmap, type Frame, maskOf } from './bitmap.ts';
import { type GlyphSheets, glyphSheets } from './glyph-sheets.ts';

export type Scale = 1 | 2;

/** Draws a screen in pixels: 10 by 20 for a cell, times the scale. */
export function drawPicture(picture: ScreenPicture, scale: Scale = 1): Bitmap {
  const bitmap = emptyBitmap(picture.size, scale);
  drawRows(bitmap, picture, picture.rows.keys(), scale);
  return bitmap;
}

export const emptyBitmap = ({ cols, rows }: Size, scale: Scale): Bitmap =>
  new Bitmap(cols * cellWidth * scale, rows * cellHeight * scale);

/** Draws rows of a screen over what a bitmap shows. */
export function drawRows(
  bitmap: Bitmap,
  picture: ScreenPicture,
  rows: Iterable<number>,
  scale: Scale,
): void {
  const painter = new CellPainter(bitmap, picture, scale);
  const { cursor, colors } = picture;
  for (const row of rows) {
    const y = row * cellHeight * scale;
    const frame = { x: 0, y, width: bitmap.width, height: cellHeight * scale };
    bitmap.fill(frame, colors.background);
    painter.row(picture.rows[row] ?? [], row);
    if (cursor?.visible && cursor.row === row) painter.cursor(cursor);
  }
}

/** Masks of shapes and lines, by their names: a few hundred are possible in each scale. */
const masks = new Map<string, Uint8Array>();

function knownMask(name: string, make: () => Uint8Array): Uint8Array {
  let mask = masks.get(name);
  if (mask === undefined) {
    mask = make();
    masks.set(name, mask);
  }
  return mask;
}

class CellPainter {
  readonly #bitmap: Bitmap;
  readonly #picture: ScreenPicture;
  readonly #scale: Scale;
  readonly #sheets: GlyphSheets;
  /** Cells of one look share their style. */
  readonly #colors = new Map<Style, CellColors>();

  constructor(bitmap: Bitmap, picture: ScreenPicture, scale: Scale) {
    this.#bitmap = bitmap;
    this.#picture = picture;
    this.#scale = scale;
    this.#sheets = glyphSheets(scale);
  }

  row(cells: readonly Cell[], row: number): void {
    // Glyphs may reach into the next cell, so the backgrounds come first.
    cells.forEach((cell, col) => {
      const { background } = this.#colorsOf(cell.style);
      if (background !== this.#picture.colors.background) {
        this.#bitmap.fill(this.#frame(row, col, 1), background);
      }
    });
    cells.forEach((cell, col) => {
      if (cell.width > 0) this.#cell(cell, row, col, this.#colorsOf(cell.style));
    });
  }

  #colorsOf(style: Style): CellColors {
    let known = this.#colors.get(style);
    if (known === undefined) {
      known = cellColors(style, this.#picture.colors);
      this.#colors.set(style, known);
    }
    return known;
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
      const { background } = this.#colorsOf(cell.style);
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
    if (isDecorated(cell.style)) this.#decorate(cell, frame, colors);
    if (cell.text === ' ' || cell.text === '' || cell.style.hidden) return;
    const mask = this.#shape(cell.text, frame);
    if (mask === null) this.#text(cell, frame, colors.text);
    else this.#bitmap.draw(frame, mask, colors.text);
  }

  #decorate({ style }: Cell, frame: Frame, colors: CellColors): void {
    const { width, height } = frame;
    const box = { width, height, scale: this.#scale };
    for (const { name, polygons, color } of decorations(style, colors, box)) {
      const mask = knownMask(`${name} ${width}x${height}`, () => maskOf(frame, polygons));
      this.#bitmap.draw(frame, mask, color);
    }
  }

  #shape(text: string, frame: Frame): Uint8Array | null {
    if ((text.codePointAt(0) ?? 0) < firstShape) return null;
    const { width, height } = frame;
    const name = `${text} ${width}x${height}`;
    const known = masks.get(name);
    if (known !== undefined) return known;
    const shape = shapeOf(text, frame);
    return shape === null
      ? null
      : knownMask(name, () => maskOf(frame, shape.polygons, shape.share));
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
