import { decodeUtf8 } from '#base';
import type { TerminalState } from '../terminal-state.ts';

/** An operating system command, by the number that leads it. */
export interface OscFunction {
  readonly number: number;
  readonly mnemonic: string;
  readonly meaning: string;
  /** Absent for what is known and not supported. */
  readonly run?: (t: TerminalState, text: string) => void;
}

function osc(
  number: number,
  mnemonic: string,
  meaning: string,
  run?: (t: TerminalState, text: string) => void,
): OscFunction {
  return run === undefined ? { number, mnemonic, meaning } : { number, mnemonic, meaning, run };
}

function setBothTitles(t: TerminalState, text: string): void {
  t.titles.setWindow(text);
  t.titles.setIcon(text);
}

// biome-ignore format: one line a function
export const oscFunctions: readonly OscFunction[] = [
  osc(0, 'OSC 0', 'Set the titles of window and icon', setBothTitles),
  osc(1, 'OSC 1', 'Set the title of the icon', (t, text) => t.titles.setIcon(text)),
  osc(2, 'OSC 2', 'Set the title of the window', (t, text) => t.titles.setWindow(text)),
  osc(4, 'OSC 4', 'Set or report colours of the palette'),
  osc(7, 'OSC 7', 'Tell the working directory'),
  osc(8, 'OSC 8', 'Begin or end a hyperlink'),
  osc(9, 'OSC 9', 'Notify, or report progress'),
  osc(10, 'OSC 10', 'Set or report the foreground colour'),
  osc(11, 'OSC 11', 'Set or report the background colour'),
  osc(12, 'OSC 12', 'Set or report the colour of the cursor'),
  osc(52, 'OSC 52', 'Set or report the clipboard'),
  osc(99, 'OSC 99', 'Notify (kitty)'),
  osc(104, 'OSC 104', 'Reset colours of the palette'),
  osc(110, 'OSC 110', 'Reset the foreground colour'),
  osc(111, 'OSC 111', 'Reset the background colour'),
  osc(112, 'OSC 112', 'Reset the colour of the cursor'),
  osc(133, 'OSC 133', 'Mark prompts, commands and their ends'),
  osc(633, 'OSC 633', 'Mark prompts, commands and their ends (VS Code)'),
  osc(777, 'OSC 777', 'Notify (urxvt)'),
  osc(1337, 'OSC 1337', 'iTerm2 extensions'),
];

const byNumber = new Map(oscFunctions.map((entry) => [entry.number, entry]));
const semicolon = 0x3b;

/** Carries out `Ps ; Pt`. */
export function runOsc(t: TerminalState, payload: Uint8Array): void {
  const length = payload.indexOf(semicolon);
  const head = decodeUtf8(length < 0 ? payload : payload.subarray(0, length));
  if (!/^\d{1,5}$/.test(head)) return;
  const run = byNumber.get(Number(head))?.run;
  if (run !== undefined) run(t, length < 0 ? '' : decodeUtf8(payload.subarray(length + 1)));
}
