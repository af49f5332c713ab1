import { constants } from 'node:os';
import { isatty } from 'node:tty';

/** The signals that ask a process to end. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Waits for a signal that ends vtr, so that it can clean up first. A second signal ends it at once. */
export class StopSignals {
  readonly received: Promise<NodeJS.Signals>;
  readonly #dispose: () => void;

  constructor(signals: readonly NodeJS.Signals[] = stopSignals) {
    const terminals = [0, 1, 2].filter((fd) => isatty(fd));
    let onSignal = (_signal: NodeJS.Signals) => {};
    this.#dispose = () => {
      for (const name of signals) process.off(name, onSignal);
    };
    this.received = new Promise((resolve) => {
      onSignal = (signal) => {
        this.#dispose();
        if (signal === 'SIGHUP') process.once('exit', () => endHungUp(terminals));
        resolve(signal);
      };
      for (const name of signals) process.on(name, onSignal);
    });
  }

  dispose(): void {
    this.#dispose();
  }
}

/** Node aborts at its exit if it cannot restore a terminal that has gone: the signal ends the process before. */
function endHungUp(terminals: readonly number[]): void {
  if (terminals.some((fd) => !isatty(fd))) process.kill(process.pid, 'SIGHUP');
}

/** As in shells: 128 + n for signal n. */
export const signalStatus = (signal: string): number =>
  128 + ((constants.signals as Readonly<Record<string, number>>)[signal] ?? unnamedNumber(signal));

/** The number of a signal that Node.js has no name for: `SIGRTMIN+2` or `SIG32`. */
function unnamedNumber(signal: string): number {
  const firstRealTime = 34;
  const [, isRealTime, number = 0] = /^SIG(RTMIN\+)?(\d+)$/.exec(signal) ?? [];
  return Number(number) + (isRealTime === undefined ? 0 : firstRealTime);
}
