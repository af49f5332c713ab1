import type { Cell } from '#model';
import { firstShape, shapeOf } from '#shapes';
import type { CellColors } from '../screen-picture.ts';
import { type Cluster, type ClusterPart, clusterOf, isMark } from '../shapes/cluster-parts.ts';
import { decorations, isDecorated } from '../shapes/decorations.ts';
import { type Bitmap, type Frame, maskOf } from './bitmap.ts';
import { type GlyphSheets, glyphSheets, type Mask, scaledMask } from './glyph-sheets.ts';

export type Scale = 1 | 2;

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

/** How a character is drawn. */
interface Look {
  readonly color: number;
  readonly isBold: boolean;
  /** See `Bitmap.draw`. */
  readonly slant: number;
}

/** Whether a cell shows nothing but its background. */
export const isBlank = ({ text, style }: Cell): boolean =>
  (text === ' ' || text === '' || style.hidden) && !isDecorated(style);

/** Draws the characters of cells and the lines at them, over their backgrounds. */
export class CellPainter {
  readonly #scale: Scale;
  readonly #sheets: GlyphSheets;

  constructor(scale: Scale) {
    this.#scale = scale;
    this.#sheets = glyphSheets(scale);
  }

  /** @param frame of the cell. Italic characters may reach into its neighbours. */
  draw(bitmap: Bitmap, cell: Cell, frame: Frame, colors: CellColors): void {
    if (isDecorated(cell.style)) this.#decorate(bitmap, cell, frame, colors);
    if (cell.text === ' ' || cell.text === '' || cell.style.hidden) return;
    const mask = this.#shape(cell.text, frame);
    if (mask !== null) {
      bitmap.draw(frame, mask, colors.text);
      return;
    }
    const text = cell.text.normalize('NFC');
    const cluster = clusterOf(text);
    if (cluster === null) this.#text(bitmap, { text, style: cell.style }, frame, colors.text);
    else this.#cluster(bitmap, cluster, frame, { colors, isBold: cell.style.bold });
  }

  /** Whether the character of a cell may reach into the cells beside it. */
  reaches({ text, style }: Cell, { width }: Frame): boolean {
    if (style.italic) return true;
    const point = text.codePointAt(0) ?? 0;
    if (point < 0x80) return text.length > 1;
    if (clusterOf(text.normalize('NFC')) !== null) return false;
    const isOwn = (style.bold ? this.#sheets.bold : this.#sheets.regular).glyph(point) !== null;
    const glyph = isOwn && text.length === 1 ? null : this.#sheets.fallback(point);
    return glyph !== null && glyph.width * this.#scale > width;
  }

  #decorate(bitmap: Bitmap, { style }: Cell, frame: Frame, colors: CellColors): void {
    const { width, height } = frame;
    const box = { width, height, scale: this.#scale };
    for (const { name, polygons, color } of decorations(style, colors, box)) {
      const mask = knownMask(`${name} ${width}x${height}`, () => maskOf(frame, polygons));
      bitmap.draw(frame, mask, color);
    }
  }

  #shape(text: string, frame: Frame): Uint8Array | null {
    if ((text.codePointAt(0) ?? 0) < firstShape) return null;
    const { width, height } = frame;
    const name = `${text} ${width}x${height}`;
    const mask = masks.get(name);
    if (mask !== undefined) return mask;
    const shape = shapeOf(text, frame);
    return shape === null
      ? null
      : knownMask(name, () => maskOf(frame, shape.polygons, shape.share));
  }

  /** Draws a character and the marks on it, in NFC. */
  #text(
    bitmap: Bitmap,
    { text, style }: Pick<Cell, 'text' | 'style'>,
    frame: Frame,
    color: number,
  ): void {
    const slant = style.italic ? 5 : 0;
    const [base = '', ...marks] = text;
    const look = { color, isBold: style.bold, slant };
    if (!this.#glyph(bitmap, base, frame, look)) this.#missing(bitmap, frame, color);
    for (const mark of marks) {
      if (isMark(mark)) this.#fallback(bitmap, mark, frame, look);
    }
  }

  /** Draws the parts of a cluster, scaled, beside and below each other. */
  #cluster(
    bitmap: Bitmap,
    { parts, isFlag, isPicture }: Cluster,
    frame: Frame,
    { colors, isBold }: { readonly colors: CellColors; readonly isBold: boolean },
  ): void {
    const unit = this.#scale;
    const edge = (isFlag ? 3 : 2) * unit;
    const inner = { ...frame, y: frame.y + edge, height: frame.height - 2 * edge };
    if (isFlag) bitmap.fill(inner, colors.text);
    for (const { base, marks, tone, place } of parts) {
      const box = within(inner, place);
      if (tone !== null) bitmap.fill(box, tone);
      const partColor = tone === null ? colors.text : inkOn(tone);
      const color = isFlag ? colors.background : partColor;
      for (const char of [base, ...marks]) {
        const glyph = this.#natural(char, isBold);
        if (glyph !== null) drawInside(bitmap, box, glyph, color, isPicture);
        else if (char === base) this.#missing(bitmap, box, color);
      }
    }
  }

  /** Returns the glyph of a character in the size that it has alone. */
  #natural(char: string, isBold: boolean): Mask | null {
    const point = char.codePointAt(0) ?? 0;
    const sheet = isBold ? this.#sheets.bold : this.#sheets.regular;
    const pixels = sheet.glyph(point);
    if (pixels !== null) return { pixels, width: sheet.width, height: sheet.height };
    const glyph = this.#sheets.fallback(point);
    return glyph && enlarged(glyph.pixels, glyph.width, this.#scale);
  }

  #glyph(bitmap: Bitmap, text: string, frame: Frame, look: Look): boolean {
    const point = text.codePointAt(0) ?? 0;
    const sheet = look.isBold ? this.#sheets.bold : this.#sheets.regular;
    const mask = sheet.glyph(point);
    if (mask === null) return this.#fallback(bitmap, text, frame, look);
    const x = frame.x + ((frame.width - sheet.width) >> 1);
    bitmap.draw({ ...frame, x, width: sheet.width }, mask, look.color, look.slant);
    return true;
  }

  #fallback(bitmap: Bitmap, text: string, frame: Frame, { color, slant }: Look): boolean {
    const glyph = this.#sheets.fallback(text.codePointAt(0) ?? 0);
    if (glyph === null) return false;
    const { pixels: mask, width, height } = enlarged(glyph.pixels, glyph.width, this.#scale);
    const x = frame.x + ((frame.width - width) >> 1);
    const y = frame.y + ((frame.height - height) >> 1);
    bitmap.draw({ x, y, width, height }, mask, color, slant);
    return true;
  }

  /** Draws an empty box for a character that no font has. */
  #missing(bitmap: Bitmap, { x, y, width, height }: Frame, color: number): void {
    const unit = this.#scale;
    const [left, top] = [x + unit, y + 3 * unit];
    const [w, h] = [width - 2 * unit, height - 7 * unit];
    bitmap.fill({ x: left, y: top, width: w, height: unit }, color);
    bitmap.fill({ x: left, y: top + h - unit, width: w, height: unit }, color);
    bitmap.fill({ x: left, y: top, width: unit, height: h }, color);
    bitmap.fill({ x: left + w - unit, y: top, width: unit, height: h }, color);
  }
}

/** Returns a part of a frame, in whole pixels. */
function within({ x, y, width, height }: Frame, place: ClusterPart['place']): Frame {
  const [left, top] = [Math.round(place.x * width), Math.round(place.y * height)];
  const right = Math.round((place.x + place.width) * width);
  const bottom = Math.round((place.y + place.height) * height);
  return { x: x + left, y: y + top, width: right - left, height: bottom - top };
}

/** Draws a glyph in the middle of a frame, smaller if it does not fit. */
function drawInside(
  bitmap: Bitmap,
  frame: Frame,
  glyph: Mask,
  color: number,
  isProportional: boolean,
): void {
  const across = Math.min(1, frame.width / glyph.width);
  const down = Math.min(1, frame.height / glyph.height);
  const both = Math.min(across, down);
  const width = Math.max(1, Math.round(glyph.width * (isProportional ? both : across)));
  const height = Math.max(1, Math.round(glyph.height * (isProportional ? both : down)));
  const isWhole = width === glyph.width && height === glyph.height;
  const { pixels } = isWhole ? glyph : scaledMask(glyph, width, height);
  const x = frame.x + ((frame.width - width) >> 1);
  const y = frame.y + ((frame.height - height) >> 1);
  bitmap.draw({ x, y, width, height }, pixels, color);
}

/** Black on light skin, white on dark. */
const inkOn = (tone: number): number => (((tone >> 8) & 0xff) > 0x70 ? 0x000000 : 0xffffff);

/** The fallback font is a bitmap of 16 rows: its pixels are repeated. */
function enlarged(pixels: Uint8Array, width: number, scale: Scale): Mask {
  const height = pixels.length / width;
  if (scale === 1) return { pixels, width, height };
  const mask = Uint8Array.from({ length: pixels.length * 4 }, (_, at) => {
    const [x, y] = [at % (2 * width), Math.floor(at / (2 * width))];
    return pixels[(y >> 1) * width + (x >> 1)] ?? 0;
  });
  return { pixels: mask, width: 2 * width, height: 2 * height };
}
