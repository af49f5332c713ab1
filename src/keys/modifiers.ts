import type { KeyPress } from '#model';

/** Bits of the modifier parameter, as the kitty keyboard protocol numbers them ("Modifiers"). */
export const modifierBits = {
  shift: 1,
  alt: 2,
  ctrl: 4,
  super: 8,
  hyper: 16,
  meta: 32,
  capsLock: 64,
  numLock: 128,
} as const;

/** The modifiers of a {@link KeyPress}, in the order in which they are written. */
export const modifierNames = ['ctrl', 'alt', 'shift', 'super', 'hyper', 'meta'] as const;

export type ModifierName = (typeof modifierNames)[number];

/** Returns the modifiers of a press, as bits. */
export function heldModifiers(press: KeyPress): number {
  return modifierNames.reduce((bits, name) => bits | (press[name] ? modifierBits[name] : 0), 0);
}

const { shift, alt, ctrl, meta } = modifierBits;

/** Removes super and hyper, which xterm does not have. */
export const xtermModifiers = (bits: number): number => bits & (shift | alt | ctrl | meta);

/**
 * Returns xterm's modifier parameter: 1 + shift 1 + alt 2 + ctrl 4 + meta 8 (ctlseqs, "PC-Style
 * Function Keys"). In the kitty protocol, 8 is super.
 */
export const xtermParameter = (bits: number): number =>
  1 + (bits & (shift | alt | ctrl)) + (bits & meta ? 8 : 0);
