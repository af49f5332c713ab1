import { type LineFinder, type MatchedPattern, type TextMatch, VtrError } from '#model';
import { Pattern } from './pattern.ts';

/** A text to search. A match must include some of the text between `from` and `to`. */
export interface Candidate {
  readonly line: number | null;
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Whether `text` lacks the beginning of the line. */
  readonly cut?: boolean;
  /** The row of the alternate screen, if it is one. */
  readonly row?: number | null;
}

export interface Found {
  readonly pattern: MatchedPattern;
  readonly match: TextMatch;
}

/** The limit of patterns in one list. Each is matched against every line. */
const maxPatterns = 64;

/** Patterns of which any may match. On one text, the first in the list has precedence. */
export class PatternList {
  readonly #of: MatchedPattern['of'];
  readonly #patterns: readonly { readonly source: string; readonly compiled: Pattern }[];

  /** @throws VtrError INVALID_PATTERN, INVALID_ARGUMENT */
  constructor(of: MatchedPattern['of'], sources: readonly string[]) {
    if (sources.length > maxPatterns) {
      throw new VtrError(
        'INVALID_ARGUMENT',
        `${of} has ${sources.length} patterns, over the limit of ${maxPatterns}; join some with |`,
      );
    }
    this.#of = of;
    this.#patterns = sources.map((source) => ({ source, compiled: new Pattern(source) }));
  }

  /** One for each pattern: it finds the lines that the pattern may match. */
  get finders(): readonly LineFinder[] {
    return this.#patterns.map(({ compiled }) => compiled.findLine);
  }

  /** Returns the match in the first text that has one. */
  find(candidates: Iterable<Candidate>): Found | null {
    for (const candidate of candidates) {
      const found = this.#findIn(candidate);
      if (found !== null) return found;
    }
    return null;
  }

  #findIn({ line, text, from, to, cut }: Candidate): Found | null {
    for (const [index, { source, compiled }] of this.#patterns.entries()) {
      const found = compiled.findTouching(text, from, to, cut);
      if (found === null) continue;
      const matched = text.slice(found.start, found.end);
      return {
        pattern: { of: this.#of, index, source },
        match: { line, text, matched, groups: compiled.groupsOf(text, found) },
      };
    }
    return null;
  }
}
