import { nearMisses } from '#base';
import { shortened, VtrError } from '#model';
import { foldName, spellings } from './names.ts';

const accepted =
  'one character or a key name (enter, f5, pageup), with modifiers before it as in ctrl+c';

export const noSuchKey = 'no key has this name';

/** The most characters of the key in an error message; more than any key has. */
const maxShown = 40;

/** Returns INVALID_KEY with the problem, similar names and a hint. */
export function invalidKey(given: string, problem: string, nearest: readonly string[]): VtrError {
  const key = shortened(given, maxShown);
  const guess = nearest.length > 0 ? `did you mean ${nearest.join(' or ')}? Use` : 'use';
  return new VtrError(
    'INVALID_KEY',
    `key ${JSON.stringify(key)}: ${problem}; ${guess} ${accepted}`,
    {
      details: { key, nearest },
    },
  );
}

/** Returns the canonical names similar to an unknown name. */
export function nearestKeys(name: string): string[] {
  const close = nearMisses(foldName(name), spellings.keys());
  return [...new Set(close.flatMap((spelling) => spellings.get(spelling) ?? []))];
}
