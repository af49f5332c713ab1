import { type Clock, toDisposable } from '#base';

/** Timers of Node hold at most so much; longer ones fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** The time of this machine. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  schedule(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, delayMs), maxTimerMs));
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
