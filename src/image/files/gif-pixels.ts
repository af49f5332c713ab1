import { LzwEncoder } from './lzw.ts';
import { Palette } from './pixels.ts';
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

function indexed(pixels: Int32Array) {
  for (const bits of [null, ...coarser]) {
    const palette = new Palette();
    const indexes = palette.indexes(bits === null ? pixels : rounded(pixels, bits));
    if (indexes !== null) return { colors: palette.colors, indexes };
  }
  throw new Error('four levels a channel are at most 64 colours');
}

/** Returns colours of which each channel has some bits only. */
function rounded(colors: Int32Array, bits: number): Int32Array {
  const most = 2 ** bits - 1;
  const levels = Uint8Array.from({ length: 256 }, (_, level) => {
    return Math.round((Math.round((level * most) / 255) * 255) / most);
  });
  const channel = (color: number, shift: number) =>
    (levels[(color >> shift) & 0xff] as number) << shift;
  return colors.map((color) => channel(color, 16) | channel(color, 8) | channel(color, 0));
}
