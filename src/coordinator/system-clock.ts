import { type Clock, machineMs, toDisposable } from '#base';

/** The longest timer of Node. Longer ones would fire at once, so they are split into several. */
const maxTimerMs = 2 ** 31 - 1;

/** The clock of the system. A host in another process takes the times of output from it, too. */
export const systemClock: Clock = {
  nowMs: machineMs,
  wallMs: () => Date.now(),
  schedule(delayMs, run) {
    const dueMs = machineMs() + delayMs;
    let timer: NodeJS.Timeout;
    const start = (leftMs: number): void => {
      timer = setTimeout(check, Math.min(Math.max(0, Math.ceil(leftMs)), maxTimerMs));
    };
    // A timer counts from the start of its iteration of the event loop, in whole ms: it may fire
    // early.
    const check = (): void => {
      const leftMs = dueMs - machineMs();
      if (leftMs > 0) start(leftMs);
      else run();
    };
    start(delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
  afterPendingIo(run) {
    // The first runs after the poll phase of this iteration, the second after that of the next.
    let immediate = setImmediate(() => {
      immediate = setImmediate(run);
    });
    return toDisposable(() => clearImmediate(immediate));
  },
};
