import { GifPixels } from './gif-pixels.ts';
import { type EncodedPixels, GifThread } from './gif-thread.ts';
import type { Pixels } from './pixels.ts';
import type { AnimatedFrame } from './png.ts';

// GIF89a (CompuServe, 1990), with the extension that repeats an animation without end.

/** Shorter delays are lengthened by browsers to a tenth of a second, in hundredths. */
const minDelay = 2;

/** A second thread takes 20 ms to start, as long as this many pixels take. */
const threadPixels = 2_000_000;

/** Encodes an animation as GIF. The first frame is the whole picture. Each frame has its own colours. */
export class GifEncoder {
  readonly #here = new GifPixels();
  #thread: GifThread | null = null;
  #pixels = 0;
  #head: Buffer | null = null;
  /** For each frame what is before its pixels. */
  readonly #begins: Buffer[] = [];
  readonly #encoded: Uint8Array[] = [];
  /** The time that is shown too early, because delays are in hundredths, in ms. */
  #owedMs = 0;

  /** @param frame its pixels must not be used afterwards: another thread may have them */
  add({ pixels, x, y, durationMs }: AnimatedFrame): void {
    this.#head ??= headOf(pixels);
    const delay = Math.max(minDelay, Math.round((durationMs + this.#owedMs) / 10));
    this.#owedMs += durationMs - delay * 10;
    const begin = Buffer.from([0x21, 0xf9, 4, 0x04, 0, 0, 0, 0, 0x2c, ...Array(8).fill(0)]);
    begin.writeUInt16LE(Math.min(0xffff, delay), 4);
    for (const [at, value] of [x, y, pixels.width, pixels.height].entries()) {
      begin.writeUInt16LE(value, 9 + at * 2);
    }
    this.#encode(this.#begins.push(begin) - 1, pixels.pixels);
  }

  #encode(number: number, pixels: Int32Array): void {
    if (this.#pixels < threadPixels) {
      this.#pixels += pixels.length;
      if (this.#pixels >= threadPixels) this.#thread = GifThread.start();
    }
    this.#keep(this.#thread?.takeEncoded() ?? []);
    if (this.#thread?.isFree) this.#thread.encode({ number, pixels });
    else this.#encoded[number] = this.#here.encode(pixels);
  }

  #keep(encoded: Iterable<EncodedPixels>): void {
    for (const { number, bytes } of encoded) this.#encoded[number] = bytes;
  }

  /** @throws Error if there is no frame */
  async end(): Promise<Uint8Array> {
    if (this.#head === null) throw new Error('an animation has at least one frame');
    this.#keep((await this.#thread?.end()) ?? []);
    const frames = this.#begins.flatMap((begin, at) => [begin, this.#encoded[at] as Uint8Array]);
    return Buffer.concat([this.#head, ...frames, Buffer.from([0x3b])]);
  }
}

function headOf({ width, height }: Pixels): Buffer {
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
