import { type Clock, toDisposable } from '#base';

/** Timers of Node hold at most so much; longer ones fire at once, so they are made of several. */
const maxTimerMs = 2 ** 31 - 1;

/** The time of this machine. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  schedule(delayMs, run) {
    const dueMs = performance.now() + delayMs;
    let timer: NodeJS.Timeout;
    const start = (leftMs: number): void => {
      timer = setTimeout(look, Math.min(Math.max(0, Math.ceil(leftMs)), maxTimerMs));
    };
    // A timer counts from the time at which its turn of the loop began, in whole ms: it may be early.
    const look = (): void => {
      const leftMs = dueMs - performance.now();
      if (leftMs > 0) start(leftMs);
      else run();
    };
    start(delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
  afterPendingIo(run) {
    // The first comes after the poll for I/O of this turn, the second after that of the next.
    let immediate = setImmediate(() => {
      immediate = setImmediate(run);
    });
    return toDisposable(() => clearImmediate(immediate));
  },
};
