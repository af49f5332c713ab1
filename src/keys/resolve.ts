import type { KeyPress } from '#model';
import { findKeyName, invalidKey, isCharacter, nearestKeys, noSuchKey } from './names.ts';
import { heldModifiers, modifierBits } from './sequences.ts';

export interface NamedKey {
  readonly kind: 'named';
  readonly name: string;
  /** Bits of {@link modifierBits}, as in the press. */
  readonly bits: number;
}

/** A key that types a character, on a US layout. */
export interface CharacterKey {
  readonly kind: 'character';
  /** The character of the key without modifiers. */
  readonly base: string;
  /** The character with the shift of this press. */
  readonly typed: string;
  /** As in the press. */
  readonly bits: number;
  /** As `held`, plus shift if the character needs it. */
  readonly modifiers: number;
  /** The character of the key on a US layout, if the press is of another one. */
  readonly baseLayoutKey?: string;
}

export type ResolvedKey = NamedKey | CharacterKey;

/** @throws VtrError INVALID_KEY */
export function resolveKey(press: KeyPress): ResolvedKey {
  const modifiers = heldModifiers(press);
  if (isCharacter(press.key)) {
    const resolved = resolveOnLayout(press, modifiers) ?? resolveCharacter(press.key, modifiers);
    const baseLayoutKey = layoutCharacter(press.baseLayoutKey);
    const isOther = baseLayoutKey !== undefined && baseLayoutKey !== resolved.base;
    return isOther ? { ...resolved, baseLayoutKey } : resolved;
  }
  const name = findKeyName(press.key);
  if (name === undefined) {
    throw invalidKey(press.key, noSuchKey, nearestKeys(press.key));
  }
  return name === 'space'
    ? resolveCharacter(' ', modifiers)
    : { kind: 'named', name, bits: modifiers };
}

const { shift, ctrl } = modifierBits;

/**
 * A key that types no Latin character, with ctrl or alt: as the key of a US keyboard in its place,
 * if that is known. Returns others unchanged.
 */
export function onBaseLayout(key: CharacterKey): CharacterKey {
  const { baseLayoutKey, bits, base } = key;
  const isOther = (bits & ~shift) !== 0 && base > '\x7f' && baseLayoutKey !== undefined;
  if (!isOther) return key;
  const typed = (bits & shift && withShift(baseLayoutKey)) || baseLayoutKey;
  return { ...key, base: baseLayoutKey, typed };
}

/** A key of which the press says what it types with shift. */
function resolveOnLayout(
  { key, shiftedKey }: KeyPress,
  modifiers: number,
): CharacterKey | undefined {
  const shifted = layoutCharacter(shiftedKey);
  if (shifted === undefined) return undefined;
  const typed = modifiers & shift ? shifted : key;
  return { kind: 'character', base: key, typed, bits: modifiers, modifiers: modifiers };
}

/** @throws VtrError INVALID_KEY for a text that is not one character */
function layoutCharacter(text: string | undefined): string | undefined {
  if (text === undefined || isCharacter(text)) return text;
  throw invalidKey(text, 'the keys of a layout are characters', []);
}

function resolveCharacter(text: string, modifiers: number): CharacterKey {
  // "Ctrl+C" is a common spelling of ctrl+c. With ctrl, the shift of a letter must be given
  // explicitly.
  const char = modifiers & ctrl && isLetter(text) ? lowerCase(text) : text;
  const base = withoutShift(char);
  if (base !== undefined) {
    return { kind: 'character', base, typed: char, bits: modifiers, modifiers: modifiers | shift };
  }
  const typed = (modifiers & shift && withShift(char)) || char;
  return { kind: 'character', base: char, typed, bits: modifiers, modifiers: modifiers };
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

/** Returns the character with shift of the key of `char`; undefined if shift changes nothing. */
export const withShift = (char: string): string | undefined =>
  shiftedByAlone.get(char) ?? otherCase(char, char.toUpperCase());

/** Returns the character without shift of the key of `char`; undefined if `char` needs no shift. */
export const withoutShift = (char: string): string | undefined =>
  aloneByShifted.get(char) ?? otherCase(char, char.toLowerCase());

/**
 * For letters outside of ASCII: returns the other case if it converts back. So the Kelvin sign is
 * not a shifted k, and a sharp s does not become two letters.
 */
function otherCase(char: string, other: string): string | undefined {
  if (char === other) return undefined;
  return other.toLowerCase() === char || other.toUpperCase() === char ? other : undefined;
}
