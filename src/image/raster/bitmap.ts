import type { Polygon } from '#shapes';
import { mixed } from '../screen-picture.ts';

/** The levels between a colour and its background. */
const levels = 16;

/** Lines of samples in a row of pixels. */
const linesPerRow = 4;

/** A part of a bitmap, in pixels. Nothing is drawn outside of it. */
export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A picture in pixels, as 0xRRGGBB, row by row. */
export class Bitmap {
  readonly width: number;
  readonly height: number;
  readonly pixels: Int32Array;
  /** The colours between two, by how much of the first is seen; those of the last pixel. */
  readonly #ramp = new Int32Array(levels);
  #rampColor = -1;
  #rampBack = -1;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.pixels = new Int32Array(width * height);
  }

  fill({ x, y, width, height }: Frame, color: number): void {
    const [right, bottom] = [Math.min(this.width, x + width), Math.min(this.height, y + height)];
    for (let row = Math.max(0, y); row < bottom; row++) {
      this.pixels.fill(color, row * this.width + Math.max(0, x), row * this.width + right);
    }
  }

  /**
   * Draws a mask.
   *
   * @param mask how much is covered, 0 to 15, row by row, of the width and the height of the frame
   * @param slant the height above the frame's bottom, in pixels, that moves a row to the right by one;
   * 0: none
   */
  draw({ x, y, width, height }: Frame, mask: Uint8Array, color: number, slant = 0): void {
    const bottom = Math.min(height, this.height - y);
    for (let row = Math.max(0, -y); row < bottom; row++) {
      const left = x + (slant === 0 ? 0 : Math.round((height * 0.75 - row) / slant));
      const to = (y + row) * this.width + left;
      const from = row * width;
      const end = Math.min(width, this.width - left);
      for (let col = Math.max(0, -left); col < end; col++) {
        const covered = mask[from + col] ?? 0;
        if (covered > 0) this.#mix(to + col, color, covered);
      }
    }
  }

  /** Draws a tile, which has all pixels of the frame. */
  put({ x, y, width, height }: Frame, tile: Int32Array): void {
    const [cols, rows] = [Math.min(width, this.width - x), Math.min(height, this.height - y)];
    for (let row = 0; row < rows; row++) {
      const [from, to] = [row * width, (y + row) * this.width + x];
      for (let col = 0; col < cols; col++) this.pixels[to + col] = tile[from + col] as number;
    }
  }

  #mix(at: number, color: number, covered: number): void {
    const back = this.pixels[at] as number;
    if (color !== this.#rampColor || back !== this.#rampBack) {
      for (let level = 0; level < levels; level++) {
        this.#ramp[level] = mixed(color, back, level / (levels - 1));
      }
      [this.#rampColor, this.#rampBack] = [color, back];
    }
    this.pixels[at] = this.#ramp[covered] as number;
  }
}

/**
 * Returns how much of each pixel polygons cover, 0 to 15, row by row. They may overlap.
 *
 * @param share how much of the colour is seen, 0 to 1
 */
export function maskOf(
  { width, height }: Pick<Frame, 'width' | 'height'>,
  polygons: readonly Polygon[],
  share = 1,
): Uint8Array {
  const mask = new Uint8Array(width * height);
  for (const polygon of polygons) cover(mask, { width, height }, polygon);
  return share === 1 ? mask : mask.map((covered) => Math.round(covered * share));
}

/** Adds a polygon to a mask, by the even-odd rule. */
function cover(
  mask: Uint8Array,
  { width, height }: Pick<Frame, 'width' | 'height'>,
  polygon: Polygon,
): void {
  const row = new Float64Array(width);
  for (let y = 0; y < height; y++) {
    row.fill(0);
    for (let line = 0; line < linesPerRow; line++) {
      const crossings = crossingsAt(polygon, y + (line + 0.5) / linesPerRow);
      for (let at = 0; at + 1 < crossings.length; at += 2) {
        addSpan(row, Math.max(0, crossings[at] ?? 0), Math.min(width, crossings[at + 1] ?? 0));
      }
    }
    row.forEach((covered, x) => {
      const level = Math.round((covered / linesPerRow) * (levels - 1));
      const at = y * width + x;
      mask[at] = Math.max(mask[at] ?? 0, level);
    });
  }
}

function crossingsAt(polygon: Polygon, y: number): number[] {
  const crossings = polygon.flatMap((a, at) => {
    const b = polygon[(at + 1) % polygon.length] ?? a;
    if (a.y <= y === b.y <= y) return [];
    return [a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x)];
  });
  return crossings.sort((a, b) => a - b);
}

function addSpan(row: Float64Array, from: number, to: number): void {
  for (let x = Math.floor(from); x < to; x++) {
    row[x] = (row[x] ?? 0) + Math.max(0, Math.min(to, x + 1) - Math.max(from, x));
  }
}
