/** How much of each pixel is covered, 0 to 15, row by row. */
export interface Mask {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Returns a mask in another size: each pixel is the mean of what it covers of the first one. */
export function scaledMask({ pixels, ...from }: Mask, width: number, height: number): Mask {
  const cols = spans(from.width, width);
  const rows = spans(from.height, height);
  const scaled = new Uint8Array(width * height);
  for (const [y, row] of rows.entries()) {
    for (const [x, col] of cols.entries()) {
      let sum = 0;
      for (const { at: fromRow, share } of row) {
        for (const { at: fromCol, share: part } of col) {
          sum += (pixels[fromRow * from.width + fromCol] ?? 0) * share * part;
        }
      }
      scaled[y * width + x] = Math.round(sum);
    }
  }
  return { pixels: scaled, width, height };
}

/** Returns for each of `to` pixels the pixels of `from` that it covers, whose shares are 1 together. */
function spans(from: number, to: number): { readonly at: number; readonly share: number }[][] {
  const step = from / to;
  return Array.from({ length: to }, (_, index) => {
    const [begin, end] = [index * step, (index + 1) * step];
    const first = Math.floor(begin);
    return Array.from({ length: Math.ceil(end) - first }, (_, more) => {
      const at = first + more;
      return { at, share: (Math.min(end, at + 1) - Math.max(begin, at)) / step };
    });
  });
}
