import type { Charset } from '../state/charset-tables.ts';
import { type ControlFunction, esc } from './control-function.ts';

/**
 * A character set and the final characters that designate it, after the intermediate that selects
 * G0 to G3.
 */
interface Designation {
  readonly charset: Charset;
  readonly meaning: string;
  /** The first one is used in reports and dumps. */
  readonly finals: readonly string[];
}

/** Sets of 94 characters. */
const charsets94: readonly Designation[] = [
  { charset: 'ascii', meaning: 'ASCII', finals: ['B'] },
  { charset: 'lineDrawing', meaning: 'DEC line drawing', finals: ['0'] },
  { charset: 'technical', meaning: 'DEC Technical', finals: ['>'] },
  { charset: 'supplemental', meaning: 'DEC Supplemental', finals: ['% 5'] },
  {
    charset: 'preferred',
    meaning: 'the user-preferred set, always DEC Supplemental',
    finals: ['<'],
  },
  { charset: 'british', meaning: 'British, with a pound sign for #', finals: ['A'] },
  { charset: 'dutch', meaning: 'Dutch', finals: ['4'] },
  { charset: 'finnish', meaning: 'Finnish', finals: ['C', '5'] },
  { charset: 'french', meaning: 'French', finals: ['R', 'f'] },
  { charset: 'frenchCanadian', meaning: 'French Canadian', finals: ['Q', '9'] },
  { charset: 'german', meaning: 'German', finals: ['K'] },
  { charset: 'italian', meaning: 'Italian', finals: ['Y'] },
  { charset: 'norwegian', meaning: 'Norwegian and Danish', finals: ['`', 'E', '6'] },
  { charset: 'portuguese', meaning: 'Portuguese', finals: ['% 6'] },
  { charset: 'spanish', meaning: 'Spanish', finals: ['Z'] },
  { charset: 'swedish', meaning: 'Swedish', finals: ['H', '7'] },
  { charset: 'swiss', meaning: 'Swiss', finals: ['='] },
];

/** Sets of 96 characters, which cannot be designated as G0. */
const charsets96: readonly Designation[] = [
  { charset: 'latin1', meaning: 'ISO Latin-1', finals: ['A'] },
];

/** The intermediates of SCS, for G0 to G3. */
const designators94 = ['(', ')', '*', '+'];
const designators96 = ['', '-', '.', '/'];

const written = (final: string): string => final.replace(' ', '');

export function has96Characters(charset: Charset): boolean {
  return charsets96.some((each) => each.charset === charset);
}

/** Returns the characters after the intermediate that designate a set. */
export function charsetFinal(charset: Charset): string {
  const found = [...charsets94, ...charsets96].find((each) => each.charset === charset);
  return written((found as Designation).finals[0]);
}

export function charsetOfFinal(final: string, of96: boolean): Charset | undefined {
  const charsets = of96 ? charsets96 : charsets94;
  return charsets.find(({ finals }) => finals.map(written).includes(final))?.charset;
}

/** Returns the sequence that designates a set as G0, G1, G2 or G3. */
export function designation(set: number, charset: Charset): string {
  const designators = has96Characters(charset) ? designators96 : designators94;
  return `\x1b${designators[set]}${charsetFinal(charset)}`;
}

function designate(
  charsets: readonly Designation[],
  intermediate: string,
  set: number,
): ControlFunction[] {
  return charsets.flatMap(({ finals, charset, meaning }) =>
    finals.map((final) =>
      esc(`${intermediate} ${final}`, 'SCS', `Designate G${set}: ${meaning}`, (t) =>
        t.charsets.designate(set, charset),
      ),
    ),
  );
}

// biome-ignore format: one line per function
export const charsetFunctions = [
  ...[0, 1, 2, 3].flatMap((set) => designate(charsets94, designators94[set], set)),
  ...[1, 2, 3].flatMap((set) => designate(charsets96, designators96[set], set)),
  esc('N', 'SS2', 'Use G2 for the next character', (t) => t.charsets.shiftOnce(2)),
  esc('O', 'SS3', 'Use G3 for the next character', (t) => t.charsets.shiftOnce(3)),
  esc('n', 'LS2', 'Use the character set in G2', (t) => t.charsets.lock(2)),
  esc('o', 'LS3', 'Use the character set in G3', (t) => t.charsets.lock(3)),
  esc('~', 'LS1R', 'Use G1 for bytes of 0xA0 and above; stored and reported only, because output is UTF-8', (t) => t.charsets.lockRight(1)),
  esc('}', 'LS2R', 'As LS1R, G2', (t) => t.charsets.lockRight(2)),
  esc('|', 'LS3R', 'As LS1R, G3', (t) => t.charsets.lockRight(3)),
  esc('% @', 'DOCS', 'Decode output as ISO 8859-1; output is always UTF-8'),
  esc('% G', 'DOCS', 'Decode output as UTF-8; always the case'),
];
