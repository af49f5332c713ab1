import type { Scale } from '#image';
import { type Size, VtrError } from '#model';

/** A bitmap takes four bytes per pixel, and an animation takes two bitmaps. */
const maxMegapixels = 50;

/** @throws VtrError INVALID_ARGUMENT for a bitmap that would take too much memory */
export function checkBitmapSize({ cols, rows }: Size, scale: Scale): void {
  const megapixels = (cols * 10 * scale * rows * 20 * scale) / 1e6;
  if (megapixels <= maxMegapixels) return;
  const size = `${cols}x${rows} cells are ${Math.round(megapixels)} million pixels`;
  const message = `${size}, more than the ${maxMegapixels} million of a bitmap; use svg or html`;
  throw new VtrError('INVALID_ARGUMENT', message);
}
