import { alignRows } from './align-rows.ts';
import { isAlike, isBegun, type LaidRow, lay, type Place } from './lay-rows.ts';

/** A row that a screen has shown. */
export type TranscriptRow = Pick<LaidRow, 'text' | 'offset' | 'isUncertain'>;

/** The default number of rows that are kept, apart from those of the screen. */
const defaultMaxRows = 10_000;
/** With so few other rows, the rest stands still. */
const maxInPlace = 2;

/**
 * The rows that the screens of a program have shown, in the order of the text and without repeats: those that it has
 * scrolled or drawn away, and those that it shows.
 *
 * Each screen is laid over the one before. Rows with the same text, in the same order, are the same rows. A row that is
 * drawn again has its last text. A row that leaves the screen is kept where it was, and if it comes back, as when a
 * person scrolls, it is shown again and not added.
 */
export class Transcript {
  readonly #maxRows: number;
  #shown: readonly LaidRow[] = [];
  /** The hidden rows before each row of the screen, and after the last. */
  #hidden: LaidRow[][] = [[]];
  #dropped = 0;
  #page = 0;
  /** Whether rows may be missing before the next screen. */
  #isUncertain = false;
  /** The rows at the end of the screen that stay while others move. */
  #standing = 0;

  constructor(maxRows = defaultMaxRows) {
    this.#maxRows = maxRows;
  }

  /** How many of the oldest rows are no longer kept. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Returns the rows, without those at the end of the screen that stay while others move.
   *
   * @param aboveScreen leaves out all rows that the screen shows; default: false
   */
  rows({ aboveScreen = false } = {}): readonly TranscriptRow[] {
    const end = Math.max(0, this.#shown.length - this.#standing);
    const shown = this.#shown.slice(0, end);
    const rows = shown.flatMap((row, at) => [...this.#hiddenAt(at), ...(aboveScreen ? [] : [row])]);
    return withoutBlanks([...rows, ...this.#hiddenAt(end)]);
  }

  /**
   * Begins another screen: the rows of the one before are kept.
   *
   * @param isUncertain whether rows may be missing before it
   */
  begin(isUncertain: boolean): void {
    const rows = this.#shown.flatMap((row, at) => [...this.#hiddenAt(at), row]);
    this.#hidden = [[...rows, ...this.#hiddenAt(this.#shown.length)]];
    this.#shown = [];
    this.#standing = 0;
    this.#page++;
    this.#isUncertain = isUncertain;
  }

  /** @param offset of the output that led to this screen */
  show(texts: readonly string[], offset: number): void {
    const before = this.#shown;
    const now = texts.map((text) => rowOf(text, offset, this.#page));
    if (before.length === 0) {
      this.#showFirst(now);
      return;
    }
    const pairs = pairsOf(before, now);
    if (pairs === null) return;
    const shown: LaidRow[] = [];
    const hidden: LaidRow[][] = [];
    const isShorter = lastRow(now) < lastRow(before);
    let isPage = false;
    let returned = 0;
    let above: Place | null = null;
    for (let j = 0; j <= now.length; j++) {
      const pair = j < now.length ? (pairs[j] as number) : before.length;
      if (pair < 0) continue;
      const below: Place | null = j < now.length ? { before: pair, now: j } : null;
      const from = above === null ? 0 : above.before + 1;
      const laid = lay({
        gone: before.slice(from, pair),
        come: now.slice(above === null ? 0 : above.now + 1, j),
        hidden: this.#hidden.slice(from, pair + 1),
        above,
        below,
        isShorter,
        returned,
      });
      isPage ||= laid.isPage;
      const page = this.#page + 1;
      // The program has gone too far, and goes back: these rows were missing before its page.
      const isFilled =
        above === null && below !== null && j > pair && before[pair]?.isUncertain === true;
      const come = isFilled ? fromUncertain(laid.come) : laid.come;
      returned += laid.returned + (isFilled ? come.filter(({ key }) => key !== '').length : 0);
      shown.push(...(laid.isPage ? come.map((row) => ({ ...row, page })) : come));
      hidden.push(...laid.hidden);
      if (below === null) break;
      const oldRow = before[pair] as LaidRow;
      const isUncertain = oldRow.isUncertain && !isFilled;
      shown.push({ ...oldRow, isUncertain, text: now[j]?.text ?? '' });
      above = below;
    }
    if (isPage) this.#page++;
    this.#standing = standingRows(before, now, pairs) ?? this.#standing;
    this.#shown = shown;
    this.#hidden = hidden;
    this.#trim();
  }

  #showFirst(rows: readonly LaidRow[]): void {
    const first = this.#isUncertain ? rows.findIndex(({ key }) => key !== '') : -1;
    this.#shown = rows.map((row, at) => ({ ...row, isUncertain: at === first }));
    this.#hidden = [this.#hidden.flat(), ...rows.map(() => [])];
    this.#isUncertain = false;
  }

  #hiddenAt(index: number): readonly LaidRow[] {
    return this.#hidden[index] ?? [];
  }

  #trim(): void {
    const [first] = this.#hidden;
    // In batches: each removal moves the others.
    if (first === undefined || first.length < this.#maxRows * 1.1) return;
    const count = first.length - this.#maxRows;
    first.splice(0, count);
    this.#dropped += count;
  }
}

/** Returns rows of which the first with a text is uncertain. */
function fromUncertain(rows: readonly LaidRow[]): readonly LaidRow[] {
  const first = rows.findIndex(({ key }) => key !== '');
  return rows.map((row, at) => (at === first ? { ...row, isUncertain: true } : row));
}

function rowOf(text: string, offset: number, page: number): LaidRow {
  return { text, key: keyOf(text), offset, isUncertain: false, page };
}

/** A scroll bar at the right edge, which moves apart from the rows. */
const scrollBar = /\s+[│┃║█▌▐░▒▓▄▀|]$/u;

const keyOf = (text: string): string => text.replace(scrollBar, '').trim();

/** Returns the pairs of two screens as `alignRows`; null if they are the same. */
function pairsOf(before: readonly LaidRow[], now: readonly LaidRow[]): Int32Array | null {
  const isSize = before.length === now.length;
  const others = now.filter(({ key }, row) => key !== before[row]?.key).length;
  if (isSize && others === 0) return null;
  if (!isSize || others > maxInPlace) return alignRows(before, now);
  return Int32Array.from(now, ({ key }, row) =>
    key !== '' && key === before[row]?.key ? row : -1,
  );
}

const lastRow = (rows: readonly LaidRow[]): number => rows.findLastIndex(({ key }) => key !== '');

/** Returns how many rows at the end stay while others move up; null if none has moved up. */
function standingRows(
  before: readonly LaidRow[],
  now: readonly LaidRow[],
  pairs: Int32Array,
): number | null {
  const moved = pairs.findLastIndex((index, row) => index > row);
  if (moved < 0 || before.length !== now.length) return null;
  const indexes = new Set(pairs);
  const isPlace = (row: number) => {
    if (pairs[row] === row || now[row]?.key === '') return true;
    const [was, is] = [before[row] as LaidRow, now[row] as LaidRow];
    // A row that was still being written has moved up, too.
    const isElsewhere = indexes.has(row) || now.some(({ key }) => isBegun(was.key, key));
    return !isElsewhere && isAlike(is, was);
  };
  let first = now.length;
  while (first - 1 > moved && isPlace(first - 1)) first--;
  // Blank rows above belong to the text.
  while (first < now.length && now[first]?.key === '') first++;
  return now.length - first;
}

/** Returns rows with at most one blank row between others. */
function withoutBlanks(rows: readonly LaidRow[]): LaidRow[] {
  const texts = rows.filter(({ key }, at) => key !== '' || (at > 0 && rows[at - 1]?.key !== ''));
  while (texts.at(-1)?.key === '') texts.pop();
  return texts;
}
