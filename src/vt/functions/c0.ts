import * as move from '../editing/movement.ts';
import { printTranslated } from '../editing/printing.ts';
import { lineFeed, wrapLine } from '../editing/scrolling.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { has96Characters } from './charsets.ts';
import { c0 } from './control-function.ts';

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
