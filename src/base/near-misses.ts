const limit = 3;
/**
 * Longer words have no near misses: the distance takes time proportional to the product of the
 * lengths.
 */
const maxLength = 32;

/**
 * Returns the known words that are similar to `word`, nearest first, at most three. A word is
 * similar if it differs by at most one edit per three letters of `word`.
 */
export function nearMisses(word: string, known: Iterable<string>): string[] {
  if (word.length > maxLength) return [];
  const allowed = Math.floor(word.length / 3);
  return [...known]
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
