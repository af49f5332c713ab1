/** More parameters than this are read over; no control function takes half as many. */
const maxParams = 32;
/** Every use of a parameter bounds it further, by the size of the screen or of a table. */
const maxValue = 0x7fffffff;
/** Above this another digit would not fit. */
const maxValueBeforeDigit = 214_748_363;
const omitted = -1;

/**
 * The parameters of a control sequence: numbers parted by `;`, each with subparameters parted by
 * `:` (ECMA-48 5.4.2). One object serves all sequences of a parser.
 */
export class Params {
  readonly #values = new Int32Array(maxParams).fill(omitted);
  #length = 1;
  /** A bit for each value that is a subparameter of the one before it. */
  #subs = 0;
  #overflown = false;

  /** Number of values, subparameters included; at least 1, for an empty list is one omitted value. */
  get length(): number {
    return this.#length;
  }

  /** Nothing has been written yet. */
  get isEmpty(): boolean {
    return this.#length === 1 && this.#values[0] === omitted;
  }

  clear(): void {
    this.#length = 1;
    this.#values[0] = omitted;
    this.#subs = 0;
    this.#overflown = false;
  }

  /** Appends the decimal digits from `start` on to the last value; returns where they end. */
  readDigits(bytes: Uint8Array, start: number, end: number): number {
    const last = this.#length - 1;
    let value = Math.max(0, this.#values[last]);
    let at = start;
    for (; at < end; at++) {
      const digit = bytes[at] - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value > maxValueBeforeDigit ? maxValue : value * 10 + digit;
    }
    if (!this.#overflown) this.#values[last] = value;
    return at;
  }

  /** Begins the next value, after `;`, or the next subparameter, after `:`. */
  next(isSub: boolean): void {
    if (this.#length === maxParams) {
      this.#overflown = true;
      return;
    }
    this.#values[this.#length] = omitted;
    if (isSub) this.#subs |= 1 << this.#length;
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
    return index < this.#length && (this.#subs & (1 << index)) !== 0;
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
