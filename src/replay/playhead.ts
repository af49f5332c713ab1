import type { Clock } from '#base';
import type { PlayingTime } from './playing-time.ts';

/** Where a recording is played: a time that goes on with the clock, or stands still. */
export class Playhead {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #time: PlayingTime;
  readonly #durationMs: number;
  #isPlaying = true;
  #speed: number;
  /** A time of the playing, and when the clock had it. */
  #playedMs: number;
  #sinceMs: number;

  /**
   * @param durationMs of the recording
   * @param speed 2 is twice as fast
   * @param atMs of the recording
   */
  constructor(
    clock: Pick<Clock, 'nowMs'>,
    time: PlayingTime,
    durationMs: number,
    speed: number,
    atMs: number,
  ) {
    this.#clock = clock;
    this.#time = time;
    this.#durationMs = durationMs;
    this.#speed = speed;
    this.#playedMs = time.playedMs(atMs);
    this.#sinceMs = clock.nowMs();
  }

  get isPlaying(): boolean {
    return this.#isPlaying;
  }

  get speed(): number {
    return this.#speed;
  }

  /** The time of the recording, in ms. */
  get atMs(): number {
    return Math.min(this.#durationMs, this.#time.recordedMs(this.playedMs));
  }

  /** The time of the playing, in ms: without pauses that are left out. */
  get playedMs(): number {
    const goneMs = this.#isPlaying ? (this.#clock.nowMs() - this.#sinceMs) * this.#speed : 0;
    return Math.min(this.totalMs, this.#playedMs + goneMs);
  }

  /** How long the playing is at normal speed, in ms. */
  get totalMs(): number {
    return this.#time.playedMs(this.#durationMs);
  }

  get isAtEnd(): boolean {
    return this.playedMs >= this.totalMs;
  }

  /** Returns how long it takes until a time of the recording is played, in ms of the clock. */
  delayMs(atMs: number): number {
    return Math.max(0, this.#time.playedMs(atMs) - this.playedMs) / this.#speed;
  }

  setPlaying(isPlaying: boolean): void {
    this.#moveTo(this.playedMs);
    this.#isPlaying = isPlaying;
  }

  setSpeed(speed: number): void {
    this.#moveTo(this.playedMs);
    this.#speed = speed;
  }

  /** @param atMs of the recording */
  seek(atMs: number): void {
    this.#moveTo(this.#time.playedMs(atMs));
  }

  /** @param playedMs of the playing; a time outside of it is its beginning or its end */
  seekPlayed(playedMs: number): void {
    this.#moveTo(playedMs);
  }

  #moveTo(playedMs: number): void {
    this.#playedMs = Math.max(0, Math.min(this.totalMs, playedMs));
    this.#sinceMs = this.#clock.nowMs();
  }
}
