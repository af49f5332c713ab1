import type { Params } from '../parser/params.ts';
import type { FlagStack } from '../state/keyboard.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { csi } from './control-function.ts';

/** The number of modifyOtherKeys and of formatOtherKeys among xterm's key resources. */
const otherKeys = 4;

/** Key resources with a fixed value: cursor keys and function keys send modifiers. */
const fixedModifiers: Readonly<Record<number, number>> = { 1: 2, 2: 2 };

/** Without a value, resets the resource. Without a resource, resets all. */
function setOtherKeys(t: TerminalState, params: Params): void {
  if (params.get(0, otherKeys) !== otherKeys) return;
  const value = params.get(1);
  if (value <= 2) t.keyboard.modifyOtherKeys = value as 0 | 1 | 2;
}

function disableOtherKeys(t: TerminalState, params: Params): void {
  // The default is 2, the function keys.
  if (params.get(0, 2) === otherKeys) t.keyboard.modifyOtherKeys = 0;
}

function reportModifiers(t: TerminalState, params: Params): void {
  const resource = params.get(0);
  const value = resource === otherKeys ? t.keyboard.modifyOtherKeys : fixedModifiers[resource];
  if (value !== undefined) t.replies.push(`\x1b[>${resource};${value}m`);
}

function setFormat(t: TerminalState, params: Params): void {
  if (params.get(0, otherKeys) !== otherKeys) return;
  const value = params.get(1);
  if (value <= 1) t.keyboard.formatOtherKeys = value as 0 | 1;
}

function reportFormat(t: TerminalState, params: Params): void {
  if (params.get(0) !== otherKeys) return;
  t.replies.push(`\x1b[>${otherKeys};${t.keyboard.formatOtherKeys}f`);
}

function flags(t: TerminalState): FlagStack {
  return t.onAlternate ? t.keyboard.alternateFlags : t.keyboard.primaryFlags;
}

function reportFlags(t: TerminalState): void {
  t.replies.push(`\x1b[?${flags(t).current}u`);
}

// biome-ignore format: one line per function
export const keyboardFunctions = [
  csi('> Ps ; Ps m', 'XTMODKEYS', 'Set how modified keys are sent (4 modifyOtherKeys: 0, 1, 2)', setOtherKeys),
  csi('> Ps n', 'XTMODKEYS', 'Do not send modified keys (4 modifyOtherKeys)', disableOtherKeys),
  csi('? Ps m', 'XTQMODKEYS', 'Report how modified keys are sent', reportModifiers),
  csi('> Ps ; Ps f', 'XTFMTKEYS', 'Set how modified keys are written (4 formatOtherKeys: 0, 1)', setFormat),
  csi('? Ps g', 'XTQFMTKEYS', 'Report how modified keys are written', reportFormat),
  csi('? u', 'KITTY_KEYBOARD', 'Report the keyboard flags', reportFlags),
  csi('> Ps u', 'KITTY_KEYBOARD', 'Push keyboard flags', (t, p) => flags(t).push(p.get(0))),
  csi('< Ps u', 'KITTY_KEYBOARD', 'Pop Ps entries of keyboard flags', (t, p) => flags(t).pop(p.count(0))),
  csi('= Ps ; Ps u', 'KITTY_KEYBOARD', 'Set (1), add (2) or remove (3) keyboard flags', (t, p) => flags(t).set(p.get(0), p.get(1, 1))),
];
