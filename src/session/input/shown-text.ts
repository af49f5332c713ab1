import type { Disposable } from '#base';
import { countShown, endOfText } from './text-place.ts';

export interface ShownTextParts {
  readonly screenRows: () => readonly string[];
  /** Calls the listener when the screen may have changed. */
  readonly onChange: (listener: () => void) => Disposable;
}

/** Texts with fewer letters and digits are commands of one key more often than text, which no screen shows. */
const minShown = 12;

/** The text that was typed last, and whether the screen shows it: then the program has taken it. */
export class ShownText {
  readonly #parts: ShownTextParts;
  /** Its last letters and digits, and how often the screen showed them before. */
  #typed: { readonly end: string; readonly before: number } | null = null;

  constructor(parts: ShownTextParts) {
    this.#parts = parts;
  }

  /** Must be called before the first byte of the text is written. */
  typed(text: string): void {
    const end = endOfText(text);
    const before = end === null ? 0 : countShown(end, this.#parts.screenRows());
    this.#typed = end === null ? null : { end, before };
  }

  get #isShown(): boolean {
    if (this.#typed === null) return false;
    const { end, before } = this.#typed;
    return countShown(end, this.#parts.screenRows()) > before;
  }

  /** Whether the screen shows the text; null if nobody can expect that. */
  get isShown(): boolean | null {
    return (this.#typed?.end.length ?? 0) < minShown ? null : this.#isShown;
  }

  /** @returns what resolves when the screen shows the text, until it is disposed */
  watch(): Disposable & { readonly shown: Promise<void> } {
    let changes: Disposable | null = null;
    const shown = new Promise<void>((resolve) => {
      const check = () => {
        if (!this.#isShown) return;
        changes?.dispose();
        resolve();
      };
      if (this.#typed !== null) changes = this.#parts.onChange(check);
      check();
    });
    return { shown, dispose: () => changes?.dispose() };
  }
}
