import type { AnimatedFrame, Pixels } from '#image';

/**
 * Yields the whole picture of each interval of an animation. It is the same object as before if nothing
 * has changed.
 *
 * @param film the first frame is the whole picture
 */
export function* wholePictures(
  film: Iterable<AnimatedFrame>,
  framesPerSecond: number,
): Generator<Pixels> {
  let picture: Pixels | null = null;
  let shownMs = 0;
  let yielded = 0;
  for (const { pixels: part, x, y, durationMs } of film) {
    picture = picture === null ? part : drawnOver(picture, part, x, y);
    shownMs += durationMs;
    const end = Math.round((shownMs * framesPerSecond) / 1000);
    for (; yielded < end; yielded++) yield picture;
  }
}

/** Returns a copy, because the picture before may still be in use. */
function drawnOver({ width, height, pixels }: Pixels, part: Pixels, x: number, y: number): Pixels {
  const copy = pixels.slice();
  for (let row = 0; row < part.height; row++) {
    const line = part.pixels.subarray(row * part.width, (row + 1) * part.width);
    copy.set(line, (y + row) * width + x);
  }
  return { width, height, pixels: copy };
}
