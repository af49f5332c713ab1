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
