import type { Charset } from '../charsets.ts';
import { type ControlFunction, esc } from './control-function.ts';

const charsets: readonly { final: string; charset: Charset; name: string }[] = [
  { final: 'B', charset: 'ascii', name: 'ASCII' },
  { final: '0', charset: 'lineDrawing', name: 'DEC line drawing' },
  { final: 'A', charset: 'british', name: 'British, with a pound sign for #' },
];

/** What designates each set, behind the intermediate that says where. */
export const charsetFinals = Object.fromEntries(
  charsets.map(({ charset, final }) => [charset, final]),
) as Record<Charset, string>;

export function charsetOfFinal(final: string): Charset | undefined {
  return charsets.find((each) => each.final === final)?.charset;
}

/** The intermediates of SCS, for G0 to G3. */
const designators = ['(', ')', '*', '+'];

const designate: ControlFunction[] = designators.flatMap((intermediate, set) =>
  charsets.map(({ final, charset, name }) =>
    esc(`${intermediate} ${final}`, 'SCS', `Designate G${set}: ${name}`, (t) =>
      t.charsets.designate(set, charset),
    ),
  ),
);

// biome-ignore format: one line a function
export const charsetFunctions = [
  ...designate,
  esc('N', 'SS2', 'Use G2 for the next character', (t) => t.charsets.shiftOnce(2)),
  esc('O', 'SS3', 'Use G3 for the next character', (t) => t.charsets.shiftOnce(3)),
  esc('n', 'LS2', 'Use the character set in G2', (t) => t.charsets.lock(2)),
  esc('o', 'LS3', 'Use the character set in G3', (t) => t.charsets.lock(3)),
];
