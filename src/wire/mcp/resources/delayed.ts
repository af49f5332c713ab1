/**
 * How long changes are gathered before they are told, in ms: who hears of each reads again for each,
 * and a program that draws changes a hundred times a second.
 */
const gatherMs = 200;

/** Tells of things that change often: of each at most once in {@link gatherMs}, and of its last change. */
export class Delayed<T> {
  readonly #tell: (thing: T) => void;
  readonly #timers = new Map<T, NodeJS.Timeout>();

  constructor(tell: (thing: T) => void) {
    this.#tell = tell;
  }

  changed(thing: T): void {
    if (this.#timers.has(thing)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(thing);
      this.#tell(thing);
    }, gatherMs);
    this.#timers.set(thing, timer);
  }

  forget(thing: T): void {
    clearTimeout(this.#timers.get(thing));
    this.#timers.delete(thing);
  }

  clear(): void {
    for (const thing of this.#timers.keys()) this.forget(thing);
  }
}
