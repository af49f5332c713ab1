/** A bounded map. The least recently touched entries are dropped first. */
export class Recent<V> {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, V>();

  /** @param maxEntries 1 and up */
  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** Does not touch the entry. */
  get(name: string): V | undefined {
    return this.#entries.get(name);
  }

  /** Sets the entry and makes it the newest. */
  touch(name: string, value: V): V {
    this.#entries.delete(name);
    this.#entries.set(name, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.forget(oldest);
    return value;
  }

  forget(name: string): void {
    this.#entries.delete(name);
  }
}
