import { inflateSync } from 'node:zlib';

/** A decoded picture: 0xRRGGBB, row by row. */
export interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly pixels: Int32Array;
}

/** Decodes the frames of a PNG or an APNG as they are shown, one after another. Filters are not known. */
export function decodePng(file: Uint8Array): Decoded[] {
  const bytes = Buffer.from(file);
  let [width, height, kind, palette] = [0, 0, 0, Buffer.alloc(0)];
  let part = { x: 0, y: 0, width: 0, height: 0 };
  const frames: Decoded[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + length);
    at += length + 12;
    if (type === 'IHDR') {
      [width, height, kind] = [data.readUInt32BE(0), data.readUInt32BE(4), data[9] ?? 0];
      part = { x: 0, y: 0, width, height };
    } else if (type === 'PLTE') palette = data;
    else if (type === 'fcTL') {
      const [w = 0, h = 0, x = 0, y = 0] = [4, 8, 12, 16].map((from) => data.readUInt32BE(from));
      part = { x, y, width: w, height: h };
    } else if (type === 'IDAT' || type === 'fdAT') {
      const lines = inflateSync(type === 'IDAT' ? data : data.subarray(4));
      const colors = pngColors(lines, part, kind === 3 ? palette : null);
      frames.push(drawnOver(frames.at(-1), { width, height }, part, colors));
    }
  }
  return frames;
}

function pngColors(lines: Buffer, { width, height }: Size, palette: Buffer | null): number[] {
  const step = palette === null ? 3 : 1;
  return Array.from({ length: width * height }, (_, at) => {
    const from = Math.floor(at / width) * (width * step + 1) + 1 + (at % width) * step;
    return palette === null
      ? lines.readUIntBE(from, 3)
      : palette.readUIntBE((lines[from] ?? 0) * 3, 3);
  });
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Part extends Size {
  readonly x: number;
  readonly y: number;
}

function drawnOver(before: Decoded | undefined, size: Size, part: Part, colors: number[]): Decoded {
  const pixels = before?.pixels.slice() ?? new Int32Array(size.width * size.height);
  colors.forEach((color, at) => {
    const [x, y] = [part.x + (at % part.width), part.y + Math.floor(at / part.width)];
    pixels[y * size.width + x] = color;
  });
  return { ...size, pixels };
}

/** Decodes the frames of a GIF with their delays, in ms. */
export function decodeGif(file: Uint8Array): {
  readonly frames: Decoded[];
  readonly delays: number[];
} {
  const bytes = Buffer.from(file);
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  const frames: Decoded[] = [];
  const delays: number[] = [];
  let at = 13;
  while (bytes[at] !== 0x3b) {
    if (bytes[at] === 0x21) {
      if (bytes[at + 1] === 0xf9) delays.push(bytes.readUInt16LE(at + 4) * 10);
      at += 2;
      while ((bytes[at] ?? 0) > 0) at += (bytes[at] ?? 0) + 1;
      at++;
      continue;
    }
    const [x = 0, y = 0, width = 0, height = 0] = [1, 3, 5, 7].map((from) =>
      bytes.readUInt16LE(at + from),
    );
    const tableLength = 3 * 2 ** (((bytes[at + 9] ?? 0) & 7) + 1);
    const table = bytes.subarray(at + 10, at + 10 + tableLength);
    at += 10 + tableLength;
    const bits = bytes[at++] ?? 0;
    const blocks: Buffer[] = [];
    for (let length = bytes[at++] ?? 0; length > 0; length = bytes[at++] ?? 0) {
      blocks.push(bytes.subarray(at, at + length));
      at += length;
    }
    const indexes = decodeLzw(Buffer.concat(blocks), bits);
    const colors = indexes.map((index) => table.readUIntBE(index * 3, 3));
    frames.push(drawnOver(frames.at(-1), size, { x, y, width, height }, colors));
  }
  return { frames, delays };
}

function decodeLzw(data: Buffer, bits: number): number[] {
  const clear = 1 << bits;
  let table: number[][] = [];
  let width = bits + 1;
  let before: number[] | null = null;
  const result: number[] = [];
  for (let bit = 0; ; ) {
    let code = 0;
    for (let each = 0; each < width; each++, bit++) {
      code |= (((data[bit >> 3] ?? 0) >> (bit & 7)) & 1) << each;
    }
    if (code === clear + 1) return result;
    if (code === clear) {
      table = Array.from({ length: clear + 2 }, (_, index) => [index]);
      width = bits + 1;
      before = null;
      continue;
    }
    const string: number[] = table[code] ?? [...(before ?? []), before?.[0] ?? 0];
    if (before !== null && table.length < 4096) table.push([...before, string[0] ?? 0]);
    if (table.length === 1 << width && width < 12) width++;
    result.push(...string);
    before = string;
  }
}
