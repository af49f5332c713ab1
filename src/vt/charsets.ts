/** What G0..G3 hold. The letters are the final bytes of the designating sequence (SCS). */
export type Charset = 'ascii' | 'lineDrawing' | 'british';

/** DEC Special Graphics, for the bytes 0x5F..0x7E (VT100 user guide, table 3-9). */
const lineDrawing = [...' ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·'].map(
  (character) => character.codePointAt(0) as number,
);
const firstLineDrawing = 0x5f;
const poundSign = 0xa3;

/** The four designated character sets and the one that is in use (ECMA-35). */
export class Charsets {
  #designated: Charset[] = ['ascii', 'ascii', 'ascii', 'ascii'];
  #locked = 0;
  #single = -1;
  #translates = false;

  /** Whether {@link translate} may change anything: printing asks this first. */
  get translates(): boolean {
    return this.#translates;
  }

  /** The set that SI, SO, LS2 or LS3 locked in, 0..3. */
  get locked(): number {
    return this.#locked;
  }

  /** The set that SS2 or SS3 calls for the next character only; -1 for none. */
  get single(): number {
    return this.#single;
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

  shiftOnce(set: number): void {
    this.#single = set;
    this.#update();
  }

  /** The code point for one that is printed; sets are of ASCII's size. Ends a single shift. */
  translate(byte: number): number {
    const set = this.#single >= 0 ? this.#single : this.#locked;
    if (this.#single >= 0) this.shiftOnce(-1);
    if (byte > 0x7e) return byte;
    switch (this.#designated[set]) {
      case 'lineDrawing':
        return byte >= firstLineDrawing ? lineDrawing[byte - firstLineDrawing] : byte;
      case 'british':
        return byte === 0x23 ? poundSign : byte;
      default:
        return byte;
    }
  }

  /** What DECSC saves: all but a single shift. */
  copy(): Charsets {
    const copy = new Charsets();
    copy.#designated = [...this.#designated];
    copy.#locked = this.#locked;
    copy.#update();
    return copy;
  }

  #update(): void {
    this.#translates = this.#single >= 0 || this.#designated[this.#locked] !== 'ascii';
  }
}
