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
export const charsetTables: Readonly<Record<Charset, Uint32Array>> = {
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
