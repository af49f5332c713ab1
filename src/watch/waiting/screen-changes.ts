import type { Clock } from '#base';
import type { Pattern } from '../searching/pattern.ts';
import type { Watched } from '../watched.ts';

/** A row that is repainted this many times, while nothing else changes, is a clock or a spinner. */
const repaints = 3;
/** If the last {@link repaints} took less than this, in ms, more than two a second, it is a spinner. */
const spinnerMs = 1_000;

/** A change of the screen; `masked` changes do not end the silence. */
export type Change = 'none' | 'real' | 'masked';

export interface Masks {
  /** Changes of rows that match are ignored. */
  readonly ignore: readonly Pattern[];
  /** Whether clocks count as changes. */
  readonly countClocks: boolean;
  /** Whether the changes of spinners are ignored, too. Default: false. */
  readonly maskSpinners?: boolean;
}

/**
 * Separates changes of a screen that count from changes that are ignored: rows that match a
 * pattern, and clocks. A clock is the only row that changes, and is repainted rather than extended, at
 * most twice a second. Repainted more often, it is a spinner: the program works.
 */
export class ScreenChanges {
  readonly #watched: Watched;
  readonly #masks: Masks;
  readonly #clock: Clock;
  #fingerprint: number;
  #topLine: number;
  #rows: Int32Array;
  #texts: readonly string[];
  /** The row that alone is repainted, and when it was, the last times, in ms of the clock. */
  #repainted: { readonly row: number; readonly atMs: readonly number[] } = { row: -1, atMs: [] };
  readonly #masked = new Set<number>();

  constructor(watched: Watched, masks: Masks, clock: Clock) {
    this.#watched = watched;
    this.#masks = masks;
    this.#clock = clock;
    this.#fingerprint = watched.fingerprint();
    this.#topLine = watched.terminal.topLine;
    this.#rows = watched.rowFingerprints();
    this.#texts = watched.screenRows();
  }

  /** The rows whose changes were ignored, as they look now. */
  get masked(): readonly string[] {
    const rows = this.#watched.screenRows();
    return [...this.#masked].sort((a, b) => a - b).map((row) => rows[row] ?? '');
  }

  /** Returns the change since the last call. */
  next(): Change {
    const fingerprint = this.#watched.fingerprint();
    if (fingerprint === this.#fingerprint) return 'none';
    this.#fingerprint = fingerprint;
    const before = this.#take();
    const rows = this.#counted(before);
    if (this.#topLine !== before.topLine || this.#texts.length !== before.texts.length) {
      return this.#real();
    }
    if (rows.length === 0) return before.changed.length > 0 ? 'masked' : this.#onCursor();
    if (rows.length > 1 || this.#masks.countClocks) return this.#real();
    return this.#onRow(rows[0] as number, before.texts);
  }

  #take() {
    const rows = this.#rows;
    const texts = this.#texts;
    const topLine = this.#topLine;
    this.#rows = this.#watched.rowFingerprints();
    this.#texts = this.#watched.screenRows();
    this.#topLine = this.#watched.terminal.topLine;
    const changed = [...this.#rows.keys()].filter((row) => this.#rows[row] !== rows[row]);
    return { texts, topLine, changed };
  }

  /** Returns the rows that changed, without ignored ones. */
  #counted({ changed, texts }: { changed: readonly number[]; texts: readonly string[] }): number[] {
    return changed.filter((row) => {
      const isIgnored = this.#isIgnored(this.#texts[row]) || this.#isIgnored(texts[row]);
      if (isIgnored) this.#masked.add(row);
      return !isIgnored;
    });
  }

  #isIgnored(text = ''): boolean {
    return this.#masks.ignore.some(
      (pattern) => pattern.findTouching(text, 0, text.length) !== null,
    );
  }

  /** A move of the cursor is a change, unless it belongs to a row that is repainted. */
  #onCursor(): Change {
    return this.#repainted.atMs.length > 0 ? 'masked' : 'real';
  }

  #onRow(row: number, before: readonly string[]): Change {
    const old = before[row] ?? '';
    const now = this.#texts[row] ?? '';
    if (old !== '' && now.length > old.length && now.startsWith(old)) return this.#real();
    const nowMs = this.#clock.nowMs();
    const known = this.#repainted.row === row ? this.#repainted.atMs : [];
    const atMs = [...known, nowMs].slice(-repaints);
    this.#repainted = { row, atMs };
    if (atMs.length < repaints) return 'real';
    if (nowMs - (atMs[0] ?? nowMs) < spinnerMs && this.#masks.maskSpinners !== true) {
      this.#masked.delete(row);
      return 'real';
    }
    this.#masked.add(row);
    return 'masked';
  }

  #real(): Change {
    this.#repainted = { row: -1, atMs: [] };
    this.#masked.clear();
    return 'real';
  }
}
