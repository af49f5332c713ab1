import * as move from '../editing/movement.ts';
import { printTranslated } from '../editing/printing.ts';
import { lineFeed, wrapLine } from '../editing/scrolling.ts';
import type { Charset } from '../state/charsets.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { type ControlFunction, c0, esc } from './control-function.ts';

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
  const designation = [...charsets94, ...charsets96].find((each) => each.charset === charset);
  return written((designation as Designation).finals[0]);
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

export function horizontalTab(t: TerminalState): void {
  const { moreFix, autowrap } = t.modes;
  if (moreFix && autowrap && t.cursor.wrapPending) wrapLine(t, 0);
  move.tab(t);
}

function ring(t: TerminalState): void {
  t.bells++;
}

/** DEL is a character of the sets that have 96 (ECMA-35, 6.2). */
function printDelete(t: TerminalState): void {
  const { charsets } = t;
  if (has96Characters(charsets.designated(charsets.current))) printTranslated(t, 0x7f);
}

// The answerback message is always empty, so ENQ has no reply.
// biome-ignore format: one line per function
export const c0Functions = [
  c0(0x05, 'ENQ', 'Request the answerback message'),
  c0(0x07, 'BEL', 'Ring the bell', ring),
  c0(0x08, 'BS', 'Move the cursor left one column', (t) => move.moveLeft(t, 1)),
  c0(0x09, 'HT', 'Move the cursor to the next tab stop', horizontalTab),
  c0(0x0a, 'LF', 'Move down one row; at the bottom margin, scroll up', lineFeed),
  c0(0x0b, 'VT', 'As LF', lineFeed),
  c0(0x0c, 'FF', 'As LF', lineFeed),
  c0(0x0d, 'CR', 'Move the cursor to the first column', move.carriageReturn),
  c0(0x0e, 'SO', 'Use the character set in G1 (LS1)', (t) => t.charsets.lock(1)),
  c0(0x0f, 'SI', 'Use the character set in G0 (LS0)', (t) => t.charsets.lock(0)),
  c0(0x7f, 'DEL', 'Print the last character of a set of 96 characters; otherwise ignored', printDelete),
];
