import type { Clock } from '#base';
import { hasSegment, type LostRow, lostRows, pairRows } from '../reading/shown-rows.ts';
import type { Candidate, PatternList } from '../searching/pattern.ts';
import type { ShownRow, ShownRows, Watched } from '../watched.ts';

/** A text that disappears and is back within this time, in ms, was drawn again: output arrives in parts. */
export const redrawMs = 100;
/** A text that is back within this time, in ms, may have been drawn again. */
const maybeMs = 1_000;
/** The most rows kept that have disappeared. */
const maxGone = 256;

/**
 * Whether a text is new: `old` was on the screen before, `maybe` cannot be told, `open` is the beginning of an old text of
 * which the rest may not have arrived.
 */
export type Novelty = 'new' | 'old' | 'maybe' | 'open';

interface GoneRow extends LostRow {
  readonly atMs: number;
  /** The line or row that shows the text again. */
  shownAt: number | null;
}

const whole = ({ text }: ShownRow): Candidate => ({ line: null, text, from: 0, to: text.length });

/**
 * Tells text that a program draws again from new text. A program that scrolls or redraws its screen prints the rows
 * again that were there before. On the alternate screen, and where a program prints above the cursor's lowest line,
 * rows are compared with the screen before: one that was there is old, and one more of the same text is new.
 * Output that only continues is always new, and so is what a shell's program prints after it has cleared the screen.
 */
export class Repaints {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #patterns: PatternList;
  #before: readonly ShownRow[];
  #alternate: boolean;
  /** Whether the last output cleared the primary screen. */
  #isCleared = false;
  #revision: number;
  #now: readonly ShownRow[] = [];
  /** For each row of {@link #now}, that of the screen before; null if all that was printed is new. */
  #pairs: Int32Array | null = null;
  #gone: GoneRow[] = [];

  /** Whether nothing on the screen before matches, so that each match is new; null if that is not known yet. */
  #isIdle: boolean | null = null;

  constructor(
    watched: Watched,
    clock: Clock,
    patterns: PatternList,
    { rows, alternate, revision }: ShownRows,
  ) {
    this.#watched = watched;
    this.#clock = clock;
    this.#patterns = patterns;
    this.#before = rows;
    this.#alternate = alternate;
    this.#revision = revision;
  }

  /** Must be called after each output. */
  onOutput(): void {
    if (this.#isIdle) return;
    const { alternate } = this.#watched.terminal;
    this.#pairs = null;
    if (alternate !== this.#alternate) {
      this.#alternate = alternate;
      this.#gone = [];
      this.#before = this.#watched.shownRows().rows;
    } else if (alternate || this.#isDrawnAbove()) this.#compare();
    this.#revision = this.#watched.terminal.revision;
  }

  /** Whether the last output printed on the primary screen above the lowest line of the cursor. */
  #isDrawnAbove(): boolean {
    const { terminal } = this.#watched;
    this.#isCleared = terminal.clearedFrom(this.#revision) !== Number.POSITIVE_INFINITY;
    if (this.#isCleared && !this.#watched.keepsEnterApart()) {
      this.#before = [];
      this.#gone = [];
      return false;
    }
    return this.#isCleared || terminal.rewrittenFrom(this.#revision) !== Number.POSITIVE_INFINITY;
  }

  #compare(): void {
    this.#isIdle ??= this.#patterns.find(this.#before.map(whole)) === null;
    if (this.#isIdle) return;
    const { topLine } = this.#watched.terminal;
    const printedText = [...this.#watched.printedText()];
    const first = Math.min(topLine, printedText[0]?.line ?? topLine);
    const now = this.#watched.shownRows(first).rows;
    const nowMs = this.#clock.nowMs();
    const printed = new Set<number>();
    for (const { line, row } of printedText) {
      const id = row === null ? line : now[row]?.id;
      if (id !== undefined && id !== null) printed.add(id);
    }
    // Lines that have left the primary screen are kept as they were.
    const isKept = ({ id }: ShownRow) => !this.#alternate && !this.#isCleared && id < first;
    const before = this.#before.filter((row) => !isKept(row));
    const pairs = pairRows(before, now, ({ id }) => printed.has(id));
    // Rows that moved without being printed on: the terminal has scrolled, and the others have left the screen.
    const isScrolled = now.some(
      (row, at) => (pairs[at] ?? at) >= 0 && pairs[at] !== at && !printed.has(row.id),
    );
    const gone = lostRows(before, pairs)
      .filter(({ isOff }) => !isOff || !isScrolled)
      .map((row) => ({ ...row, atMs: nowMs, shownAt: null }));
    const rows = this.#gone.filter((row) => row.shownAt === null && nowMs - row.atMs <= maybeMs);
    this.#gone = [...rows, ...gone].slice(-maxGone);
    this.#pairs = pairs;
    this.#now = now;
    this.#before = [...this.#before.filter(isKept), ...now];
  }

  /** Whether text that the last output printed may be old. */
  get mayBeOld(): boolean {
    return this.#isIdle === false && (this.#pairs !== null || this.#gone.length > 0);
  }

  /**
   * Returns whether text that the last output printed is new.
   *
   * @param segment the text, up to the next column or pane
   */
  noveltyOf({ line, row }: Candidate, segment: string): Novelty {
    if (this.#pairs !== null) {
      const index = row ?? this.#now.findIndex(({ id }) => id === line);
      if ((this.#pairs[index] ?? -1) >= 0) return 'old';
    } else if (this.#gone.length === 0) return 'new';
    const place = row ?? line ?? -1;
    const nowMs = this.#clock.nowMs();
    const isBack = (each: GoneRow) =>
      (each.shownAt === null || each.shownAt === place) &&
      nowMs - each.atMs <= maybeMs &&
      hasSegment(each.text, segment);
    const back =
      this.#gone.findLast((each) => isBack(each) && !each.isOff) ?? this.#gone.find(isBack);
    if (back === undefined) return this.#isOpen(segment, nowMs) ? 'open' : 'new';
    back.shownAt = place;
    return back.isOff || nowMs - back.atMs > redrawMs ? 'maybe' : 'old';
  }

  /** Whether output may continue with the rest of a text that has just disappeared. */
  #isOpen(segment: string, nowMs: number): boolean {
    const { textBeforeCursor } = this.#watched;
    return (
      this.#gone.some(({ text, atMs }) => nowMs - atMs <= redrawMs && text.includes(segment)) &&
      textBeforeCursor.call(this.#watched).trimEnd().endsWith(segment)
    );
  }
}
