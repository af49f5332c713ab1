import { LzwEncoder } from './lzw.ts';
import { maxColors, Palette } from './pixels.ts';
import { colorBytes } from './png.ts';

/** The bits of a channel that are kept if a frame has too many colours. */
const coarser = [6, 5, 4, 3, 2];

/** Encodes the pixels of GIF frames, with the colours of each. */
export class GifPixels {
  readonly #lzw = new LzwEncoder();

  /** Returns what follows the size in an image of a GIF: its flags, its colours and its data. */
  encode(pixels: Int32Array): Uint8Array {
    const { colors, indexes } = indexed(pixels);
    const bits = Math.max(2, Math.ceil(Math.log2(colors.length)));
    const table = Buffer.alloc(3 * 2 ** bits);
    colorBytes(colors).copy(table);
    const data = this.#lzw.encode(indexes, bits);
    return Buffer.concat([Buffer.from([0x80 | (bits - 1)]), table, Buffer.from([bits]), data]);
  }
}

function indexed(pixels: Int32Array): { colors: readonly number[]; indexes: Uint8Array } {
  const palette = new Palette();
  const indexes = palette.indexes(pixels);
  if (indexes !== null) return { colors: palette.colors, indexes };
  const colors = distinct(pixels);
  for (const bits of coarser) {
    const round = rounding(bits);
    if (new Set(colors.map(round)).size <= maxColors) return indexed(pixels.map(round));
  }
  throw new Error('four levels a channel are at most 64 colours');
}

function distinct(pixels: Int32Array): number[] {
  const colors = new Set<number>();
  let last = -1;
  for (const color of pixels) {
    if (color !== last) colors.add(color);
    last = color;
  }
  return [...colors];
}

/** Returns a function that keeps some bits of each channel of a colour. */
function rounding(bits: number): (color: number) => number {
  const most = 2 ** bits - 1;
  const levels = Uint8Array.from({ length: 256 }, (_, level) => {
    return Math.round((Math.round((level * most) / 255) * 255) / most);
  });
  const channel = (color: number, shift: number) =>
    (levels[(color >> shift) & 0xff] as number) << shift;
  return (color) => channel(color, 16) | channel(color, 8) | channel(color, 0);
}
