import { decodeUtf8 } from '#base';
import type { TerminalState } from '../terminal-state.ts';
import { colorFunctions } from './colors.ts';
import { type OscFunction, osc } from './osc-function.ts';

function setBothTitles(t: TerminalState, text: string): void {
  t.titles.setWindow(text);
  t.titles.setIcon(text);
}

// biome-ignore format: one line a function
export const oscFunctions: readonly OscFunction[] = [
  osc(0, 'Set the titles of window and icon', setBothTitles),
  osc(1, 'Set the title of the icon', (t, text) => t.titles.setIcon(text)),
  osc(2, 'Set the title of the window', (t, text) => t.titles.setWindow(text)),
  ...colorFunctions,
  osc(7, 'Tell the working directory'),
  osc(8, 'Begin or end a hyperlink'),
  osc(9, 'Notify, or report progress'),
  osc(22, 'Set the shape of the pointer'),
  osc(52, 'Set or report the clipboard'),
  osc(99, 'Notify (kitty)'),
  osc(133, 'Mark prompts, commands and their ends'),
  osc(633, 'Mark prompts, commands and their ends (VS Code)'),
  osc(777, 'Notify (urxvt)'),
  osc(1337, 'iTerm2 extensions'),
];

const byNumber = new Map(oscFunctions.map((entry) => [entry.number, entry]));
const semicolon = 0x3b;

/** Carries out `Ps ; Pt`. @param bel whether BEL ended it, and not ST */
export function runOsc(t: TerminalState, payload: Uint8Array, bel: boolean): void {
  const length = payload.indexOf(semicolon);
  const head = decodeUtf8(length < 0 ? payload : payload.subarray(0, length));
  if (!/^\d{1,5}$/.test(head)) return;
  const run = byNumber.get(Number(head))?.run;
  if (run !== undefined) run(t, length < 0 ? '' : decodeUtf8(payload.subarray(length + 1)), bel);
}
