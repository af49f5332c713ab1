const alone = "`1234567890-=[]\\;',./abcdefghijklmnopqrstuvwxyz";
const shifted = '~!@#$%^&*()_+{}|:"<>?ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const pairs = (from: string, to: string): ReadonlyMap<string, string> =>
  new Map([...from].map((char, i) => [char, to.charAt(i)]));

const shiftedByAlone = pairs(alone, shifted);
const aloneByShifted = pairs(shifted, alone);

/** What the key that types `char` types with shift; undefined where shift changes nothing. */
export const withShift = (char: string): string | undefined =>
  shiftedByAlone.get(char) ?? otherCase(char, char.toUpperCase());

/** What the key that types `char` with shift types alone; undefined where `char` needs no shift. */
export const withoutShift = (char: string): string | undefined =>
  aloneByShifted.get(char) ?? otherCase(char, char.toLowerCase());

/**
 * Letters of other alphabets, where either case leads to the other and back. The Kelvin sign is no
 * shifted k, and a sharp s does not become two letters.
 */
function otherCase(char: string, other: string): string | undefined {
  if (char === other) return undefined;
  return other.toLowerCase() === char || other.toUpperCase() === char ? other : undefined;
}
