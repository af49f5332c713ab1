/** More parameters than this are read over; no control function takes half as many. */
const maxParams = 32;
/** Every use of a parameter bounds it further, by the size of the screen or of a table. */
const maxValue = 0x7fffffff;
/** Above this another digit would not fit. */
const maxValueBeforeDigit = 214_748_363;
/** Numbers of so many digits are always below that. */
const maxPlainDigits = 9;
const omitted = -1;
const colon = 0x3a;
const semicolon = 0x3b;

function withDigit(value: number, digit: number): number {
  if (value < 0) return digit;
  return value > maxValueBeforeDigit ? maxValue : value * 10 + digit;
}

function skipParams(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] >= 0x30 && bytes[at] <= semicolon) at++;
  return at;
}

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

  /**
   * Reads a list of numbers parted by `;` in place of what there was; returns where it ends. That is
   * too early where the list is not as nearly all are: subparameters, huge numbers, too many of them.
   */
  readPlain(bytes: Uint8Array, start: number, end: number): number {
    const values = this.#values;
    let last = 0;
    let at = start;
    for (; ; at++) {
      const first = at;
      let value = 0;
      for (; at < end; at++) {
        const digit = bytes[at] - 0x30;
        if (digit < 0 || digit > 9) break;
        value = value * 10 + digit;
      }
      if (at - first > maxPlainDigits) return first;
      values[last] = at === first ? omitted : value;
      if (at === end || bytes[at] !== semicolon || last === maxParams - 1) break;
      last++;
    }
    this.#length = last + 1;
    this.#subs = 0;
    this.#overflown = false;
    return at;
  }

  /** Reads digits and the `;` and `:` between them; returns where they end. */
  read(bytes: Uint8Array, start: number, end: number): number {
    const values = this.#values;
    let last = this.#length - 1;
    let value = values[last];
    let at = start;
    for (; at < end && !this.#overflown; at++) {
      const byte = bytes[at];
      if (byte < 0x30 || byte > semicolon) break;
      if (byte < colon) value = withDigit(value, byte - 0x30);
      else if (last === maxParams - 1) this.#overflown = true;
      else {
        values[last++] = value;
        value = omitted;
        if (byte === colon) this.#subs |= 1 << last;
      }
    }
    values[last] = value;
    this.#length = last + 1;
    // What comes after the last that there is room for must not be taken for it.
    return this.#overflown ? skipParams(bytes, at, end) : at;
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

  /** Whether there are subparameters. */
  get hasSubs(): boolean {
    return this.#subs !== 0;
  }

  isSub(index: number): boolean {
    return index < this.#length && (this.#subs & (1 << index)) !== 0;
  }

  /** The list as it is written in a sequence; read again, it gives the same. */
  toString(): string {
    let text = '';
    for (let index = 0; index < this.#length; index++) {
      if (index > 0) text += this.isSub(index) ? ':' : ';';
      if (this.#values[index] >= 0) text += this.#values[index];
    }
    return this.#overflown ? `${text};` : text;
  }
}
