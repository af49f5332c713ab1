import { RE2JS } from 're2js';
import { VtrError } from '#model';

/** A match in a text, by index. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** A longer pattern is a mistake, or an attack on who compiles it. */
const maxPatternLength = 4096;

/** A regular expression in RE2 syntax: matching takes time linear in the text, whatever it says. */
export class Pattern {
  readonly #compiled: RE2JS;

  /** @throws VtrError INVALID_PATTERN */
  constructor(source: string) {
    if (source.length > maxPatternLength) {
      throw invalid(source.slice(0, 40), `it is longer than ${maxPatternLength} characters`);
    }
    try {
      this.#compiled = RE2JS.compile(source);
    } catch (error) {
      throw invalid(source, (error as Error).message, error);
    }
  }

  /**
   * The first match that shows something of the text from `from` up to `to`: it lies not wholly
   * before or behind. An empty match counts where it touches that part.
   */
  findTouching(text: string, from: number, to: number): Match | null {
    const matcher = this.#compiled.matcher(text);
    while (matcher.find()) {
      const match = { start: matcher.start(), end: matcher.end() };
      if (match.start > to) return null;
      const isEmpty = match.start === match.end;
      const touches = isEmpty ? match.end >= from : match.end > from && match.start < to;
      if (touches) return match;
    }
    return null;
  }
}

function invalid(source: string, reason: string, cause?: unknown): VtrError {
  return new VtrError(
    'INVALID_PATTERN',
    `${JSON.stringify(source)} is no regular expression in RE2 syntax: ${reason}`,
    { cause, details: { pattern: source } },
  );
}
