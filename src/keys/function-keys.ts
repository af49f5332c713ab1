import { csi, ss3 } from './sequences.ts';

/** A key that sends `CSI number ; modifiers final`. */
export interface FunctionKey {
  /** 1 is the default of the parameter and is left out if nothing follows. */
  readonly number: number;
  readonly final: string;
  /** `SS3 final`, which the key sends instead if no modifier is held. */
  readonly ss3?: { readonly final: string; readonly when: 'always' | 'applicationCursorKeys' };
}

type Entry = [name: string, key: FunctionKey];

const lettered =
  (when: 'always' | 'applicationCursorKeys') =>
  ([name, final]: [string, string]): Entry => [name, { number: 1, final, ss3: { final, when } }];

const numbered = ([name, number]: [string, number]): Entry => [name, { number, final: '~' }];

const cursorKeys = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' };
const beginKey = { kp_begin: 'E' };
const pfKeys = { f1: 'P', f2: 'Q', f3: 'R', f4: 'S' };
const editingKeys = { insert: 2, delete: 3, pageup: 5, pagedown: 6 };
const upperKeys = { f5: 15, f6: 17, f7: 18, f8: 19, f9: 20, f10: 21, f11: 23, f12: 24 };

/** The keys that xterm and the kitty protocol encode alike, except F3 (kitty-codes.ts). */
export const commonFunctionKeys: ReadonlyMap<string, FunctionKey> = new Map([
  ...Object.entries(cursorKeys).map(lettered('applicationCursorKeys')),
  ...Object.entries(editingKeys).map(numbered),
  ...Object.entries(pfKeys).map(lettered('always')),
  ...Object.entries(upperKeys).map(numbered),
  ...Object.entries(beginKey).map(lettered('applicationCursorKeys')),
]);

// F13 to F20 are the VT220's. xterm numbers those after F20 in sequence, from 42 on.
const vt220Keys = { f13: 25, f14: 26, f15: 28, f16: 29, f17: 31, f18: 32, f19: 33, f20: 34 };
const afterF20 = Array.from({ length: 15 }, (_, i): [string, number] => [`f${21 + i}`, 42 + i]);

/**
 * The function keys of xterm (ctlseqs, "PC-Style Function Keys" and "VT220-Style Function Keys").
 */
export const xtermFunctionKeys: ReadonlyMap<string, FunctionKey> = new Map([
  ...commonFunctionKeys,
  ...Object.entries(vt220Keys).map(numbered),
  ...afterF20.map(numbered),
  numbered(['menu', 29]),
]);

/**
 * @param parameter the modifier parameter, 1 for none
 * @param applicationCursorKeys DECCKM; ignored with modifiers
 */
export function encodeFunctionKey(
  key: FunctionKey,
  parameter: number,
  applicationCursorKeys: boolean,
): string {
  if (parameter !== 1) return `${csi}${key.number};${parameter}${key.final}`;
  if (key.ss3 && (key.ss3.when === 'always' || applicationCursorKeys)) {
    return `${ss3}${key.ss3.final}`;
  }
  return `${csi}${key.number === 1 ? '' : key.number}${key.final}`;
}
