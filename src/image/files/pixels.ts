/** A picture in pixels. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** 0xRRGGBB, row by row. */
  readonly pixels: Int32Array;
}

/** Returns the colours with their numbers, in the order in which they appear; null for more than 256. */
export function paletteOf(pixels: Int32Array): Map<number, number> | null {
  const palette = new Map<number, number>();
  let last = -1;
  for (const color of pixels) {
    if (color === last) continue;
    last = color;
    if (palette.has(color)) continue;
    if (palette.size === 256) return null;
    palette.set(color, palette.size);
  }
  return palette;
}
