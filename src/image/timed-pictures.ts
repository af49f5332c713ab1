import type { ScreenPicture } from './screen-picture.ts';

/** A picture and its time. */
export interface TimedPicture {
  readonly atMs: number;
  readonly picture: ScreenPicture;
}

/**
 * Returns the newest picture of each interval.
 *
 * @param minFrameMs pictures that follow each other faster are not shown; default about 30 a second
 */
export function* paced(pictures: Iterable<TimedPicture>, minFrameMs = 33): Generator<TimedPicture> {
  let next: TimedPicture | null = null;
  for (const each of pictures) {
    if (next !== null && each.atMs - next.atMs < minFrameMs) {
      next = { atMs: next.atMs, picture: each.picture };
      continue;
    }
    if (next !== null) yield next;
    next = each;
  }
  if (next !== null) yield next;
}
