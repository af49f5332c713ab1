/** A log that can do with less memory. */
export interface Shrinkable {
  /** Drops the oldest page. @returns whether there was one that nobody waits for */
  shrink(): boolean;
}

/** Limits the memory of all logs together. */
export class LogBudget {
  readonly #maxBytes: number;
  readonly #logs = new Map<Shrinkable, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Sets the memory that a log takes, in bytes. The largest logs shrink if it is too much. */
  set(log: Shrinkable, bytes: number): void {
    this.#bytes += bytes - (this.#logs.get(log) ?? 0);
    this.#logs.set(log, bytes);
    while (this.#bytes > this.#maxBytes && this.#largest()?.shrink());
  }

  delete(log: Shrinkable): void {
    this.#bytes -= this.#logs.get(log) ?? 0;
    this.#logs.delete(log);
  }

  #largest(): Shrinkable | undefined {
    let largest: Shrinkable | undefined;
    let most = 0;
    for (const [log, bytes] of this.#logs) {
      if (bytes <= most) continue;
      largest = log;
      most = bytes;
    }
    return largest;
  }
}
