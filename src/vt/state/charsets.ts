import { type Charset, charsetTables } from './charset-tables.ts';

/** The four designated character sets and which of them are in use (ECMA-35). */
export class Charsets {
  #designated: Charset[] = ['ascii', 'ascii', 'ascii', 'ascii'];
  #locked = 0;
  #lockedRight = 2;
  #single = -1;
  #translates = false;

  /** Whether {@link translate} may change anything. Printing checks this first. */
  get translates(): boolean {
    return this.#translates;
  }

  /** The set that SI, SO, LS2 or LS3 locked in, 0..3. */
  get locked(): number {
    return this.#locked;
  }

  /**
   * The set that LS1R, LS2R or LS3R locked in for bytes of 0xA0 and above, 0..3. It is only
   * reported, because output is UTF-8 and has no such bytes.
   */
  get lockedRight(): number {
    return this.#lockedRight;
  }

  /** The set that SS2 or SS3 selected for the next character only; -1 if none. */
  get single(): number {
    return this.#single;
  }

  /** The set of the next character, 0..3. */
  get current(): number {
    return this.#single >= 0 ? this.#single : this.#locked;
  }

  designated(set: number): Charset {
    return this.#designated[set];
  }

  designate(set: number, charset: Charset): void {
    this.#designated[set] = charset;
    this.#update();
  }

  lock(set: number): void {
    this.#locked = set;
    this.#update();
  }

  lockRight(set: number): void {
    this.#lockedRight = set;
  }

  shiftOnce(set: number): void {
    this.#single = set;
    this.#update();
  }

  /**
   * Translates a printed code point by the current set, which contains 0x7F if it has 96
   * characters. Ends a single shift.
   */
  translate(codePoint: number): number {
    const set = this.current;
    if (this.#single >= 0) this.shiftOnce(-1);
    return this.#characterIn(set, codePoint);
  }

  /** Returns the code point of a character that a program specifies by number (DECFRA). */
  characterAt(code: number): number {
    return this.#characterIn(this.#locked, code);
  }

  #characterIn(set: number, codePoint: number): number {
    return codePoint > 0x7f ? codePoint : charsetTables[this.#designated[set]][codePoint - 0x20];
  }

  /** Returns a copy for DECSC: everything except a single shift. */
  copy(): Charsets {
    const copy = new Charsets();
    copy.#designated = [...this.#designated];
    copy.#locked = this.#locked;
    copy.#lockedRight = this.#lockedRight;
    copy.#update();
    return copy;
  }

  #update(): void {
    this.#translates = this.#single >= 0 || this.#designated[this.#locked] !== 'ascii';
  }
}
