import { alignRows, type ComparedRow, singleRows } from './align-rows.ts';

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
/** Rows next to others come back if this share of them is known there. */
const nextShare = 0.6;
/** So many rows that come back anywhere tell where they belong. */
const minReturned = 3;

export function lay(change: Change): Laid {
  const { hidden, gone, come } = change;
  const first = hidden[0] ?? [];
  if (gone.length === 0 && come.length === 0) return laid([first], []);
  const [lead, tail] = standingEnds(change);
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

/** Returns how many rows stay at the beginning, and at the end: blank rows, and there a sign that turns. */
function standingEnds({ gone, come, above }: Change): [number, number] {
  const shorter = Math.min(gone.length, come.length);
  const isBlank = (at: number) => gone.at(at)?.key === '' && come.at(at)?.key === '';
  let lead = 0;
  let tail = 0;
  const blankLead = () => {
    while (lead < shorter - tail && isBlank(lead)) lead++;
  };
  const blankTail = () => {
    while (tail < shorter - lead && isBlank(-1 - tail)) tail++;
  };
  // Below a row that stands, the first blank row stands, too.
  if (!movedUp(above) && !movedDown(above)) blankLead();
  blankTail();
  if (tail < shorter - lead && gone.length !== come.length && isSign(gone, come, -1 - tail)) tail++;
  blankTail();
  blankLead();
  return [lead, tail];
}

/** Whether a row differs in numbers and signs only, and not so from the row above it, as the lines of a list do. */
function isSign(gone: readonly LaidRow[], come: readonly LaidRow[], at: number): boolean {
  const [before, now, above] = [gone.at(at), come.at(at), gone.at(at - 1)];
  if (before === undefined || now === undefined || !isAlike(before, now)) return false;
  return above === undefined || !isAlike(above, before);
}

/** Lays a change between rows that stay. */
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
  const texts = gone.filter(({ key }) => key !== '').length;
  const isOffEnd = movedDown(above) && (below === null || (returned > 0 && returned >= texts / 2));
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
function layReturned(change: Change): Laid | null {
  const { hidden, gone, come } = change;
  const first = hidden[0] ?? [];
  const start = Math.max(0, first.length - lookBack);
  const oldRows: Known[] = first.slice(start).map((row) => ({ row, isGone: false }));
  for (const [at, row] of gone.entries()) {
    oldRows.push({ row, isGone: true });
    for (const each of hidden[at + 1] ?? []) oldRows.push({ row: each, isGone: false });
  }
  if (oldRows.every(({ isGone }) => isGone)) return null;
  const place = placeBeside(oldRows, change, start === 0) ?? placeAmong(oldRows, come);
  if (place === null) return null;
  const { pairs, from, to, lead } = place;
  const matched = pairs.filter((index) => index >= 0).length;
  const page = Math.max(...[...pairs].map((index) => oldRows[index]?.row.page ?? -1));
  // A page that has come and gone again is left out, as that of a dialog.
  const after = oldRows.slice(to).map(({ row }) => row);
  const isOver = after.length > 0 && after.every((row) => row.page > page);
  const before = oldRows.slice(0, from).map(({ row }) => row);
  first.length = start;
  first.push(...withoutRedrawn(before, come.slice(0, lead)));
  const groups = [first, ...come.slice(1).map(() => [])];
  const rows = come.map((row, at) => {
    const index = pairs[at] as number;
    return index < 0 ? row : { ...(oldRows[index]?.row ?? row), text: row.text };
  });
  return laid([...groups, isOver ? [] : after], rows, { returned: matched });
}

/** The known rows from `from` up to but excluding `to`, over which rows are laid. */
interface KnownPlace {
  /** For each row that has come, the index of its known row; -1 for none. */
  readonly pairs: Int32Array;
  readonly from: number;
  readonly to: number;
  /** How many rows have come before the first of these. */
  readonly lead: number;
}

/** Returns where rows come back that are next to the others, as when a person scrolls; null if they do not. */
function placeBeside(
  rows: readonly Known[],
  { come, above, below }: Change,
  isFirst: boolean,
): KnownPlace | null {
  const places = [
    ...(movedDown(below) ? [rows.length - come.length] : []),
    ...(movedUp(above) && isFirst ? [0] : []),
  ];
  for (const from of places) {
    if (from < 0 || from + come.length > rows.length) continue;
    const pairs = Int32Array.from(come, ({ key }, at) =>
      key !== '' && key === rows[from + at]?.row.key ? from + at : -1,
    );
    const matched = pairs.filter((index) => index >= 0).length;
    const texts = come.filter(({ key }) => key !== '').length;
    if (matched > 0 && matched >= texts * nextShare)
      return { pairs, from, to: from + come.length, lead: 0 };
  }
  return null;
}

/** Returns where rows come back that were anywhere; null if too few are known. */
function placeAmong(rows: readonly Known[], come: readonly LaidRow[]): KnownPlace | null {
  const pairs = alignRows(
    rows.map(({ row }) => row),
    come,
  );
  const matched = pairs.filter((index) => index >= 0).length;
  const texts = come.filter(({ key }) => key !== '').length;
  if (matched < minReturned || matched < texts / 2) return null;
  const lead = pairs.findIndex((index) => index >= 0);
  const to = (pairs.findLast((index) => index >= 0) ?? 0) + 1;
  return { pairs, from: pairs[lead] ?? 0, to, lead };
}

/** Returns hidden rows without those at their end that `come` has drawn again. */
function withoutRedrawn(rows: readonly LaidRow[], come: readonly LaidRow[]): readonly LaidRow[] {
  const texts = come.filter(({ key }) => key !== '').length;
  const end = rows.length - texts;
  const isRedrawn = texts > 0 && redrawnShare(rows.slice(end), come) >= redrawnLeast;
  return isRedrawn ? rows.slice(0, end) : rows;
}

/** Lays rows that were not there before. */
function layNew({ hidden: all, gone, come, above, below, isShorter }: Change): Laid {
  const others = come.slice(1).map(() => [] as LaidRow[]);
  const [first] = come;
  const texts = gone.filter(({ key }) => key !== '');
  const left = gone.length - come.length;
  // Rows under one that has moved down were erased, as a list of choices that closes.
  const isPage =
    !movedDown(above) && texts.length >= minPageRows && redrawnShare(texts, come) < redrawnLeast;
  // If the row above has moved, the first row that has come follows it: hidden rows between them had been erased.
  const isErased = !isPage && above !== null && above.now !== above.before;
  const hidden = isErased ? [[], ...all.slice(1)] : all;
  if (isPage) {
    const text = come.findIndex(({ key }) => key !== '');
    const rows = come.map((row, at) => (at === text ? { ...row, isUncertain: true } : row));
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
export const isBegun = (text: string, whole: string): boolean =>
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
  const single = singleRows(rows);
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
