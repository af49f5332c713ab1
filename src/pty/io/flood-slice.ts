import type { Disposable } from '#base';
import { timeSlice } from '#libc';
import { flow } from '#model';
import { type EventLoop, nodeLoop } from './read-scheduler.ts';

const { sliceMs, recentMs, typedMs } = flow.loneFlood;

/**
 * The time slice of this process while one session floods and nothing else happens. A program, the kernel's worker and
 * the PTY host pass 4 KB on, one after the other; each of them would wait behind the daemon or the host for the rest of
 * its slice. With a longer slice than theirs, they interrupt it. So does everybody else: on a busy machine a key would wait
 * longer, hence it is the usual one while somebody types to another session.
 */
export class FloodSlice {
  readonly #setMs: (ms: number) => void;
  readonly #loop: EventLoop;
  /** Ends the long slice; null while the slice is the usual one. */
  #timer: Disposable | null = null;
  /** When the flood had output last. */
  #atMs = 0;
  /** The session that somebody typed to last, and when. */
  #typedTo = { session: 0, atMs: Number.NEGATIVE_INFINITY };

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
  output(session: number, isLoneFlood: boolean): void {
    if (!isLoneFlood || this.#isTypedBeside(session)) {
      this.end();
      return;
    }
    this.#atMs = this.#loop.nowMs();
    if (this.#timer !== null) return;
    this.#setMs(sliceMs);
    this.#endLater(recentMs);
  }

  /** Must be called when somebody types to a session. */
  typed(session: number): void {
    this.#typedTo = { session, atMs: this.#loop.nowMs() };
    this.end();
  }

  /** Must be called before a program is started, which would inherit the slice. */
  end(): void {
    if (this.#timer === null) return;
    this.#timer.dispose();
    this.#timer = null;
    this.#setMs(0);
  }

  #isTypedBeside(flood: number): boolean {
    const { session, atMs } = this.#typedTo;
    return session !== flood && this.#loop.nowMs() - atMs < typedMs;
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
