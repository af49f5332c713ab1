import { type Clock, toDisposable } from '#base';

/** The time of frames and of escape sequences, which is short. */
export const ttyClock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  schedule(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
  afterPendingIo(run) {
    const immediate = setImmediate(run);
    return toDisposable(() => clearImmediate(immediate));
  },
};
