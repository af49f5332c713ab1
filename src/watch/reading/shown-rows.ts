import type { ShownRow } from '../watched.ts';

/** A row of an earlier screen that a later one does not have. */
export interface LostRow {
  readonly text: string;
  /** Whether the rows around it moved over its place, as when a screen scrolls. */
  readonly isOff: boolean;
}

/** The most pairs of rows that are compared; otherwise equal rows are paired in their order. */
const maxCompared = 64 * 1024;
/** A row that was not printed on is worth more than any number of equal texts. */
const keptWeight = 10_000;

/**
 * Pairs the rows of two screens that have the same text, in their order: as many as possible, and those first that were
 * not printed on in between.
 *
 * @returns for each row of `now`, the index of its row in `before`; -1 for none
 */
export function pairRows(
  before: readonly ShownRow[],
  now: readonly ShownRow[],
  isPrinted: (row: ShownRow) => boolean,
): Int32Array {
  const pairs = new Int32Array(now.length).fill(-1);
  const isSame = (one: ShownRow | undefined, other: ShownRow | undefined) =>
    one !== undefined && one.id === other?.id && one.text === other.text;
  const shorter = Math.min(before.length, now.length);
  let first = 0;
  while (first < shorter && isSame(before[first], now[first])) pairs[first] = first++;
  let after = 0;
  while (after < shorter - first && isSame(before.at(-1 - after), now.at(-1 - after))) {
    after++;
    pairs[now.length - after] = before.length - after;
  }
  const old = before.slice(first, before.length - after);
  const shown = now.slice(first, now.length - after);
  const between =
    old.length * shown.length > maxCompared
      ? inOrder(old, shown)
      : mostPairs(old, shown, isPrinted);
  for (const [at, index] of between) pairs[first + at] = first + index;
  return pairs;
}

/** Yields pairs, each an index in `now` and one in `before`. */
function* inOrder(before: readonly ShownRow[], now: readonly ShownRow[]) {
  let from = 0;
  for (const [at, { text }] of now.entries()) {
    const index =
      text === '' ? -1 : before.findIndex((row, each) => each >= from && row.text === text);
    if (index < 0) continue;
    yield [at, index] as const;
    from = index + 1;
  }
}

/** Yields the pairs of the longest common subsequence, weighted. */
function* mostPairs(
  before: readonly ShownRow[],
  now: readonly ShownRow[],
  isPrinted: (row: ShownRow) => boolean,
) {
  const width = now.length + 1;
  const weights = weightsOf(before, now, isPrinted);
  const best = new Int32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const weight = weights[i * now.length + j] as number;
      const paired = weight === 0 ? 0 : weight + (best[(i + 1) * width + j + 1] as number);
      const skipped = Math.max(
        best[(i + 1) * width + j] as number,
        best[i * width + j + 1] as number,
      );
      best[i * width + j] = Math.max(paired, skipped);
    }
  }
  let i = 0;
  for (let j = 0; i < before.length && j < now.length; ) {
    const value = best[i * width + j];
    if (value === best[(i + 1) * width + j]) i++;
    else if (value === best[i * width + j + 1]) j++;
    else yield [j++, i++] as const;
  }
}

/** What a pair of rows is worth; 0 for rows that cannot be the same. */
function weightsOf(
  before: readonly ShownRow[],
  now: readonly ShownRow[],
  isPrinted: (row: ShownRow) => boolean,
): Int32Array {
  const weights = new Int32Array(before.length * now.length);
  const byId = new Map(before.map((row, index) => [row.id, index]));
  const keptAt = now.map((row) => {
    const index = byId.get(row.id);
    const isKept = index !== undefined && before[index]?.text === row.text && !isPrinted(row);
    return isKept ? index : -1;
  });
  const indexes = new Set(keptAt);
  for (const [i, { text }] of before.entries()) {
    if (text === '') continue;
    for (const [j, row] of now.entries()) {
      if (keptAt[j] === i) weights[i * now.length + j] = keptWeight;
      else if (keptAt[j] === -1 && !indexes.has(i) && row.text === text)
        weights[i * now.length + j] = 1;
    }
  }
  return weights;
}

/** Returns the rows of `before` without a pair. */
export function lostRows(before: readonly ShownRow[], pairs: Int32Array): LostRow[] {
  const nowOf = new Map<number, number>();
  for (const [at, index] of pairs.entries()) if (index >= 0) nowOf.set(index, at);
  const lost: LostRow[] = [];
  for (const [index, { text }] of before.entries()) {
    if (text === '' || nowOf.has(index)) continue;
    lost.push({ text, isOff: isOff(index, before.length, nowOf, pairs.length) });
  }
  return lost;
}

/** Whether the row would be where the next row in one direction is if it had moved as that in the other direction. */
function isOff(index: number, count: number, nowOf: Map<number, number>, rows: number): boolean {
  let above = index - 1;
  while (above >= 0 && !nowOf.has(above)) above--;
  let below = index + 1;
  while (below < count && !nowOf.has(below)) below++;
  const end = nowOf.get(below) ?? rows;
  const begin = nowOf.get(above) ?? -1;
  const up = nowOf.has(below) ? index + end - below : index;
  const down = nowOf.has(above) ? index + begin - above : index;
  return (up !== index && up <= begin) || (down !== index && down >= end);
}

/** Separates the columns and panes of a row: two blanks, and characters that draw boxes and scroll bars. */
const separators = /\s{2,}|[\u2500-\u259f|]+/gu;

/** Returns the part of a row, up to the next column or pane, that has an index. */
export function segmentAt(
  text: string,
  at: number,
): { readonly text: string; readonly end: number } {
  let begin = 0;
  for (const { index, 0: separator } of text.matchAll(separators)) {
    if (index > at) return { text: text.slice(begin, index).trim(), end: index };
    begin = index + separator.length;
  }
  return { text: text.slice(begin).trim(), end: text.length };
}

/** Whether a row has a segment. */
export const hasSegment = (text: string, segment: string): boolean =>
  text.split(separators).some((each) => each.trim() === segment);
