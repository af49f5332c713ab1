import type { FlagStack } from '../keyboard.ts';
import type { Params } from '../params.ts';
import type { TerminalState } from '../terminal-state.ts';
import { csi } from './control-function.ts';

/** The number that `CSI > n ; v m` gives to modifyOtherKeys among xterm's key resources. */
const otherKeysResource = 4;

function setOtherKeys(t: TerminalState, params: Params): void {
  if (params.get(0, otherKeysResource) !== otherKeysResource) return;
  const value = params.get(1);
  if (value <= 2) t.keyboard.modifyOtherKeys = value as 0 | 1 | 2;
}

function flags(t: TerminalState): FlagStack {
  return t.onAlternate ? t.keyboard.alternateFlags : t.keyboard.primaryFlags;
}

function reportFlags(t: TerminalState): void {
  t.replies.push(`\x1b[?${flags(t).current}u`);
}

// biome-ignore format: one line a function
export const keyboardFunctions = [
  csi('> Ps ; Ps m', 'XTMODKEYS', 'Set how modified keys are sent (4 modifyOtherKeys: 0, 1, 2)', setOtherKeys),
  csi('? u', 'KITTY_KEYBOARD', 'Report the keyboard flags', reportFlags),
  csi('> Ps u', 'KITTY_KEYBOARD', 'Push keyboard flags', (t, p) => flags(t).push(p.get(0))),
  csi('< Ps u', 'KITTY_KEYBOARD', 'Pop Ps entries of keyboard flags', (t, p) => flags(t).pop(p.count(0))),
  csi('= Ps ; Ps u', 'KITTY_KEYBOARD', 'Set (1), add (2) or take away (3) keyboard flags', (t, p) => flags(t).set(p.get(0), p.get(1, 1))),
];
