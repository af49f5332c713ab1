import type { RecordedEvent } from '#recording';

interface Place {
  readonly isPlaying: boolean;
  /** 2 is twice as fast. */
  readonly speed: number;
  /** A time of the playing, and when the clock had it, in ms. */
  readonly playedMs: number;
  readonly sinceMs: number;
}

/**
 * Where a recording is played: a time that goes on with the clock, or stands still. A value: what moves it
 * returns another one. `nowMs` is the time of any clock, but always of the same one.
 */
export class Playhead {
  readonly #time: PlayingTime;
  readonly #durationMs: number;
  readonly #place: Place;

  /**
   * @param durationMs of the recording
   * @param place by default: plays at normal speed from the beginning, at the clock's time 0
   */
  constructor(time: PlayingTime, durationMs: number, place: Partial<Place> = {}) {
    this.#time = time;
    this.#durationMs = durationMs;
    this.#place = { isPlaying: true, speed: 1, playedMs: 0, sinceMs: 0, ...place };
  }

  get isPlaying(): boolean {
    return this.#place.isPlaying;
  }

  get speed(): number {
    return this.#place.speed;
  }

  /** How long the playing is at normal speed, in ms. */
  get totalMs(): number {
    return this.#time.playedMs(this.#durationMs);
  }

  /** Returns the time of the recording, in ms. */
  atMs(nowMs: number): number {
    return Math.min(this.#durationMs, this.#time.recordedMs(this.playedMs(nowMs)));
  }

  /** Returns the time of the playing, in ms: without pauses that are left out. */
  playedMs(nowMs: number): number {
    const { isPlaying, speed, playedMs, sinceMs } = this.#place;
    return Math.min(this.totalMs, playedMs + (isPlaying ? (nowMs - sinceMs) * speed : 0));
  }

  isAtEnd(nowMs: number): boolean {
    return this.playedMs(nowMs) >= this.totalMs;
  }

  /** Returns how long it takes until a time of the recording is played, in ms of the clock. */
  delayMs(atMs: number, nowMs: number): number {
    return Math.max(0, this.#time.playedMs(atMs) - this.playedMs(nowMs)) / this.#place.speed;
  }

  playing(isPlaying: boolean, nowMs: number): Playhead {
    return this.#with({ isPlaying }, this.playedMs(nowMs), nowMs);
  }

  withSpeed(speed: number, nowMs: number): Playhead {
    return this.#with({ speed }, this.playedMs(nowMs), nowMs);
  }

  /** @param atMs of the recording */
  seek(atMs: number, nowMs: number): Playhead {
    return this.#with({}, this.#time.playedMs(atMs), nowMs);
  }

  /** @param playedMs of the playing; a time outside of it is its beginning or its end */
  seekPlayed(playedMs: number, nowMs: number): Playhead {
    return this.#with({}, playedMs, nowMs);
  }

  #with(change: Partial<Place>, ms: number, sinceMs: number): Playhead {
    const playedMs = Math.max(0, Math.min(this.totalMs, ms));
    const place = { ...this.#place, ...change, playedMs, sinceMs };
    return new Playhead(this.#time, this.#durationMs, place);
  }
}

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
