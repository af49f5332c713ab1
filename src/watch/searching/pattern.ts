import { RE2JS } from 're2js';
import { type LineFinder, VtrError } from '#model';
import { characterStart } from '../character-borders.ts';
import { LineFilter } from './line-filter.ts';

/** A match in a text, by index. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** A longer one is a mistake, or an attack: time goes with the product of pattern and text. */
const maxPatternLength = 1024;

/**
 * How far before the part that is asked for a match may begin, in UTF-16 code units. A line may have
 * 256 Ki of them, and one that grows is looked at again with every chunk of output.
 */
const maxLeadUnits = 16 * 1024;

/** A regular expression in RE2 syntax: matching takes time linear in the text, whatever it says. */
export class Pattern {
  readonly #compiled: RE2JS;
  #filter: LineFilter | null = null;

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

  readonly findLine: LineFinder = (bytes, start, end) => {
    this.#filter ??= new LineFilter(this.#compiled);
    return this.#filter.find(bytes, start, end);
  };

  /**
   * The first match that shows something of the text from `from` up to `to`: it lies not wholly
   * before or behind, and begins at most {@link maxLeadUnits} before. An empty match counts where it
   * touches that part.
   *
   * @param cut whether the text lacks its beginning, so that none of it is the start of the line
   */
  findTouching(text: string, from: number, to: number, cut = false): Match | null {
    // In most lines there is nothing, which is found out at a fraction of the cost of where it is.
    if (!this.#compiled.test(text)) return null;
    const matcher = this.#compiled.matcher(text);
    const lead = characterStart(text, Math.max(0, from - maxLeadUnits));
    let found = matcher.find(cut ? Math.max(startOfSecond(text), lead) : lead);
    for (; found; found = matcher.find()) {
      const match = { start: matcher.start(), end: matcher.end() };
      if (match.start > to) return null;
      const isEmpty = match.start === match.end;
      const touches = isEmpty ? match.end >= from : match.end > from && match.start < to;
      if (touches) return match;
    }
    return null;
  }

  /** What the groups took of a match that was found; null for those that took no part. */
  groupsOf(text: string, { start }: Match): (string | null)[] {
    const matcher = this.#compiled.matcher(text);
    if (!matcher.find(start)) return [];
    const count = matcher.groupCount();
    return Array.from({ length: count }, (_, index) => matcher.group(index + 1) ?? null);
  }
}

/** Index of the second character. */
function startOfSecond(text: string): number {
  return (text.codePointAt(0) ?? 0) > 0xffff ? 2 : Math.min(1, text.length);
}

function invalid(source: string, reason: string, cause?: unknown): VtrError {
  return new VtrError(
    'INVALID_PATTERN',
    `${JSON.stringify(source)} is no regular expression in RE2 syntax: ${reason}`,
    { cause, details: { pattern: source } },
  );
}
