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

const maxCodes = 4096;
const blockSize = 255;
const maxWidth = 12;

/** Compresses indexes as GIF does: LZW with codes of variable length (GIF89a, appendix F). */
class LzwEncoder {
  /** The code of each string followed by each index, 0 if it has none; 8 bits are for the index. */
  readonly #codes = new Uint16Array(maxCodes << 8);
  /** The places of the codes that are in use. */
  readonly #used = new Uint32Array(maxCodes);
  #bytes = new Uint8Array(0);

  /**
   * Returns the data in blocks, with the empty block that ends them.
   *
   * @param bits of an index, 2 to 8
   */
  encode(indexes: Uint8Array, bits: number): Buffer {
    const most = Math.ceil(((indexes.length + 4) * maxWidth) / 8) + 1;
    if (this.#bytes.length < most) this.#bytes = new Uint8Array(most);
    return inBlocks(this.#bytes.subarray(0, this.#compress(indexes, bits)));
  }

  /** Writes codes to the bytes. All is local: a GIF takes most of its time in this loop. */
  #compress(indexes: Uint8Array, bits: number): number {
    const [codes, used, bytes] = [this.#codes, this.#used, this.#bytes];
    const clear = 1 << bits;
    let uses = 0;
    let next = clear + 2;
    let width = bits + 1;
    let pending = clear;
    let pendingBits = width;
    let length = 0;
    let string = indexes[0] ?? 0;
    for (let at = 1; at < indexes.length; at++) {
      const index = indexes[at] as number;
      const place = (string << bits) | index;
      const code = codes[place] as number;
      if (code !== 0) {
        string = code;
        continue;
      }
      for (; pendingBits >= 8; pendingBits -= 8, pending >>>= 8) bytes[length++] = pending;
      pending |= string << pendingBits;
      pendingBits += width;
      string = index;
      if (next < maxCodes) {
        if (next === 1 << width) width++;
        codes[place] = next++;
        used[uses++] = place;
      } else {
        pending |= clear << pendingBits;
        pendingBits += width;
        while (uses > 0) codes[used[--uses] as number] = 0;
        next = clear + 2;
        width = bits + 1;
      }
    }
    while (uses > 0) codes[used[--uses] as number] = 0;
    for (; pendingBits >= 8; pendingBits -= 8, pending >>>= 8) bytes[length++] = pending;
    pending |= string << pendingBits;
    pendingBits += width;
    // A decoder has all codes now, so it reads the last one with the next width.
    if (next === 1 << width && width < maxWidth) width++;
    pending |= (clear + 1) << pendingBits;
    pendingBits += width;
    for (; pendingBits > 0; pendingBits -= 8, pending >>>= 8) bytes[length++] = pending;
    return length;
  }
}

function inBlocks(data: Uint8Array): Buffer {
  const blocks = Math.ceil(data.length / blockSize);
  const result = Buffer.alloc(data.length + blocks + 1);
  for (let from = 0, to = 0; from < data.length; from += blockSize) {
    const block = data.subarray(from, from + blockSize);
    result[to] = block.length;
    result.set(block, to + 1);
    to += block.length + 1;
  }
  return result;
}
