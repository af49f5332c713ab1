/** A row of a screen, for its comparison with others. */
export interface ComparedRow {
  /** The text by which rows are equal: without blanks around it, and without a scroll bar. */
  readonly key: string;
}

/** The most pairs of rows that are compared; more are paired from both ends only. */
const maxCompared = 256 * 1024;

/**
 * Pairs the rows of two screens that have the same text, in their order. Rows that follow each other on both screens
 * count more, and those with few letters less: a brace does not decide where a text is. Blank rows get no pairs.
 *
 * @returns for each row of `now`, the index of its row in `before`; -1 for none
 */
export function alignRows(before: readonly ComparedRow[], now: readonly ComparedRow[]): Int32Array {
  const pairs = new Int32Array(now.length).fill(-1);
  const cols = now.length + 1;
  const rows = before.length + 1;
  if (rows * cols > maxCompared) return pairFromEnds(before, now, pairs);
  // The best weight from a place on, and the same if the rows before it are a pair.
  const best = new Float64Array(rows * cols);
  const continued = new Float64Array(rows * cols);
  const unique = uniqueKeys(before, now);
  const weights = now.map(({ key }) => weightOf(key, unique));
  for (let i = before.length - 1; i >= 0; i--) {
    const { key } = before[i] as ComparedRow;
    for (let j = now.length - 1; j >= 0; j--) {
      const at = i * cols + j;
      const skipped = Math.max(best[at + cols] as number, best[at + 1] as number);
      const weight = weights[j] as number;
      const isPair = weight > 0 && key === (now[j] as ComparedRow).key;
      const isBlank = key === '' && (now[j] as ComparedRow).key === '';
      const next = continued[at + cols + 1] as number;
      const paired = isPair ? weight + next : 0;
      best[at] = Math.max(skipped, paired);
      // Blank rows on both screens do not interrupt what follows each other.
      continued[at] = Math.max(skipped, isPair ? paired + runBonus * weight : isBlank ? next : 0);
    }
  }
  walk(before, now, pairs, { best, continued, weights, cols });
  return supported(pairs, now, unique);
}

/** Returns the texts that both screens have once. */
function uniqueKeys(before: readonly ComparedRow[], now: readonly ComparedRow[]): Set<string> {
  const others = new Set(singleRows(before).map(({ key }) => key));
  return new Set(singleRows(now).flatMap(({ key }) => (others.has(key) ? [key] : [])));
}

/**
 * Returns the rows with text that are there once, such as no brace. The number of a line of code does not count: `2 }` and
 * `6 }` are the same, and each block of code has both.
 */
export function singleRows<Row extends ComparedRow>(rows: readonly Row[]): Row[] {
  const counts = new Map<string, number>();
  const texts = rows.map(({ key }) => withoutNumber(key));
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return rows.filter(({ key }, at) => key !== '' && counts.get(texts[at] ?? '') === 1);
}

const withoutNumber = (text: string): string => text.replace(/^\d+[.):│|]?(?:\s+|$)/u, '');

/** Removes the pairs of rows that moved as no row did whose text both screens have once: they are equal by chance. */
function supported(
  pairs: Int32Array,
  now: readonly ComparedRow[],
  unique: ReadonlySet<string>,
): Int32Array {
  let from = 0;
  while (from < pairs.length) {
    const shift = (pairs[from] as number) - from;
    let to = from + 1;
    let isSupported = false;
    if ((pairs[from] as number) >= 0) {
      isSupported = unique.has(now[from]?.key ?? '');
      for (; to < pairs.length; to++) {
        const index = pairs[to] as number;
        if (index < 0 && now[to]?.key !== '') break;
        if (index >= 0 && index - to !== shift) break;
        isSupported ||= index >= 0 && unique.has(now[to]?.key ?? '');
      }
      if (!isSupported) pairs.fill(-1, from, to);
    }
    from = to;
  }
  return pairs;
}

/** What a pair gains if the row above it is one, too: this share of its weight. */
const runBonus = 0.5;

interface Weights {
  readonly best: Float64Array;
  readonly continued: Float64Array;
  readonly weights: readonly number[];
  readonly cols: number;
}

function walk(
  before: readonly ComparedRow[],
  now: readonly ComparedRow[],
  pairs: Int32Array,
  { best, continued, weights, cols }: Weights,
): void {
  let isContinued = false;
  for (let i = 0, j = 0; i < before.length && j < now.length; ) {
    const at = i * cols + j;
    const value = (isContinued ? continued : best)[at] as number;
    const isSame = before[i]?.key === now[j]?.key;
    const weight = weights[j] as number;
    const paired =
      weight + (continued[at + cols + 1] as number) + (isContinued ? runBonus * weight : 0);
    if (isSame && weight > 0 && value === paired) {
      pairs[j++] = i++;
      isContinued = true;
    } else if (isSame && weight === 0 && isContinued && value === continued[at + cols + 1]) {
      i++;
      j++;
    } else {
      isContinued = false;
      if ((best[at + cols] as number) >= (best[at + 1] as number)) i++;
      else j++;
    }
  }
}

function pairFromEnds(
  before: readonly ComparedRow[],
  now: readonly ComparedRow[],
  pairs: Int32Array,
): Int32Array {
  const shorter = Math.min(before.length, now.length);
  let first = 0;
  for (; first < shorter && before[first]?.key === now[first]?.key; first++) pairs[first] = first;
  for (let last = 1; last <= shorter - first; last++) {
    const at = now.length - last;
    if (before[before.length - last]?.key !== now[at]?.key) break;
    pairs[at] = before.length - last;
  }
  return pairs;
}

/** A row whose text is there several times, or has few letters, tells little about where it is. */
function weightOf(key: string, unique: ReadonlySet<string>): number {
  if (key === '') return 0;
  // Less than one row of its own, also for a whole screen of such rows.
  if (!unique.has(key)) return 1 / 256;
  const letters = key.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return letters >= 2 ? 1 : 0.5;
}
