import type { KeyModes, KeyPress } from '#model';
import { encodeKey } from './encode.ts';
import { heldModifiers, modifierNames } from './modifiers.ts';
import { keyText } from './parse.ts';

/**
 * Returns the short form of the key that a program receives instead of a press: `enter` for shift+enter if it has
 * enabled neither modifyOtherKeys nor the kitty protocol. Null if it can tell the press from every key with fewer
 * modifiers.
 *
 * @throws VtrError INVALID_KEY
 */
export function plainKey(press: KeyPress, modes: KeyModes): string | null {
  if (press.action === 'release' || heldModifiers(press) === 0) return null;
  const sent = encodeKey(press, modes);
  if (sent.length === 0) return null;
  const given = keyText(press);
  const held = modifierNames.filter((name) => press[name]);
  const plain = subsets(held)
    .map((kept) => withOnly(press, kept))
    .find((other) => isSame(encodeKey(other, modes), sent));
  const text = plain === undefined ? given : keyText(plain);
  return text === given ? null : text;
}

type Held = readonly (typeof modifierNames)[number][];

/** Returns all subsets, from the smallest to the whole. */
function subsets(held: Held): Held[] {
  const found: Held[] = [[]];
  for (const name of held) found.push(...found.map((each) => [...each, name]));
  return found.sort((one, other) => one.length - other.length);
}

function withOnly(press: KeyPress, kept: Held): KeyPress {
  const others = Object.fromEntries(modifierNames.map((name) => [name, kept.includes(name)]));
  return { ...press, ...others };
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);
