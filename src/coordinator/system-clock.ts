import { type Clock, toDisposable } from '#base';

/** Timers of Node hold at most so much; longer ones fire at once, so they are made of several. */
const maxTimerMs = 2 ** 31 - 1;

/** The time of this machine. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  schedule(delayMs, run) {
    let timer: NodeJS.Timeout;
    const start = (leftMs: number): void => {
      const partMs = Math.min(Math.max(0, leftMs), maxTimerMs);
      timer = setTimeout(() => (leftMs > partMs ? start(leftMs - partMs) : run()), partMs);
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
