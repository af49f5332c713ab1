import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

/** The glyphs of a font in one size, as bitmaps. */
export interface GlyphSheet {
  readonly width: number;
  readonly height: number;
  /**
   * Returns how much of each pixel a character covers, 0 to 15, row by row; null if the font does not
   * have it.
   */
  glyph(point: number): Uint8Array | null;
}

/** The fonts of pictures in one scale. */
export interface GlyphSheets {
  readonly regular: GlyphSheet;
  readonly bold: GlyphSheet;
  /** Returns the glyph of a font for all scripts, 16 pixels high. */
  fallback(point: number): { readonly width: number; readonly pixels: Uint8Array } | null;
}

const loaded = new Map<number, GlyphSheets>();

/** Reads the fonts when they are first needed. @param scale 1 or 2 */
export function glyphSheets(scale: 1 | 2): GlyphSheets {
  const glyphSheets = loaded.get(scale);
  if (glyphSheets !== undefined) return glyphSheets;
  const [regular, bold] = sheetsOf(`letters-${scale}x.bin`);
  if (regular === undefined || bold === undefined) throw new Error('a font lacks a weight');
  let all: readonly GlyphSheet[] | null = null;
  const fallback = (point: number) => {
    all ??= sheetsOf('unifont.bin');
    for (const sheet of all) {
      const pixels = sheet.glyph(point);
      if (pixels !== null) return { width: sheet.width, pixels };
    }
    return null;
  };
  const sheets = { regular, bold, fallback };
  loaded.set(scale, sheets);
  return sheets;
}

/** Relative to this file, and relative to a bundle of the build. */
const directories = ['../fonts/', './image/fonts/'];

/** The form of the files is described in scripts/bake-fonts.mjs. */
function sheetsOf(name: string): readonly GlyphSheet[] {
  const paths = directories.map((path) => fileURLToPath(new URL(path + name, import.meta.url)));
  const path = paths.find((each) => existsSync(each));
  if (path === undefined) throw new Error(`the font ${name} is missing`);
  const bytes = brotliDecompressSync(readFileSync(path));
  const sheets: GlyphSheet[] = [];
  for (let at = 0; at < bytes.length; ) {
    const sheet = new PackedSheet(bytes, at);
    sheets.push(sheet);
    at = sheet.end;
  }
  return sheets;
}

class PackedSheet implements GlyphSheet {
  readonly width: number;
  readonly height: number;
  /** Where the next sheet begins. */
  readonly end: number;
  readonly #bits: number;
  readonly #bytes: Buffer;
  readonly #count: number;
  readonly #points: number;
  readonly #pixels: number;
  readonly #length: number;
  readonly #unpacked = new Map<number, Uint8Array | null>();

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.width = bytes.readUInt8(at);
    this.height = bytes.readUInt8(at + 1);
    this.#bits = bytes.readUInt8(at + 2);
    this.#count = bytes.readUInt32LE(at + 4);
    this.#points = at + 8;
    this.#pixels = this.#points + 4 * this.#count;
    this.#length = Math.ceil((this.width * this.height * this.#bits) / 8);
    this.end = this.#pixels + this.#length * this.#count;
  }

  glyph(point: number): Uint8Array | null {
    const bytes = this.#unpacked.get(point);
    if (bytes !== undefined) return bytes;
    const index = this.#indexOf(point);
    const glyph = index < 0 ? null : this.#unpack(index);
    this.#unpacked.set(point, glyph);
    return glyph;
  }

  #indexOf(point: number): number {
    let [low, high] = [0, this.#count - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const candidate = this.#bytes.readUInt32LE(this.#points + 4 * middle);
      if (candidate === point) return middle;
      if (candidate < point) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  #unpack(index: number): Uint8Array {
    const bits = this.#bits;
    const most = 2 ** bits - 1;
    const from = this.#pixels + index * this.#length;
    const pixels = new Uint8Array(this.width * this.height);
    for (let pixel = 0, bit = 0; pixel < pixels.length; pixel++, bit += bits) {
      const value = ((this.#bytes[from + (bit >> 3)] ?? 0) >> (8 - bits - (bit & 7))) & most;
      pixels[pixel] = (value * 15) / most;
    }
    return pixels;
  }
}

/** How much of each pixel is covered, 0 to 15, row by row. */
export interface Mask {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Returns a mask in another size: each pixel is the mean of what it covers of the first one. */
export function scaledMask({ pixels, ...from }: Mask, width: number, height: number): Mask {
  const cols = spans(from.width, width);
  const rows = spans(from.height, height);
  const scaled = new Uint8Array(width * height);
  for (const [y, row] of rows.entries()) {
    for (const [x, col] of cols.entries()) {
      let sum = 0;
      for (const { at: fromRow, share } of row) {
        for (const { at: fromCol, share: part } of col) {
          sum += (pixels[fromRow * from.width + fromCol] ?? 0) * share * part;
        }
      }
      scaled[y * width + x] = Math.round(sum);
    }
  }
  return { pixels: scaled, width, height };
}

/** Returns for each of `to` pixels the pixels of `from` that it covers, whose shares are 1 together. */
function spans(from: number, to: number): { readonly at: number; readonly share: number }[][] {
  const step = from / to;
  return Array.from({ length: to }, (_, index) => {
    const [begin, end] = [index * step, (index + 1) * step];
    const first = Math.floor(begin);
    return Array.from({ length: Math.ceil(end) - first }, (_, more) => {
      const at = first + more;
      return { at, share: (Math.min(end, at + 1) - Math.max(begin, at)) / step };
    });
  });
}
