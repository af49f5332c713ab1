import { nearMisses } from '#base';
import { VtrError } from '#model';
import { foldName, spellings } from './names.ts';

const howTo =
  'Write one character or the name of a key (enter, f5, pageup), modifiers before it as in ctrl+c';

export const noSuchKey = 'there is none of that name';

/** Long enough for every key, short enough for an error message. */
const maxShown = 40;

/** INVALID_KEY, saying what is wrong with `given`, what may have been meant, and what to do. */
export function invalidKey(given: string, problem: string, nearest: readonly string[]): VtrError {
  const key = given.slice(0, maxShown);
  const shown = `${JSON.stringify(key)}${key === given ? '' : '...'}`;
  const guess = nearest.length > 0 ? `; did you mean ${nearest.join(' or ')}?` : '.';
  return new VtrError('INVALID_KEY', `key ${shown}: ${problem}${guess} ${howTo}`, {
    details: { key, nearest },
  });
}

/** Canonical names of the keys that an unknown name comes close to. */
export function nearestKeys(name: string): string[] {
  const close = nearMisses(foldName(name), spellings.keys());
  return [...new Set(close.flatMap((spelling) => spellings.get(spelling) ?? []))];
}
