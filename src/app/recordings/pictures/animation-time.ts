import type { TimedPicture } from '#image';
import { lastMs } from './recorded-pictures.ts';

/** Returns pictures at the times of an animation that is played faster. */
export function* faster(pictures: Iterable<TimedPicture>, speed: number): Generator<TimedPicture> {
  for (const { atMs, picture } of pictures) yield { atMs: atMs / speed, picture };
}

/**
 * Returns an animation that begins later, and ends with what was before.
 *
 * @param offset of the new beginning, as a part of the duration, 0 to 1
 */
export function turned(pictures: readonly TimedPicture[], offset: number): TimedPicture[] {
  const [first] = pictures;
  if (first === undefined) return [];
  const durationMs = (pictures.at(-1)?.atMs ?? 0) + lastMs;
  const beginMs = durationMs * offset;
  const shown = pictures.findLast(({ atMs }) => atMs <= beginMs) ?? first;
  const later = pictures.filter(({ atMs }) => atMs > beginMs);
  const earlier = pictures.filter(({ atMs }) => atMs <= beginMs);
  return [
    { atMs: 0, picture: shown.picture },
    ...later.map(({ atMs, picture }) => ({ atMs: atMs - beginMs, picture })),
    ...earlier.map(({ atMs, picture }) => ({ atMs: atMs - beginMs + durationMs, picture })),
  ];
}
