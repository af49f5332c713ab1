import type { RecordedEvent } from '#recording';

/**
 * The time of a recording as it is played: without the part of each pause that exceeds a limit. The
 * recording itself keeps its times.
 */
export class PlayingTime {
  /** The times of the events after a pause that is shortened, and when they are played. */
  readonly #recorded: number[] = [0];
  readonly #played: number[] = [0];
  readonly #idleLimitMs: number;

  /** @param idleLimitMs null keeps all pauses */
  constructor(events: readonly RecordedEvent[], idleLimitMs: number | null) {
    this.#idleLimitMs = idleLimitMs ?? Number.POSITIVE_INFINITY;
    let beforeMs = 0;
    let leftOutMs = 0;
    for (const { atMs } of events) {
      const excessMs = atMs - beforeMs - this.#idleLimitMs;
      beforeMs = atMs;
      if (excessMs <= 0) continue;
      leftOutMs += excessMs;
      this.#recorded.push(atMs);
      this.#played.push(atMs - leftOutMs);
    }
  }

  /** Returns when a time of the recording is played. A pause that is left out is played at its end. */
  playedMs(recordedMs: number): number {
    const index = lastUpTo(this.#recorded, recordedMs);
    const playedMs = this.#playedAt(index) + recordedMs - this.#recordedAt(index);
    return Math.min(playedMs, this.#played[index + 1] ?? playedMs);
  }

  /** Returns which time of the recording is played at a time. */
  recordedMs(playedMs: number): number {
    const index = lastUpTo(this.#played, playedMs);
    return this.#recordedAt(index) + playedMs - this.#playedAt(index);
  }

  #recordedAt(index: number): number {
    return this.#recorded[index] as number;
  }

  #playedAt(index: number): number {
    return this.#played[index] as number;
  }
}

/** Returns the index of the last number up to a limit, at least 0. */
function lastUpTo(ascending: readonly number[], limit: number): number {
  let low = 1;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
