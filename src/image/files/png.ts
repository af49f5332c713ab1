import { crc32, deflateSync } from 'node:zlib';
import { type Pixels, paletteOf } from './pixels.ts';

// PNG, third edition (W3C, 2025), which includes animations.

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const [indexed, truecolor] = [3, 2];

/** Encodes a picture as PNG, with a palette if it has at most 256 colours. */
export function encodePng(pixels: Pixels): Uint8Array {
  const palette = paletteOf(pixels.pixels);
  const kind = palette === null ? truecolor : indexed;
  const lines = palette === null ? rgbLines(pixels) : indexLines(pixels, palette);
  return Buffer.concat([
    signature,
    header(pixels, kind),
    ...(palette === null ? [] : [chunk('PLTE', colorBytes([...palette.keys()]))]),
    chunk('IDAT', deflateSync(lines, { level: 4 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A part of a picture that changes, and how long it is then shown. */
export interface AnimatedFrame {
  readonly pixels: Pixels;
  /** The left upper corner of the part. */
  readonly x: number;
  readonly y: number;
  readonly durationMs: number;
}

/** Encodes an animation as APNG, which repeats without end. The first frame is the whole picture. */
export class ApngEncoder {
  readonly #chunks: Buffer[] = [];
  #size: Pixels | null = null;
  #frames = 0;
  #sequence = 0;

  add({ pixels, x, y, durationMs }: AnimatedFrame): void {
    this.#size ??= pixels;
    const control = Buffer.alloc(26);
    control.writeUInt32BE(this.#sequence++, 0);
    for (const [at, value] of [pixels.width, pixels.height, x, y].entries()) {
      control.writeUInt32BE(value, 4 + at * 4);
    }
    control.writeUInt16BE(Math.min(0xffff, Math.round(durationMs)), 20);
    control.writeUInt16BE(1000, 22);
    this.#chunks.push(chunk('fcTL', control));
    const data = deflateSync(rgbLines(pixels), { level: 4 });
    if (this.#frames++ === 0) this.#chunks.push(chunk('IDAT', data));
    else {
      const number = Buffer.alloc(4);
      number.writeUInt32BE(this.#sequence++);
      this.#chunks.push(chunk('fdAT', Buffer.concat([number, data])));
    }
  }

  /** @throws Error if there is no frame */
  end(): Uint8Array {
    if (this.#size === null) throw new Error('an animation has at least one frame');
    const control = Buffer.alloc(8);
    control.writeUInt32BE(this.#frames);
    return Buffer.concat([
      signature,
      header(this.#size, truecolor),
      chunk('acTL', control),
      ...this.#chunks,
      chunk('IEND', Buffer.alloc(0)),
    ]);
  }
}

function header({ width, height }: Pixels, kind: number | undefined): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([8, kind ?? truecolor], 8);
  return chunk('IHDR', data);
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** Each line begins with the number of its filter: none. */
function indexLines(
  { width, height, pixels }: Pixels,
  palette: ReadonlyMap<number, number>,
): Buffer {
  const lines = Buffer.alloc((width + 1) * height);
  let last = -1;
  let index = 0;
  for (let y = 0, to = 0; y < height; y++) {
    to++;
    for (let x = 0; x < width; x++) {
      const color = pixels[y * width + x] ?? 0;
      if (color !== last) {
        last = color;
        index = palette.get(color) ?? 0;
      }
      lines[to++] = index;
    }
  }
  return lines;
}

function rgbLines({ width, height, pixels }: Pixels): Buffer {
  const lines = Buffer.alloc((3 * width + 1) * height);
  for (let y = 0, to = 0; y < height; y++) {
    to++;
    for (let x = 0; x < width; x++) {
      const color = pixels[y * width + x] ?? 0;
      lines[to++] = color >> 16;
      lines[to++] = color >> 8;
      lines[to++] = color;
    }
  }
  return lines;
}

/** Returns colours as three bytes each. */
export function colorBytes(colors: readonly number[]): Buffer {
  return Buffer.from(colors.flatMap((color) => [color >> 16, (color >> 8) & 0xff, color & 0xff]));
}
