import { constants } from 'node:os';

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Asks to be told of the signals that end a command, so that it can clean up. A second one ends it
 * as ever.
 */
export class StopSignals {
  /** Resolves with the first signal. */
  readonly received: Promise<NodeJS.Signals>;
  readonly #dispose: () => void;

  constructor() {
    let onSignal = (_signal: NodeJS.Signals) => {};
    this.#dispose = () => {
      for (const name of names) process.off(name, onSignal);
    };
    this.received = new Promise((resolve) => {
      onSignal = (signal) => {
        this.#dispose();
        resolve(signal);
      };
      for (const name of names) process.on(name, onSignal);
    });
  }

  dispose(): void {
    this.#dispose();
  }
}

/** As shells have it: 128 + n for signal n. */
export const signalStatus = (signal: string): number =>
  128 + ((constants.signals as Readonly<Record<string, number>>)[signal] ?? 0);
