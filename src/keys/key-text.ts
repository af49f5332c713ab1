import type { KeyPress } from '#model';
import { modifierBits, modifierNames } from './modifiers.ts';
import { onBaseLayout, resolveKey } from './resolve.ts';

/**
 * Returns the short form of a key press, which {@link parseKey} reads. Presses that mean the same have
 * the same short form: characters are given as typed, so shift is only written with named keys and
 * with ctrl, and with ctrl or alt a key of another alphabet is the one in its place on a US keyboard.
 * Empty for a key that does not exist.
 */
export function keyText(press: KeyPress): string {
  try {
    const resolved = resolveKey(press);
    if (resolved.kind === 'named') return withModifiers(resolved.held, resolved.name);
    const { typed, base, held, modifiers } = onBaseLayout(resolved);
    // With ctrl, the shift of a letter cannot be seen from the character.
    const isControl = (modifiers & modifierBits.ctrl) !== 0;
    const key = isControl ? base : typed;
    return withModifiers(
      isControl ? modifiers : held & ~modifierBits.shift,
      key === ' ' ? 'space' : key,
    );
  } catch {
    return '';
  }
}

const withModifiers = (held: number, key: string): string =>
  [...modifierNames.filter((name) => (held & modifierBits[name]) !== 0), key].join('+');
