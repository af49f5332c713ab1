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

/** The modifiers that a {@link KeyPress} can carry, in the order in which they are written. */
export const modifierNames = ['ctrl', 'alt', 'shift', 'super', 'hyper', 'meta'] as const;

export type ModifierName = (typeof modifierNames)[number];

/** The modifiers held in `press`, as bits. */
export function heldModifiers(press: KeyPress): number {
  return modifierNames.reduce((bits, name) => bits | (press[name] ? modifierBits[name] : 0), 0);
}

const { shift, alt, ctrl, meta } = modifierBits;

/** The modifiers that xterm knows. It never sees super and hyper. */
export const xtermModifiers = (bits: number): number => bits & (shift | alt | ctrl | meta);

/**
 * xterm's modifier parameter (ctlseqs, "PC-Style Function Keys"), which puts meta where the kitty
 * protocol has super: 1 + shift 1 + alt 2 + ctrl 4 + meta 8.
 */
export const xtermParameter = (bits: number): number =>
  1 + (bits & (shift | alt | ctrl)) + (bits & meta ? 8 : 0);
