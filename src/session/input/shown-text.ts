import type { Disposable } from '#base';
import { countShown, endOfText } from './text-place.ts';

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
