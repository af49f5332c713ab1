/** Entries by name, so many at most: those that were not touched for longest are forgotten first. */
export class Recent<V> {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, V>();

  /** @param maxEntries 1 and up */
  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** Without touching it. */
  get(name: string): V | undefined {
    return this.#entries.get(name);
  }

  /** Makes it the newest. */
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
