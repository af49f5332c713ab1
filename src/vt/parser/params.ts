/** Further parameters are ignored. No control function has half as many. */
const maxParams = 32;
/** Each use of a parameter limits it further, to the size of the screen or of a table. */
const maxValue = 0x7fffffff;
/** A value above this cannot take another digit without exceeding {@link maxValue}. */
const maxValueBeforeDigit = 214_748_363;
/** A number with this many digits is always below {@link maxValue}. */
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
 * The parameters of a control sequence: numbers separated by `;`, each with optional subparameters
 * separated by `:` (ECMA-48 5.4.2). A parser reuses one object for all sequences.
 */
export class Params {
  readonly #values = new Int32Array(maxParams).fill(omitted);
  #length = 1;
  /** One bit per value: whether it is a subparameter of the value before it. */
  #subs = 0;
  #overflown = false;

  /**
   * Number of values, subparameters included; at least 1, because an empty list is one omitted
   * value.
   */
  get length(): number {
    return this.#length;
  }

  /** Whether no parameter has been read. */
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
   * Replaces the contents with a list of numbers separated by `;`. Returns where the list ends.
   * Stops early at subparameters, at numbers of more than 9 digits and after 32 parameters; the
   * caller must then parse the list again with {@link read}.
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

  /** Reads digits, `;` and `:`. Returns where they end. */
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
    // The digits after the last parameter that fits do not belong to it.
    return this.#overflown ? skipParams(bytes, at, end) : at;
  }

  /** The value at `index`, or `fallback` if it is omitted or missing. */
  get(index: number, fallback = 0): number {
    if (index >= this.#length) return fallback;
    const value = this.#values[index];
    return value < 0 ? fallback : value;
  }

  /** Like {@link get}, for a count: omitted and 0 mean 1. */
  count(index: number): number {
    return this.get(index) || 1;
  }

  /** Whether any value is a subparameter. */
  get hasSubs(): boolean {
    return this.#subs !== 0;
  }

  isSub(index: number): boolean {
    return index < this.#length && (this.#subs & (1 << index)) !== 0;
  }

  /** The list as it is written in a sequence. Parsing it gives the same list. */
  toString(): string {
    let text = '';
    for (let index = 0; index < this.#length; index++) {
      if (index > 0) text += this.isSub(index) ? ':' : ';';
      if (this.#values[index] >= 0) text += this.#values[index];
    }
    return this.#overflown ? `${text};` : text;
  }
}
