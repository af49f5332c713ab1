import { modifierBits } from '#keys';
import type { ControlSequence } from './token.ts';
import type { TtyKey } from './tty-event.ts';

const { shift, alt, ctrl, super: superBit, meta } = modifierBits;

const keyboardModifiers = shift | alt | ctrl | superBit | modifierBits.hyper | meta;

/**
 * Returns the modifiers of a parameter, as bits, without the locks. The bit of super in the kitty
 * protocol is meta in xterm.
 */
export function heldOf(parameter: number, speaksKitty: boolean): number {
  const bits = Math.max(0, parameter - 1);
  if (speaksKitty) return bits & keyboardModifiers;
  return (bits & (shift | alt | ctrl)) | (bits & superBit ? meta : 0);
}

/** Returns the type of an event, the second part of its modifiers ("Event types"). */
export function actionOf({ parameters }: ControlSequence): TtyKey['action'] {
  switch (parameters[1]?.[1]) {
    case 2:
      return 'repeat';
    case 3:
      return 'release';
    default:
      return 'press';
  }
}
