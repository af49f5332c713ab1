import type { Clock, Disposable } from '#base';

/** The pause between two frames, in ms: at most 60 a second. */
const frameMs = 16;

/** What accepts frames. */
interface FrameSink {
  /** Whether earlier output is still waiting. Once it is not, {@link FramePacer.resume} must be called. */
  readonly isBusy: () => boolean;
  /** Returns whether there was anything to send. */
  readonly sendFrame: () => boolean;
}

/**
 * Decides when a frame is sent: at once after a pause, then 16 ms after the one before. While the sink
 * is busy none is sent, so that the state waits and not its bytes.
 */
export class FramePacer {
  readonly #clock: Clock;
  readonly #sink: FrameSink;
  #lastMs = Number.NEGATIVE_INFINITY;
  #isWanted = false;
  #timer: Disposable | null = null;

  constructor(clock: Clock, sink: FrameSink) {
    this.#clock = clock;
    this.#sink = sink;
  }

  /** Something changed: a frame is sent as soon as it may be. */
  want(): void {
    this.#isWanted = true;
    if (this.#timer !== null || this.#sink.isBusy()) return;
    const leftMs = this.#lastMs + frameMs - this.#clock.nowMs();
    // What arrives in the same turn belongs to the same frame.
    if (leftMs <= 0) this.#timer = this.#clock.afterPendingIo(() => this.#due());
    else this.#timer = this.#clock.schedule(leftMs, () => this.#due());
  }

  /** The sink is not busy any more. */
  resume(): void {
    if (this.#isWanted) this.want();
  }

  dispose(): void {
    this.#isWanted = false;
    this.#timer?.dispose();
    this.#timer = null;
  }

  #due(): void {
    this.#timer = null;
    if (!this.#isWanted || this.#sink.isBusy()) return;
    this.#isWanted = false;
    const nowMs = this.#clock.nowMs();
    // A key changes nothing by itself: its echo, which comes next, must not wait.
    if (this.#sink.sendFrame()) this.#lastMs = nowMs;
  }
}
