import type { Pattern } from '../searching/pattern.ts';
import type { Watched } from '../watched.ts';

/** A row that is repainted this many times, while nothing else changes, is a spinner. */
const spinnerRepaints = 3;

/** A change of the screen; `masked` changes do not end the silence. */
export type Change = 'none' | 'real' | 'masked';

export interface Masks {
  /** Changes of rows that match are ignored. */
  readonly ignore: readonly Pattern[];
  /** Whether spinners count as changes. */
  readonly countSpinners: boolean;
}

/**
 * Separates changes of a screen that count from changes that are ignored: rows that match a
 * pattern, and spinners. A spinner is the only row that changes, and is repainted rather than
 * extended.
 */
export class ScreenChanges {
  readonly #watched: Watched;
  readonly #masks: Masks;
  #fingerprint: number;
  #topLine: number;
  #rows: Int32Array;
  #texts: readonly string[];
  #repainted = { row: -1, times: 0 };
  readonly #masked = new Set<number>();

  constructor(watched: Watched, masks: Masks) {
    this.#watched = watched;
    this.#masks = masks;
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
    if (rows.length > 1 || this.#masks.countSpinners) return this.#real();
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

  /** A move of the cursor is a change, unless it belongs to a spinner. */
  #onCursor(): Change {
    return this.#repainted.times > 0 ? 'masked' : 'real';
  }

  #onRow(row: number, before: readonly string[]): Change {
    const old = before[row] ?? '';
    const now = this.#texts[row] ?? '';
    if (old !== '' && now.length > old.length && now.startsWith(old)) return this.#real();
    if (this.#repainted.row !== row) this.#repainted = { row, times: 0 };
    this.#repainted.times++;
    if (this.#repainted.times < spinnerRepaints) return 'real';
    this.#masked.add(row);
    return 'masked';
  }

  #real(): Change {
    this.#repainted = { row: -1, times: 0 };
    this.#masked.clear();
    return 'real';
  }
}
