import type { Clock } from '#base';
import type { ReadTime } from '#pty';

/**
 * The time of the step that a session applies: when its output was read, if the pseudo-terminal
 * reports that, which can be long ago after a restart. Between steps, the present time.
 */
export class StepTime implements Pick<Clock, 'nowMs' | 'wallMs'> {
  readonly #clock: Clock;
  #readAt: ReadTime | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#readAt?.bootMs ?? this.#clock.nowMs();
  }

  wallMs(): number {
    return this.#readAt?.wallMs ?? this.#clock.wallMs();
  }

  /** Calls `apply` with a step that was read at that time. */
  during<T>(readAt: ReadTime | undefined, apply: () => T): T {
    this.#readAt = readAt ?? null;
    try {
      return apply();
    } finally {
      this.#readAt = null;
    }
  }

  /** Returns a time of day as a time of both clocks, in ms since 1970. */
  ofWallMs(wallMs: number): ReadTime {
    return { wallMs, bootMs: this.#clock.nowMs() - Math.max(0, this.#clock.wallMs() - wallMs) };
  }
}
