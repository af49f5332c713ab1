import { promisify } from 'node:util';
import { crc32, deflate, deflateSync, inflate } from 'node:zlib';
import { Palette, type Pixels } from './pixels.ts';

// PNG, third edition (W3C, 2025), which includes animations.

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const [indexed, truecolor] = [3, 2];

/** Higher ones take much longer, for files that are little smaller. */
const level = 4;

const compress = promisify<Buffer, { level: number }, Buffer>(deflate);
const decompress = promisify<Buffer, Buffer>(inflate);

/** Encodes a picture as PNG, with a palette if it has at most 256 colours. */
export function encodePng(pixels: Pixels): Uint8Array {
  const palette = new Palette();
  const indexes = palette.indexes(pixels.pixels);
  const kind = indexes === null ? truecolor : indexed;
  const lines = indexes === null ? rgbLines(pixels) : indexLines(pixels, indexes);
  return Buffer.concat([
    signature,
    header(pixels, kind),
    ...(indexes === null ? [] : [chunk('PLTE', colorBytes(palette.colors))]),
    chunk('IDAT', deflateSync(lines, { level })),
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

/** A frame of an APNG. */
interface EncodedFrame {
  /** What its control chunk has after its number. */
  readonly control: Buffer;
  readonly pixels: Pick<Pixels, 'width' | 'height'>;
  readonly data: Promise<Buffer>;
}

/** Frames that are compressed at a time, by the threads of zlib. */
const maxPending = 4;

/**
 * Encodes an animation as APNG, which repeats without end, with a palette if all frames have at most 256
 * colours. The first frame is the whole picture.
 */
export class ApngEncoder {
  #frames: EncodedFrame[] = [];
  #palette: Palette | null = new Palette();

  async add({ pixels, x, y, durationMs }: AnimatedFrame): Promise<void> {
    const { width, height } = pixels;
    const control = Buffer.alloc(22);
    for (const [at, value] of [width, height, x, y].entries()) control.writeUInt32BE(value, at * 4);
    control.writeUInt16BE(Math.min(0xffff, Math.round(durationMs)), 16);
    control.writeUInt16BE(1000, 18);
    const data = compress(this.#lines(pixels), { level });
    this.#frames.push({ control, pixels: { width, height }, data });
    await this.#frames.at(-maxPending)?.data;
  }

  #lines(pixels: Pixels): Buffer {
    const indexes = this.#palette?.indexes(pixels.pixels) ?? null;
    if (indexes !== null) return indexLines(pixels, indexes);
    if (this.#palette !== null) {
      const { colors } = this.#palette;
      this.#palette = null;
      this.#frames = this.#frames.map((each) => ({ ...each, data: withoutPalette(each, colors) }));
    }
    return rgbLines(pixels);
  }

  /** @throws Error if there is no frame */
  async end(): Promise<Uint8Array> {
    const [first] = this.#frames;
    if (first === undefined) throw new Error('an animation has at least one frame');
    const count = Buffer.alloc(8);
    count.writeUInt32BE(this.#frames.length);
    const chunks: Buffer[] = [];
    let number = 0;
    const numbered = (data: Buffer) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(number++);
      return Buffer.concat([bytes, data]);
    };
    for (const { control, data } of this.#frames) {
      const isFirst = number === 0;
      chunks.push(chunk('fcTL', numbered(control)));
      chunks.push(isFirst ? chunk('IDAT', await data) : chunk('fdAT', numbered(await data)));
    }
    return Buffer.concat([
      signature,
      header(first.pixels, this.#palette === null ? truecolor : indexed),
      ...(this.#palette === null ? [] : [chunk('PLTE', colorBytes(this.#palette.colors))]),
      chunk('acTL', count),
      ...chunks,
      chunk('IEND', Buffer.alloc(0)),
    ]);
  }
}

async function withoutPalette(
  { pixels: { width, height }, data }: EncodedFrame,
  colors: readonly number[],
): Promise<Buffer> {
  const lines = await decompress(await data);
  const pixels = new Int32Array(width * height);
  for (let at = 0; at < pixels.length; at++) {
    const line = Math.floor(at / width);
    pixels[at] = colors[lines[at + line + 1] as number] as number;
  }
  return compress(rgbLines({ width, height, pixels }), { level });
}

function header(
  { width, height }: Pick<Pixels, 'width' | 'height'>,
  kind: number | undefined,
): Buffer {
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
function indexLines({ width, height }: Pixels, indexes: Uint8Array): Buffer {
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    lines.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
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
