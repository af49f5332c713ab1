import type { Disposable } from '#base';

/** The most letters and digits by which the end of a text is found. */
const maxEnd = 24;

/** A text with fewer letters and digits is found by chance. */
const minEnd = 2;

const notAlphanumeric = /[^\p{L}\p{N}]+/gu;

/**
 * Returns the last letters and digits of a text, by which it is found on a screen whatever breaks its lines; null if it
 * has too few.
 */
function endOfText(text: string): string | null {
  const end = text
    .slice(-4 * maxEnd)
    .replace(notAlphanumeric, '')
    .slice(-maxEnd);
  return end.length < minEnd ? null : end;
}

/** Returns how often the rows of a screen show the end of a text. */
function countShown(end: string, rows: readonly string[]): number {
  return rows.join('').replace(notAlphanumeric, '').split(end).length - 1;
}

/** Lines and corners of boxes, in which a composer may draw an empty row, and block elements. */
const boxes = /[\u2500-\u259f]/g;
/** What programs repaint to show that they work: numbers, and the glyphs of spinners. */
const moving = /\d+|[\u2800-\u28ff·✢✳✶✻✽∗*◐◓◑◒]/g;

/** Returns a row without what changes by itself; empty if it shows nothing. */
const steady = (row: string): string => row.replace(boxes, '').replace(moving, '#').trim();

/** Returns the index of the last row that is not empty, or -1. */
const lastIndexOf = (rows: readonly string[], matches: (row: string) => boolean): number =>
  rows.findLastIndex((row) => row !== '' && matches(row));

/**
 * Where a text stands that was typed into a composer. It stands there as long as nothing new is below it: a line end
 * that became a part of the text adds an empty row. When the program has taken the text, the composer is empty, or what
 * the program shows is below the text.
 */
export class TextPlace {
  readonly #end: string | null;
  /** How often the screen showed the end of the text before it was typed. */
  readonly #countBefore: number;
  /** The row in which the text, or what stands for it, ends; null if it was not shown. */
  readonly #row: string | null;
  /** The rows that may be below the text while it stands there. */
  readonly #below: ReadonlySet<string>;
  readonly #shown: string;

  /**
   * @param before the rows of the screen before the text was typed
   * @param typed the rows right before Enter was sent
   */
  constructor(text: string, before: readonly string[], typed: readonly string[]) {
    this.#end = endOfText(text);
    this.#countBefore = this.#end === null ? 0 : countShown(this.#end, before);
    const rows = typed.map(steady);
    this.#shown = rows.join('\n');
    const old = new Set(before.map(steady));
    const byText = this.#rowOfText(typed);
    const at = byText ?? lastIndexOf(rows, (row) => !old.has(row));
    this.#row = byText === null ? (rows[at] ?? null) : null;
    this.#below = at < 0 ? old : new Set(rows.slice(at + 1));
  }

  /** Whether a screen shows the text, or what stands for it, where it was typed. */
  isIn(screen: readonly string[]): boolean {
    const rows = screen.map(steady);
    const byText = this.#rowOfText(screen);
    const at = byText ?? (this.#row === null ? -1 : lastIndexOf(rows, (row) => row === this.#row));
    return at >= 0 && rows.slice(at + 1).every((row) => row === '' || this.#below.has(row));
  }

  /** Whether a screen differs from the one before Enter in more than what changes by itself. */
  hasMoved(screen: readonly string[]): boolean {
    return screen.map(steady).join('\n') !== this.#shown;
  }

  /** Returns the row in which the text ends; null if it is not shown more often than before. */
  #rowOfText(rows: readonly string[]): number | null {
    const end = this.#end;
    if (end === null || countShown(end, rows) <= this.#countBefore) return null;
    const all = rows.map((row) => row.replace(notAlphanumeric, ''));
    const endAt = all.join('').lastIndexOf(end) + end.length;
    let length = 0;
    return all.findIndex((row) => {
      length += row.length;
      return length >= endAt;
    });
  }
}

export interface ShownTextParts {
  readonly screenRows: () => readonly string[];
  /** Calls the listener when the screen may have changed. */
  readonly onChange: (listener: () => void) => Disposable;
}

/** A text with fewer letters and digits may be commands of single keys, which no screen shows. */
const minShown = 12;

/** The last letters and digits of a text, and how often the screen showed them before it was typed. */
interface Typed {
  readonly end: string;
  readonly before: number;
}

/** The text that was typed last, and whether the screen shows it: then the program has taken it. */
export class ShownText {
  readonly #parts: ShownTextParts;
  #last: Typed | null = null;

  constructor(parts: ShownTextParts) {
    this.#parts = parts;
  }

  /**
   * Must be called before the first byte of the text is written. Other text may be typed before the result is called.
   *
   * @returns what tells whether the screen shows the text by then: null if the text is too short to tell
   */
  typed(text: string): () => boolean | null {
    const end = endOfText(text);
    const before = end === null ? 0 : countShown(end, this.#parts.screenRows());
    const typed = end === null ? null : { end, before };
    this.#last = typed;
    return () => (typed === null || typed.end.length < minShown ? null : this.#shows(typed));
  }

  /** @returns what resolves when the screen shows the text that was typed last, until it is disposed */
  watch(): Disposable & { readonly shown: Promise<void> } {
    const typed = this.#last;
    let changes: Disposable | null = null;
    const shown = new Promise<void>((resolve) => {
      if (typed === null) return;
      const check = () => {
        if (!this.#shows(typed)) return;
        changes?.dispose();
        resolve();
      };
      changes = this.#parts.onChange(check);
      check();
    });
    return { shown, dispose: () => changes?.dispose() };
  }

  #shows({ end, before }: Typed): boolean {
    return countShown(end, this.#parts.screenRows()) > before;
  }
}
