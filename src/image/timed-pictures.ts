import type { ScreenPicture } from './screen-picture.ts';

/** A picture and its time. */
export interface TimedPicture {
  readonly atMs: number;
  readonly picture: ScreenPicture;
}

/** Pictures that follow each other faster are not shown, in ms: about 30 a second. */
const minFrameMs = 33;

/** Returns the newest picture of each interval. */
export function* paced(pictures: Iterable<TimedPicture>): Generator<TimedPicture> {
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
