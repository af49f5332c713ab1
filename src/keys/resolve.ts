import type { KeyPress } from '#model';
import { invalidKey, nearestKeys, noSuchKey } from './invalid-key.ts';
import { heldModifiers, modifierBits } from './modifiers.ts';
import { findKeyName, isCharacter } from './names.ts';

export interface NamedKey {
  readonly kind: 'named';
  readonly name: string;
  /** As held; bits of {@link modifierBits}. */
  readonly held: number;
}

/** A key that types, on a US layout. */
export interface CharacterKey {
  readonly kind: 'character';
  /** What the key types alone. */
  readonly base: string;
  /** What it types with the shift that this press has. */
  readonly typed: string;
  /** As the press says. */
  readonly held: number;
  /** With the shift, too, that it takes to type the character. */
  readonly modifiers: number;
}

export type ResolvedKey = NamedKey | CharacterKey;

/** @throws VtrError INVALID_KEY */
export function resolveKey(press: KeyPress): ResolvedKey {
  const held = heldModifiers(press);
  if (isCharacter(press.key)) return resolveCharacter(press.key, held);
  const name = findKeyName(press.key);
  if (name === undefined) {
    throw invalidKey(press.key, noSuchKey, nearestKeys(press.key));
  }
  return name === 'space' ? resolveCharacter(' ', held) : { kind: 'named', name, held };
}

const { shift, ctrl } = modifierBits;

function resolveCharacter(given: string, held: number): CharacterKey {
  // "Ctrl+C" is the common spelling of ctrl+c. The shift of a letter has to be said there.
  const char = held & ctrl && isLetter(given) ? lowerCase(given) : given;
  const base = withoutShift(char);
  if (base !== undefined) {
    return { kind: 'character', base, typed: char, held, modifiers: held | shift };
  }
  const typed = (held & shift && withShift(char)) || char;
  return { kind: 'character', base: char, typed, held, modifiers: held };
}

const isLetter = (char: string): boolean => /\p{L}/u.test(char);
const lowerCase = (char: string): string => withoutShift(char) ?? char;

/** The characters of a US layout without and with shift, key by key. */
const alone = "`1234567890-=[]\\;',./abcdefghijklmnopqrstuvwxyz";
const shifted = '~!@#$%^&*()_+{}|:"<>?ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const pairs = (from: string, to: string): ReadonlyMap<string, string> =>
  new Map([...from].map((char, i) => [char, to.charAt(i)]));

const shiftedByAlone = pairs(alone, shifted);
const aloneByShifted = pairs(shifted, alone);

/** The character with shift of the key that types `char`; undefined if shift changes nothing. */
const withShift = (char: string): string | undefined =>
  shiftedByAlone.get(char) ?? otherCase(char, char.toUpperCase());

/** The character without shift of the key that types `char` with shift; undefined if `char` needs no shift. */
const withoutShift = (char: string): string | undefined =>
  aloneByShifted.get(char) ?? otherCase(char, char.toLowerCase());

/**
 * For letters outside of ASCII: the other case, if it converts back. So the Kelvin sign is not a shifted
 * k, and a sharp s does not become two letters.
 */
function otherCase(char: string, other: string): string | undefined {
  if (char === other) return undefined;
  return other.toLowerCase() === char || other.toUpperCase() === char ? other : undefined;
}
