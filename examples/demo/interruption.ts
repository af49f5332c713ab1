import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Somebody wants the demo to end: by a signal, or by closing what reads it (`npm start | head`). That
 * cancels what the demo waits for. Further signals change nothing: npm passes on what the terminal
 * has sent already, and ending is a matter of seconds.
 */
export class Interruption {
  readonly #controller = new AbortController();
  #exitStatus: number | null = null;

  constructor() {
    for (const signal of signals) process.on(signal, () => this.#interrupt(signal));
    process.stdout.on('error', () => this.#interrupt('SIGPIPE'));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** As a shell reports a program that a signal ended; null while nobody has interrupted. */
  get exitStatus(): number | null {
    return this.#exitStatus;
  }

  #interrupt(signal: NodeJS.Signals): void {
    this.#exitStatus ??= 128 + constants.signals[signal];
    this.#controller.abort();
  }
}
