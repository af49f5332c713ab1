const wild = /[*?[]/;

/** Returns whether a text is a glob: whether it contains `*`, `?` or `[`. */
export const isGlob = (text: string): boolean => wild.test(text);

/**
 * Returns a regular expression that matches whole texts as a glob: `*` matches any text, `?` a
 * character, `[abc]` and `[a-c]` one of a set, `[!abc]` one of all others. Returns null for a range
 * in reverse order, such as `[z-a]`.
 */
export function globPattern(glob: string): RegExp | null {
  const source = glob.replace(/\[(!?)([^\]]+)\]|./gsu, (sign, not?: string, set?: string) => {
    if (set !== undefined) return `[${not ? '^' : ''}${set.replace(/[\\^[]/g, '\\$&')}]`;
    if (sign === '*') return '.*';
    return sign === '?' ? '.' : sign.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  });
  try {
    return new RegExp(`^${source}$`, 'su');
  } catch {
    return null;
  }
}

/** Longer texts are compared by their beginning: the time is proportional to the product of the lengths. */
const maxLength = 200;

/** A match of a character, at the beginning of a word, and directly after the match before. */
const points = { match: 1, wordStart: 8, next: 5 };

/**
 * Returns how well the characters of a word occur in a text, in this order and without regard to case, also scattered:
 * each counts {@link points}, and the best choice of places counts. Null if they do not occur.
 */
export function fuzzyScore(word: string, text: string): number | null {
  const characters = [...word.toLowerCase()];
  const letters = [...text.slice(0, maxLength)];
  const lower = letters.map((character) => character.toLowerCase());
  // best[at]: the most points with the last character so far at `at`; -1 if it cannot be there.
  let best: number[] | null = null;
  for (const character of characters) {
    const next: number[] = [];
    let before = -1;
    for (let at = 0; at < letters.length; at++) {
      if (best !== null && at > 1) before = Math.max(before, best[at - 2] ?? -1);
      const direct = best === null || at === 0 ? -1 : (best[at - 1] ?? -1);
      const sum = best === null ? 0 : Math.max(before, direct < 0 ? -1 : direct + points.next);
      const isMatch = lower[at] === character && sum >= 0;
      next.push(isMatch ? sum + points.match + startPoints(letters, at) : -1);
    }
    best = next;
  }
  if (best === null) return 0;
  const most = Math.max(-1, ...best);
  return most < 0 ? null : most;
}

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);

/** A word begins after a character that is not part of one, and at a capital after a small letter. */
const startPoints = (text: readonly string[], at: number): number => {
  const [before, here] = [text[at - 1], text[at] ?? ''];
  const isStart =
    isWord(here) && (!isWord(before) || (/\p{Lu}/u.test(here) && /\p{Ll}/u.test(before ?? '')));
  return isStart ? points.wordStart : 0;
};

/** As {@link fuzzyScore}, where the characters are next to each other. */
function occurrenceScore(word: string, text: string): number | null {
  const characters = [...word.toLowerCase()];
  const letters = [...text];
  const lower = letters.map((character) => character.toLowerCase());
  let most: number | null = null;
  for (let at = 0; at + characters.length <= letters.length; at++) {
    if (!characters.every((character, index) => lower[at + index] === character)) continue;
    const starts = characters.reduce((sum, _, index) => sum + startPoints(letters, at + index), 0);
    const score = starts + characters.length * (points.match + points.next) - points.next;
    most = Math.max(most ?? 0, score);
  }
  return most;
}

export interface Match<T> {
  readonly item: T;
  /** Better matches have more. */
  readonly score: number;
}

/**
 * Returns the items in which each word of a query occurs in any text. If there are none, each word may also be scattered in
 * the name: `dply` finds `deploy`. Other texts are long: most words are scattered in them.
 *
 * @param textsOf returns the name of an item first, which counts twice, then what else is known of it
 */
export function queryMatches<T>(
  items: Iterable<T>,
  query: string,
  textsOf: (item: T) => readonly string[],
): Match<T>[] {
  const words = query.split(/\s+/).filter((each) => each !== '');
  const all = [...items].map((item) => ({ item, texts: textsOf(item) }));
  const matchesBy = (scoreOf: (word: string, texts: readonly string[]) => number) =>
    all.flatMap(({ item, texts }): Match<T>[] => {
      const scores = words.map((word) => scoreOf(word, texts));
      return scores.includes(-1)
        ? []
        : [{ item, score: scores.reduce((sum, each) => sum + each, 0) }];
    });
  const whole = matchesBy(wordScore);
  if (whole.length > 0) return whole;
  return matchesBy((word, texts) =>
    Math.max(wordScore(word, texts), 2 * (fuzzyScore(word, texts[0] ?? '') ?? -0.5)),
  );
}

/** Returns how well a word occurs in the texts of an item; -1 if it occurs in none. */
const wordScore = (word: string, texts: readonly string[]): number =>
  Math.max(
    -1,
    ...texts.map((text, index) => (occurrenceScore(word, text) ?? -1) * (index === 0 ? 2 : 1)),
  );

const limit = 3;
/**
 * Longer words have no near misses: the distance takes time proportional to the product of the
 * lengths.
 */
const maxComparedLength = 32;

/**
 * Returns the known words that are similar to `word`, nearest first, at most three. A word is
 * similar if it differs by at most one edit per three letters of `word`.
 */
export function nearMisses(word: string, candidates: Iterable<string>): string[] {
  if (word.length > maxComparedLength) return [];
  const allowed = Math.floor(word.length / 3);
  return [...candidates]
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighbours that change
 * one word to the other (optimal string alignment).
 */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const bySwap = swapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(
        Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same, bySwap),
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] ?? 0;
}
