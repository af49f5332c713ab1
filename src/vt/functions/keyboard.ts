import type { FlagStack, KeyboardState } from '../state/modes.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { byParameter, csi, when } from './control-function.ts';

/** The number of modifyOtherKeys and of formatOtherKeys among xterm's key resources. */
const otherKeys = 4;

/** Without a value, resets the resource. Without a resource, resets all. */
// biome-ignore format: one line per operation
const setModifiers = byParameter([
  when(1, 'Of cursor keys (modifyCursorKeys)'),
  when(2, 'Of function keys (modifyFunctionKeys)'),
  when(otherKeys, 'Of other keys (modifyOtherKeys): 0, 1, 2', (t, params) => { if (params.get(1) <= 2) t.keyboard.modifyOtherKeys = params.get(1) as 0 | 1 | 2; }),
], 0, otherKeys);

/** The default is 2, the function keys. */
// biome-ignore format: one line per operation
const disableModifiers = byParameter([
  when(otherKeys, 'Other keys (modifyOtherKeys)', (t) => { t.keyboard.modifyOtherKeys = 0; }),
], 0, 2);

/** Cursor keys and function keys always send modifiers. */
// biome-ignore format: one line per operation
const reportModifiers = byParameter([
  when(1, 'Of cursor keys (modifyCursorKeys), always 2', (t) => t.replies.push('\x1b[>1;2m')),
  when(2, 'Of function keys (modifyFunctionKeys), always 2', (t) => t.replies.push('\x1b[>2;2m')),
  when(otherKeys, 'Of other keys (modifyOtherKeys)', (t) => t.replies.push(modifiersSequence(t.keyboard))),
]);

// biome-ignore format: one line per operation
const setFormat = byParameter([
  when(otherKeys, 'Of other keys (formatOtherKeys): 0, 1', (t, params) => { if (params.get(1) <= 1) t.keyboard.formatOtherKeys = params.get(1) as 0 | 1; }),
], 0, otherKeys);

// biome-ignore format: one line per operation
const reportFormat = byParameter([
  when(otherKeys, 'Of other keys (formatOtherKeys)', (t) => t.replies.push(formatSequence(t.keyboard))),
]);

/** Sets how other keys are sent. The reply to a query is the same sequence. */
export function modifiersSequence({ modifyOtherKeys }: KeyboardState): string {
  return `\x1b[>${otherKeys};${modifyOtherKeys}m`;
}

/** Sets how other keys are written. The reply to a query is the same sequence. */
export function formatSequence({ formatOtherKeys }: KeyboardState): string {
  return `\x1b[>${otherKeys};${formatOtherKeys}f`;
}

function flags(t: TerminalState): FlagStack {
  return t.onAlternate ? t.keyboard.alternateFlags : t.keyboard.primaryFlags;
}

function reportFlags(t: TerminalState): void {
  t.replies.push(`\x1b[?${flags(t).current}u`);
}

// biome-ignore format: one line per operation
const changeFlags = byParameter([
  when(1, 'Replace all flags', (t, p) => flags(t).set(p.get(0), 1)),
  when(2, 'Set flags', (t, p) => flags(t).set(p.get(0), 2)),
  when(3, 'Reset flags', (t, p) => flags(t).set(p.get(0), 3)),
], 1, 1);

// biome-ignore format: one line per function
export const keyboardFunctions = [
  csi('> Ps ; Ps m', 'XTMODKEYS', 'Set how modified keys are sent', setModifiers),
  csi('> Ps n', 'XTMODKEYS', 'Do not send modified keys', disableModifiers),
  csi('? Ps m', 'XTQMODKEYS', 'Report how modified keys are sent', reportModifiers),
  csi('> Ps ; Ps f', 'XTFMTKEYS', 'Set how modified keys are written', setFormat),
  csi('? Ps g', 'XTQFMTKEYS', 'Report how modified keys are written', reportFormat),
  csi('? u', 'KITTY_KEYBOARD', 'Report the keyboard flags', reportFlags),
  csi('> Ps u', 'KITTY_KEYBOARD', 'Push keyboard flags', (t, p) => flags(t).push(p.get(0))),
  csi('< Ps u', 'KITTY_KEYBOARD', 'Pop Ps entries of keyboard flags', (t, p) => flags(t).pop(p.count(0))),
  csi('= Ps ; Ps u', 'KITTY_KEYBOARD', 'Change the keyboard flags by the first parameter, as the second says', changeFlags),
];
