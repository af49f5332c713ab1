import { fullReset, softReset } from '../editing/screens.ts';
import type { Params } from '../parser/params.ts';
import type { Modes } from '../state/modes.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { csi, esc } from './control-function.ts';
import { ansiMode, decMode, fixedAnsiModes, fixedDecModes, type Mode } from './mode-table.ts';

type Find = (number: number) => Mode | undefined;

function setAll(t: TerminalState, params: Params, find: Find, on: boolean): void {
  for (let at = 0; at < params.length; at++) find(params.get(at))?.set(t, on);
}

const fixedAnsi = new Set(fixedAnsiModes.map(({ number }) => number));
const fixedDec = new Set(fixedDecModes.map(({ number }) => number));

/** DECRPM: 1 set, 2 reset, 4 always reset, 0 unknown. */
function reportAnsiMode(t: TerminalState, params: Params): void {
  if (!supportsModeReports(t)) return;
  const number = params.get(0);
  t.replies.push(`\x1b[${number};${stateOf(t, ansiMode(number), fixedAnsi.has(number))}$y`);
}

function reportDecMode(t: TerminalState, params: Params): void {
  if (!supportsModeReports(t)) return;
  const number = params.get(0);
  t.replies.push(`\x1b[?${number};${stateOf(t, decMode(number), fixedDec.has(number))}$y`);
}

/** The VT320 introduced mode reports. */
function supportsModeReports({ modes }: TerminalState): boolean {
  return modes.conformanceLevel >= 3;
}

/** DECSCL: 61 to 65. Includes a soft reset, as in DEC STD 070 and the VT220 manual. */
function setConformance(t: TerminalState, params: Params): void {
  const level = params.get(0) - 60;
  if (level < 1 || level > 5) return;
  softReset(t);
  t.modes.conformanceLevel = level;
  t.replies.eightBit = level > 1 && params.get(1) !== 1;
}

function stateOf(t: TerminalState, mode: Mode | undefined, isFixed: boolean): number {
  if (mode === undefined) return isFixed ? 4 : 0;
  return mode.get(t) ? 1 : 2;
}

function setKeypad(t: TerminalState, on: boolean): void {
  t.modes.applicationKeypad = on;
}

const shapes = ['block', 'underline', 'bar'] as const;

// biome-ignore format: one line per function
export const modeFunctions = [
  csi('Pm h', 'SM', 'Set modes', (t, p) => setAll(t, p, ansiMode, true)),
  csi('Pm l', 'RM', 'Reset modes', (t, p) => setAll(t, p, ansiMode, false)),
  csi('? Pm h', 'DECSET', 'Set private modes', (t, p) => setAll(t, p, decMode, true)),
  csi('? Pm l', 'DECRST', 'Reset private modes', (t, p) => setAll(t, p, decMode, false)),
  csi('Ps $ p', 'DECRQM', 'Report whether a mode is set', reportAnsiMode),
  csi('? Ps $ p', 'DECRQM', 'Report whether a private mode is set', reportDecMode),
  csi('! p', 'DECSTR', 'Soft reset: modes, margins, pen, character sets', softReset),
  csi('Ps ; Ps " p', 'DECSCL', 'Soft reset; emulate a VT100 (61) to VT500 (65); 8-bit controls (0, 2) or 7-bit controls (1)', setConformance),
  csi('Ps SP q', 'DECSCUSR', 'Set the shape and blinking of the cursor', (t, p) => setCursorStyle(t.modes, p.get(0))),
  esc('=', 'DECKPAM', 'Application keypad', (t) => setKeypad(t, true)),
  esc('>', 'DECKPNM', 'Numeric keypad', (t) => setKeypad(t, false)),
  esc('c', 'RIS', 'Reset to the initial state', fullReset),
];

/** DECSCUSR: 1 and 2 are a block, 3 and 4 an underline, 5 and 6 a bar. Odd numbers and 0 blink. */
function setCursorStyle(modes: Modes, style: number): void {
  if (style > 6) return;
  modes.cursorShape = shapes[Math.max(0, (style - 1) >> 1)];
  modes.cursorBlinking = style === 0 || style % 2 === 1;
}

/** Returns the number that sets the current style, 1..6. */
export function cursorStyle({ cursorShape, cursorBlinking }: Modes): number {
  return shapes.indexOf(cursorShape) * 2 + (cursorBlinking ? 1 : 2);
}
