import type { PrintedText, Terminal } from '#vt';

/**
 * What observers ask of a terminal after each change, worked out once for all of them: a thousand
 * waits on a session that floods cost little more than one.
 */
export class Observation {
  readonly #terminal: Terminal;
  #printed: readonly PrintedText[] | null = null;
  #fingerprint: number | null = null;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** To be called whenever the terminal has changed. */
  renew(): void {
    this.#printed = null;
    this.#fingerprint = null;
  }

  printedText(): readonly PrintedText[] {
    this.#printed ??= [...this.#terminal.printedText()];
    return this.#printed;
  }

  fingerprint(): number {
    this.#fingerprint ??= this.#terminal.fingerprint();
    return this.#fingerprint;
  }
}
