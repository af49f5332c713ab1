import { alignRows, type ComparedRow } from './align-rows.ts';

/** A row of a transcript; see {@link Transcript}. */
export interface LaidRow extends ComparedRow {
  readonly text: string;
  /** The offset of the output that first showed it with this text. */
  readonly offset: number;
  /** Whether rows may be missing before it, or repeat others: the screen had changed as a whole. */
  readonly isUncertain: boolean;
  /** The number of the page that it was first shown on. */
  readonly page: number;
}

/** The place of a row on the screen before, and on this one. */
export interface Place {
  readonly before: number;
  readonly now: number;
}

/** What is between two rows that are on two screens. */
export interface Change {
  /** The rows that only the first screen has. */
  readonly gone: readonly LaidRow[];
  /** The rows that only the second screen has. */
  readonly come: readonly LaidRow[];
  /** The hidden rows before each row of `gone`, and after the last. They may be changed. */
  readonly hidden: readonly LaidRow[][];
  /** The row above; null at the top of the screen. */
  readonly above: Place | null;
  /** The row below; null at the end of the screen. */
  readonly below: Place | null;
  /** Whether the second screen has fewer rows than the first. */
  readonly isShorter: boolean;
  /** How many hidden rows have come back further up. */
  readonly returned: number;
}

/** A change that is laid over what was there. */
export interface Laid {
  /** The hidden rows before each row that has come, and after the last. */
  readonly hidden: LaidRow[][];
  readonly come: readonly LaidRow[];
  /** How many hidden rows have come back. */
  readonly returned: number;
  /** Whether the rows that have come are another page. */
  readonly isPage: boolean;
}

/** How many hidden rows are compared with rows that come. */
const lookBack = 300;
/** So many rows of which few are drawn again have made place for another page. */
const minPageRows = 4;
/** A row is drawn again if two rows in its place have this share of its words. */
const sameWords = 0.6;
/** Rows are drawn again if this share of them is. */
const redrawnLeast = 0.4;
/** So many rows that come back tell where they belong. */
const minReturned = 3;

export function lay(change: Change): Laid {
  const { hidden, gone, come } = change;
  const first = hidden[0] ?? [];
  if (gone.length === 0 && come.length === 0) return laid([first], []);
  const [lead, tail] = blankEnds(gone, come);
  if (lead + tail > 0) return layBetween(change, lead, tail);
  if (come.length === 0) return laid([keepGone(change)], []);
  return layReturned(change) ?? layNew(change);
}

const laid = (hidden: LaidRow[][], come: readonly LaidRow[], more: Partial<Laid> = {}): Laid => ({
  hidden,
  come,
  returned: 0,
  isPage: false,
  ...more,
});

/** Returns how many blank rows both begin with, and both end with. */
function blankEnds(gone: readonly LaidRow[], come: readonly LaidRow[]): [number, number] {
  const shorter = Math.min(gone.length, come.length);
  let tail = 0;
  while (tail < shorter && gone.at(-1 - tail)?.key === '' && come.at(-1 - tail)?.key === '') tail++;
  let lead = 0;
  while (lead < shorter - tail && gone[lead]?.key === '' && come[lead]?.key === '') lead++;
  return [lead, tail];
}

/** Lays a change between blank rows that stay. */
function layBetween(change: Change, lead: number, tail: number): Laid {
  const { gone, come, hidden } = change;
  const end = gone.length - tail;
  const inner = lay({
    ...change,
    gone: gone.slice(lead, end),
    come: come.slice(lead, come.length - tail),
    hidden: hidden.slice(lead, end + 1),
  });
  return {
    ...inner,
    hidden: [...hidden.slice(0, lead), ...inner.hidden, ...hidden.slice(end + 1)],
    come: [...come.slice(0, lead), ...inner.come, ...come.slice(come.length - tail)],
  };
}

const movedUp = (place: Place | null): boolean => place !== null && place.now < place.before;
const movedDown = (place: Place | null): boolean => place !== null && place.now > place.before;

/** Returns what is hidden after rows have gone and none has come. */
function keepGone({ hidden, gone, above, below, isShorter, returned }: Change): LaidRow[] {
  const isOffTop = above === null || (movedUp(below) && !isShorter);
  const isOffEnd = below === null ? movedDown(above) : returned >= gone.length;
  const isKept = isOffTop || isOffEnd;
  return merged(hidden, gone, () => isKept);
}

/** Adds rows to the hidden rows before them. The first group can be long, and is not copied. */
function merged(
  hidden: readonly LaidRow[][],
  rows: readonly LaidRow[],
  isKept: (row: LaidRow, at: number) => boolean,
): LaidRow[] {
  const [first = [], ...others] = hidden;
  for (const [at, row] of rows.entries()) {
    if (isKept(row, at)) first.push(row);
    first.push(...(others[at] ?? []));
  }
  return first;
}

interface Known {
  readonly row: LaidRow;
  readonly isGone: boolean;
}

/** Lays rows over hidden rows with the same text; null if there are too few of them. */
function layReturned({ hidden, gone, come, above, below }: Change): Laid | null {
  const first = hidden[0] ?? [];
  const kept = Math.max(0, first.length - lookBack);
  const known: Known[] = first.slice(kept).map((row) => ({ row, isGone: false }));
  for (const [at, row] of gone.entries()) {
    known.push({ row, isGone: true });
    for (const each of hidden[at + 1] ?? []) known.push({ row: each, isGone: false });
  }
  if (known.every(({ isGone }) => isGone)) return null;
  const pairs = alignRows(
    known.map(({ row }) => row),
    come,
  );
  const matched = pairs.filter((index) => index >= 0).length;
  const texts = come.filter(({ key }) => key !== '').length;
  if (matched === 0 || matched < texts / 2) return null;
  const from = pairs.find((index) => index >= 0) ?? 0;
  const to = (pairs.findLast((index) => index >= 0) ?? 0) + 1;
  const isNext =
    (movedDown(below) && to === known.length) || (movedUp(above) && from === 0 && kept === 0);
  if (matched < minReturned && !isNext) return null;
  const page = Math.max(...[...pairs].map((index) => known[index]?.row.page ?? -1));
  // A page that has come and gone again is left out, as that of a dialog.
  const after = known.slice(to).map(({ row }) => row);
  const isOver = after.length > 0 && after.every((row) => row.page > page);
  first.length = kept;
  first.push(
    ...replacedBefore(
      known.slice(0, from),
      come.slice(
        0,
        pairs.findIndex((each) => each >= 0),
      ),
    ),
  );
  const groups = [first, ...come.slice(1).map(() => [])];
  const rows = come.map((row, at) => {
    const index = pairs[at] as number;
    return index < 0 ? row : { ...(known[index]?.row ?? row), text: row.text };
  });
  return laid([...groups, isOver ? [] : after], rows, { returned: matched });
}

/** Returns the hidden rows before those that come back, without those that `come` has drawn again. */
function replacedBefore(known: readonly Known[], come: readonly LaidRow[]): LaidRow[] {
  const rows = known.map(({ row }) => row);
  const texts = come.filter(({ key }) => key !== '').length;
  const last = rows.slice(rows.length - texts);
  return texts > 0 && redrawnShare(last, come) >= redrawnLeast
    ? rows.slice(0, rows.length - texts)
    : rows;
}

/** Lays rows that were not there before. */
function layNew({ hidden: known, gone, come, above, below, isShorter }: Change): Laid {
  // The row above has moved, and the first row that has come follows it: hidden rows between them had been erased.
  const isErased = above !== null && above.now !== above.before;
  const hidden = isErased ? [[], ...known.slice(1)] : known;
  const others = come.slice(1).map(() => [] as LaidRow[]);
  const [first] = come;
  const texts = gone.filter(({ key }) => key !== '');
  const left = gone.length - come.length;
  if (texts.length >= minPageRows && redrawnShare(texts, come) < redrawnLeast) {
    const rows = [{ ...(first as LaidRow), isUncertain: true }, ...come.slice(1)];
    const isWhole = (row: LaidRow) => !come.some(({ key }) => isBegun(row.key, key));
    return laid([merged(hidden, gone, isWhole), ...others, []], rows, {
      isPage: true,
    });
  }
  // The row above stays, and that below has moved up: rows have left between them.
  const isScrolled = left > 0 && !movedUp(above) && movedUp(below) && !isShorter;
  if (!isScrolled) return laid([merged(hidden, gone, () => false), ...others, []], come);
  if (first !== undefined && gone[0] !== undefined && isAlike(gone[0], first)) {
    // A heading that changes; the rows below it leave.
    const rest = merged([[], ...hidden.slice(2)], gone.slice(1), (_, at) => at < left);
    const top = merged(hidden.slice(0, 2), gone.slice(0, 1), () => false);
    return come.length === 1
      ? laid([top, rest], come)
      : laid([top, rest, ...others.slice(1), []], come);
  }
  const top = merged(hidden, gone, (_, at) => at < left);
  return laid([top, ...others, []], come);
}

/** Whether a text is the beginning of another one, as of a row that is still being written. */
const isBegun = (text: string, whole: string): boolean =>
  text !== '' && text.length < whole.length && whole.startsWith(text);

/** Whether two rows differ in numbers and signs only. */
export const isAlike = (one: ComparedRow, other: ComparedRow): boolean =>
  one.key !== '' && letters(one.key) === letters(other.key);

const letters = (text: string): string => text.replace(/[^\p{L}]+/gu, ' ').trim();

/**
 * Returns the share of `rows` that are among `others` in another form: two rows there have most of their words. A row
 * that is there several times, such as a brace, and a word of most rows tell nothing.
 */
function redrawnShare(rows: readonly ComparedRow[], others: readonly ComparedRow[]): number {
  const keys = rows.map(({ key }) => key);
  const single = rows.filter(({ key }) => keys.indexOf(key) === keys.lastIndexOf(key));
  const counts = new Map<string, number>();
  for (const row of single) {
    for (const word of wordsOf(row)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const most = Math.max(1, single.length / 2);
  const words = others.map(wordsOf);
  const pairs = words.map((row, at) => new Set([...row, ...(words[at + 1] ?? [])]));
  const texts = single
    .map((row) => [...wordsOf(row)].filter((word) => (counts.get(word) ?? 0) <= most))
    .filter(({ length }) => length > 0);
  const isRedrawn = (row: readonly string[]) =>
    pairs.some((pair) => row.filter((word) => pair.has(word)).length >= sameWords * row.length);
  return texts.length === 0 ? 1 : texts.filter(isRedrawn).length / texts.length;
}

const wordsOf = ({ key }: ComparedRow): ReadonlySet<string> =>
  new Set(key.match(/[\p{L}\p{N}]+/gu) ?? []);
