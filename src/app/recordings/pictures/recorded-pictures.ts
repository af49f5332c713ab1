import type { TimedPicture } from '#image';
import { type Size, VtrError } from '#model';
import type { Recording } from '#recording';
import { PlayingTime, Replay, type TimeRange } from '#replay';
import type { TerminalPictures } from './terminal-pictures.ts';

/** The last picture of an animation is shown for this time before it begins again, in ms. */
export const lastMs = 2_000;

/** The longest animation, in ms: a file has 30 pictures a second, or one each minute. */
const maxMs = 24 * 60 * 60 * 1000;

/**
 * Yields what a part of a recording shows, at the times at which it is played, in ms since the beginning
 * of the part. The last picture comes again at the end of the part.
 *
 * @param idleLimitMs pauses are shortened to it; null keeps them
 * @throws VtrError INVALID_ARGUMENT if it would be longer than a day
 */
export function* recordedPictures(
  recording: Recording,
  range: Required<TimeRange>,
  pictures: TerminalPictures,
  idleLimitMs: number | null,
): Generator<TimedPicture> {
  const time = new PlayingTime(recording.events, idleLimitMs);
  const fromMs = time.playedMs(range.fromMs);
  const totalMs = time.playedMs(range.toMs) - fromMs;
  if (totalMs > maxMs) throw tooLong(totalMs);
  let picture: TimedPicture['picture'] | null = null;
  for (const { atMs, terminal } of new Replay(recording).steps(range)) {
    picture = pictures.of(terminal);
    yield { atMs: time.playedMs(atMs) - fromMs, picture };
  }
  if (picture !== null) yield { atMs: totalMs, picture };
}

const tooLong = (ms: number): VtrError =>
  new VtrError(
    'INVALID_ARGUMENT',
    `the animation would last ${Math.round(ms / 3_600_000)} hours, and at most 24 are possible; shorten pauses with --idle, or choose a part with --select`,
  );

/** Returns the smallest size that contains all that a part of a recording has. */
export function largestSize(
  { header, events }: Recording,
  { fromMs, toMs }: Required<TimeRange>,
): Size {
  let { cols, rows } = header.size;
  for (const event of events) {
    if (event.type !== 'resize' || event.atMs > toMs) continue;
    const { size, atMs } = event;
    const isBefore = atMs <= fromMs;
    cols = isBefore ? size.cols : Math.max(cols, size.cols);
    rows = isBefore ? size.rows : Math.max(rows, size.rows);
  }
  return { cols, rows };
}
