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

/** The character sets that can be designated as G0..G3. */
export type Charset =
  | 'ascii'
  | 'lineDrawing'
  | 'technical'
  | 'supplemental'
  | 'preferred'
  | 'latin1'
  | 'british'
  | 'dutch'
  | 'finnish'
  | 'french'
  | 'frenchCanadian'
  | 'german'
  | 'italian'
  | 'norwegian'
  | 'portuguese'
  | 'spanish'
  | 'swedish'
  | 'swiss';

const firstCode = 0x20;

/** Shown where a set has no character: SYMBOL FOR SUBSTITUTE FORM TWO, as on DEC terminals. */
const none = '␦';

/** DEC Special Graphics, for 0x5F..0x7E (VT100 user guide, table 3-9). */
const lineDrawing = ' ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·';

/**
 * DEC Technical, for 0x21..0x7E (VT330 manual, figure 2-5). Characters that are not in Unicode are
 * {@link none}.
 */
const technical = [
  '⎷┌─⌠⌡│⎡⎣⎤⎦⎛⎝⎞⎠⎨',
  `⎬${none.repeat(11)}≤≠≥∫`,
  '∴∝∞÷Δ∇ΦΓ∼≃Θ×Λ⇔⇒≡',
  `ΠΨ${none}Σ${none}${none}√ΩΞΥ⊂⊃∩∪∧∨`,
  `¬αβχδεφγηιθκλ${none}ν∂`,
  `πψρστ${none}ƒωξυζ←↑→↓`,
].join('');

/** DEC Supplemental Graphics, for 0x21..0x7E (VT220 manual, table 2-3). */
const supplemental = [
  `¡¢£${none}¥${none}§¤©ª«${none.repeat(4)}`,
  `°±²³${none}µ¶·${none}¹º»¼½${none}¿`,
  'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ',
  `${none}ÑÒÓÔÕÖŒØÙÚÛÜŸ${none}ß`,
  'àáâãäåæçèéêëìíîï',
  `${none}ñòóôõöœøùúûüÿ${none}`,
].join('');

const replaceable = [...'#@[\\]^_`{|}~'];

/**
 * Returns a national set, which replaces the characters {@link replaceable} (VT510 manual, table
 * 5-8).
 */
function national(replacements: string): Uint32Array {
  const table = ascii();
  for (const [index, character] of [...replacements].entries()) {
    table[replaceable[index].charCodeAt(0) - firstCode] = character.codePointAt(0) as number;
  }
  return table;
}

function ascii(): Uint32Array {
  return Uint32Array.from({ length: 96 }, (_, index) => firstCode + index);
}

/** Returns ASCII with other characters from `first` on. */
function graphics(first: number, characters: string): Uint32Array {
  const table = ascii();
  table.set(
    Array.from(characters, (character) => character.codePointAt(0) as number),
    first - firstCode,
  );
  return table;
}

/** The code points for 0x20..0x7F. */
const charsetTables: Readonly<Record<Charset, Uint32Array>> = {
  ascii: ascii(),
  lineDrawing: graphics(0x5f, lineDrawing),
  technical: graphics(0x21, technical),
  supplemental: graphics(0x21, supplemental),
  preferred: graphics(0x21, supplemental),
  latin1: ascii().map((codePoint) => codePoint + 0x80),
  british: national('£@[\\]^_`{|}~'),
  dutch: national('£¾ĳ½|^_`¨ƒ¼´'),
  finnish: national('#@ÄÖÅÜ_éäöåü'),
  french: national('£à°ç§^_`éùè¨'),
  frenchCanadian: national('#àâçêî_ôéùèû'),
  german: national('#§ÄÖÜ^_`äöüß'),
  italian: national('£§°çé^_ùàòèì'),
  norwegian: national('#ÄÆØÅÜ_äæøåü'),
  portuguese: national('#@ÃÇÕ^_`ãçõ~'),
  spanish: national('£§¡Ñ¿^_`°ñç~'),
  swedish: national('#ÉÄÖÅÜ_éäöåü'),
  swiss: national('ùàéçêîèôäöüû'),
};
