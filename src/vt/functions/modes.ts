import type { Params } from '../params.ts';
import { fullReset, softReset } from '../screens.ts';
import type { TerminalState } from '../terminal-state.ts';
import { csi, esc } from './control-function.ts';
import { ansiMode, decMode, type Mode } from './mode-table.ts';

type Find = (number: number) => Mode | undefined;

function setAll(t: TerminalState, params: Params, find: Find, on: boolean): void {
  for (let at = 0; at < params.length; at++) find(params.get(at))?.set(t, on);
}

/** DECRPM: 1 set, 2 reset, 0 not known. */
function report(t: TerminalState, params: Params, find: Find, marker: string): void {
  const number = params.get(0);
  const mode = find(number);
  const state = mode === undefined ? 0 : mode.get(t) ? 1 : 2;
  t.replies.push(`\x1b[${marker}${number};${state}$y`);
}

function setKeypad(t: TerminalState, on: boolean): void {
  t.modes.applicationKeypad = on;
}

/** DECSCUSR: 1 and 2 a block, 3 and 4 an underline, 5 and 6 a bar; the odd ones blink. */
function setCursorStyle(t: TerminalState, params: Params): void {
  const style = params.get(0);
  if (style > 6) return;
  const shapes = ['block', 'underline', 'bar'] as const;
  t.modes.cursorShape = shapes[Math.max(0, (style - 1) >> 1)];
  t.modes.cursorBlinking = style === 0 || style % 2 === 1;
}

// biome-ignore format: one line a function
export const modeFunctions = [
  csi('Pm h', 'SM', 'Set modes', (t, p) => setAll(t, p, ansiMode, true)),
  csi('Pm l', 'RM', 'Reset modes', (t, p) => setAll(t, p, ansiMode, false)),
  csi('? Pm h', 'DECSET', 'Set private modes', (t, p) => setAll(t, p, decMode, true)),
  csi('? Pm l', 'DECRST', 'Reset private modes', (t, p) => setAll(t, p, decMode, false)),
  csi('Ps $ p', 'DECRQM', 'Report whether a mode is set', (t, p) => report(t, p, ansiMode, '')),
  csi('? Ps $ p', 'DECRQM', 'Report whether a private mode is set', (t, p) => report(t, p, decMode, '?')),
  csi('! p', 'DECSTR', 'Soft reset: modes, margins, pen, character sets', softReset),
  csi('Ps SP q', 'DECSCUSR', 'Set the shape of the cursor, and whether it blinks', setCursorStyle),
  esc('=', 'DECKPAM', 'Application keypad', (t) => setKeypad(t, true)),
  esc('>', 'DECKPNM', 'Numeric keypad', (t) => setKeypad(t, false)),
  esc('c', 'RIS', 'Reset to the initial state', fullReset),
];
