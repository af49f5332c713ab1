import { LzwEncoder } from './lzw.ts';
import type { Pixels } from './pixels.ts';
import { type AnimatedFrame, colorBytes } from './png.ts';

// GIF89a (CompuServe, 1990), with the extension that repeats an animation without end.

/** Shorter delays are lengthened by browsers to a tenth of a second, in hundredths. */
const minDelay = 2;

/** The bits of a channel that are kept if a frame has too many colours. */
const coarser = [6, 5, 4, 3, 2];

/** Encodes an animation as GIF. The first frame is the whole picture. Each frame has its own colours. */
export class GifEncoder {
  readonly #parts: Buffer[] = [];
  /** The time that is shown too early, because delays are in hundredths, in ms. */
  #owedMs = 0;

  add({ pixels, x, y, durationMs }: AnimatedFrame): void {
    if (this.#parts.length === 0) this.#parts.push(head(pixels));
    const { colors, indexes } = indexed(pixels);
    const bits = Math.max(2, Math.ceil(Math.log2(colors.length)));
    const delay = Math.max(minDelay, Math.round((durationMs + this.#owedMs) / 10));
    this.#owedMs += durationMs - delay * 10;
    const control = Buffer.from([0x21, 0xf9, 4, 0x04, 0, 0, 0, 0]);
    control.writeUInt16LE(Math.min(0xffff, delay), 4);
    const image = Buffer.alloc(10);
    image[0] = 0x2c;
    for (const [at, value] of [x, y, pixels.width, pixels.height].entries()) {
      image.writeUInt16LE(value, 1 + at * 2);
    }
    image[9] = 0x80 | (bits - 1);
    const table = Buffer.alloc(3 * 2 ** bits);
    colorBytes(colors).copy(table);
    this.#parts.push(
      control,
      image,
      table,
      Buffer.from([bits]),
      new LzwEncoder(bits).encode(indexes),
    );
  }

  end(): Uint8Array {
    return Buffer.concat([...this.#parts, Buffer.from([0x3b])]);
  }
}

function head({ width, height }: Pixels): Buffer {
  const bytes = Buffer.alloc(13 + 19);
  bytes.write('GIF89a', 0, 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  // No table for all frames; 8 bits a colour.
  bytes[10] = 0x70;
  bytes.set([0x21, 0xff, 11], 13);
  bytes.write('NETSCAPE2.0', 16, 'latin1');
  bytes.set([3, 1, 0, 0, 0], 27);
  return bytes;
}

function indexed({ pixels }: Pixels): { readonly colors: number[]; readonly indexes: Uint8Array } {
  const numbers = new Map<number, number>();
  const numbered = new Uint32Array(pixels.length);
  let last = -1;
  let number = 0;
  for (let at = 0; at < pixels.length; at++) {
    const color = pixels[at] ?? 0;
    if (color !== last) {
      last = color;
      number = numbers.get(color) ?? numbers.size;
      if (number === numbers.size) numbers.set(color, number);
    }
    numbered[at] = number;
  }
  const { colors, places } = atMost256([...numbers.keys()]);
  // A loop, because a callback for each pixel takes ten times as long.
  const indexes = new Uint8Array(pixels.length);
  for (let at = 0; at < indexes.length; at++) indexes[at] = places[numbered[at] ?? 0] ?? 0;
  return { colors, indexes };
}

/** Returns colours, coarser if there are too many, and the place of each of the given ones. */
function atMost256(all: readonly number[]) {
  for (const bits of coarser) {
    const shown = all.length <= 256 ? all : all.map((color) => rounded(color, bits));
    const numbers = new Map([...new Set(shown)].map((color, at) => [color, at]));
    if (numbers.size > 256) continue;
    return { colors: [...numbers.keys()], places: shown.map((color) => numbers.get(color) ?? 0) };
  }
  throw new Error('four colours a channel are at most 64');
}

/** Returns a colour of which each channel has some bits only. */
function rounded(color: number, bits: number): number {
  const most = 2 ** bits - 1;
  const channel = (shift: number) => {
    const level = Math.round((((color >> shift) & 0xff) * most) / 255);
    return Math.round((level * 255) / most) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}
