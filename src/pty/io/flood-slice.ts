import type { Disposable } from '#base';
import { timeSlice } from '#libc';
import { flow } from '#model';
import { type EventLoop, nodeLoop } from './read-scheduler.ts';

const { sliceMs, recentMs } = flow.loneFlood;

/**
 * The time slice of this process while one session floods and nothing else happens. A program, the kernel's worker and
 * the PTY host pass 4 KB on, one after the other; each of them would wait behind the daemon or the host for the rest of
 * its slice. With a longer slice than theirs, they interrupt it. It is the usual one when somebody types.
 */
export class FloodSlice {
  readonly #setMs: (ms: number) => void;
  readonly #loop: EventLoop;
  /** Ends the long slice; null while the slice is the usual one. */
  #timer: Disposable | null = null;
  /** When the flood had output last. */
  #atMs = 0;

  /** @param setMs sets the slice; 0: the default of the system */
  constructor(setMs: (ms: number) => void = timeSlice.set, loop: EventLoop = nodeLoop) {
    this.#setMs = setMs;
    this.#loop = loop;
  }

  /**
   * A session had output.
   *
   * @param isLoneFlood whether it floods, and no other session had input or output lately
   */
  output(isLoneFlood: boolean): void {
    if (!isLoneFlood) {
      this.end();
      return;
    }
    this.#atMs = this.#loop.nowMs();
    if (this.#timer !== null) return;
    this.#setMs(sliceMs);
    this.#endLater(recentMs);
  }

  /** Must be called when somebody types, and before a program is started, which would inherit the slice. */
  end(): void {
    if (this.#timer === null) return;
    this.#timer.dispose();
    this.#timer = null;
    this.#setMs(0);
  }

  #endLater(delayMs: number): void {
    this.#timer = this.#loop.after(delayMs, () => {
      const leftMs = this.#atMs + recentMs - this.#loop.nowMs();
      if (leftMs > 0) this.#endLater(leftMs);
      else this.end();
    });
  }
}

/** One per process: it has one thread of JavaScript. */
export const floodSlice = new FloodSlice();
