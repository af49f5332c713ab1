/** More parameters than this are read over; no control function takes half as many. */
const maxParams = 32;
/** Every use of a parameter bounds it further, by the size of the screen or of a table. */
const maxValue = 0x7fffffff;
const omitted = -1;

/**
 * The parameters of a control sequence: numbers parted by `;`, each with subparameters parted by
 * `:` (ECMA-48 5.4.2). One object serves all sequences of a parser.
 */
export class Params {
  readonly #values = new Int32Array(maxParams);
  /** 1 where the value is a subparameter of the one before it. */
  readonly #isSub = new Uint8Array(maxParams);
  #length = 1;
  #overflown = false;

  constructor() {
    this.clear();
  }

  /** Number of values, subparameters included; at least 1, for an empty list is one omitted value. */
  get length(): number {
    return this.#length;
  }

  clear(): void {
    this.#length = 1;
    this.#values[0] = omitted;
    this.#isSub[0] = 0;
    this.#overflown = false;
  }

  /** Appends a decimal digit, 0..9, to the last value. */
  digit(digit: number): void {
    if (this.#overflown) return;
    const last = this.#length - 1;
    const value = this.#values[last];
    this.#values[last] = value < 0 ? digit : Math.min(value * 10 + digit, maxValue);
  }

  /** Begins the next value, after `;`, or the next subparameter, after `:`. */
  next(isSub: boolean): void {
    if (this.#length === maxParams) {
      this.#overflown = true;
      return;
    }
    this.#values[this.#length] = omitted;
    this.#isSub[this.#length] = isSub ? 1 : 0;
    this.#length++;
  }

  /** The value at `index`, or `fallback` where it is omitted or there are not as many. */
  get(index: number, fallback = 0): number {
    if (index >= this.#length) return fallback;
    const value = this.#values[index];
    return value < 0 ? fallback : value;
  }

  /** As {@link get}, for a count: omitted and 0 mean 1. */
  count(index: number): number {
    return this.get(index) || 1;
  }

  isSub(index: number): boolean {
    return index < this.#length && this.#isSub[index] === 1;
  }

  /** The list as it is written in a sequence. */
  toString(): string {
    let text = '';
    for (let index = 0; index < this.#length; index++) {
      if (index > 0) text += this.isSub(index) ? ':' : ';';
      if (this.#values[index] >= 0) text += this.#values[index];
    }
    return text;
  }
}
