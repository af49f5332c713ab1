/** Pseudorandom numbers, the same for the same seed, so that a payload never changes. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 and up, below 1. A Weyl sequence through an integer hash. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let hash = this.#state;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)] as T;
  }

  /** True in `share` of the cases. @param share 0..1 */
  chance(share: number): boolean {
    return this.next() < share;
  }
}
