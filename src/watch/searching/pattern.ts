import { RE2JS } from 're2js';
import { defaultPromptPattern, type LineFinder, VtrError } from '#model';
import { characterStart } from '../character-borders.ts';
import { limitStates } from './automaton.ts';
import { GrowingText } from './growing-text.ts';
import { LineFilter } from './line-filter.ts';

/** A match in a text: `text.slice(start, end)`. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** The limit of a pattern. */
const maxPatternLength = 1024;

/**
 * The limit of what it expands to: a counted repetition is as many copies. Where the states of a pattern
 * are too many to be kept, matching takes time proportional to these and to the text, and nothing else
 * runs meanwhile.
 */
const maxInstructions = 4096;

/**
 * How far before the requested part a match may begin, in UTF-16 code units. A line may have 256 Ki
 * of them, and a growing line is matched again with every chunk of output.
 */
const maxLeadUnits = 16 * 1024;
/** A text with fewer units before the requested part is read from its start. */
const longLeadUnits = 1024;

/** More are not seen at once: a line is at most as wide as a screen is large. */
const maxMatchesInLine = 1000;

/** A regular expression in RE2 syntax. Matching takes linear time in the text for every pattern. */
export class Pattern {
  readonly #compiled: RE2JS;
  #filter: LineFilter | null = null;
  #growing: GrowingText | null = null;

  /** @throws VtrError INVALID_PATTERN */
  constructor(source: string) {
    if (source === '') {
      throw refused(source, '"" is empty and matches everything; give a regular expression');
    }
    if (source.length > maxPatternLength) {
      throw invalid(source.slice(0, 40), `longer than ${maxPatternLength} characters`);
    }
    try {
      this.#compiled = RE2JS.compile(source);
    } catch (error) {
      throw invalid(source, (error as Error).message, error);
    }
    const size = this.#compiled.programSize();
    if (size > maxInstructions) {
      const problem = `expands to ${size} instructions, over the limit of ${maxInstructions}`;
      throw refused(source, `${JSON.stringify(source)} ${problem}; repeat less`);
    }
    limitStates(this.#compiled);
  }

  /** Finds lines that may match, see {@link LineFinder}. */
  readonly findLine: LineFinder = (bytes, start, end) => {
    this.#filter ??= new LineFilter(this.#compiled);
    return this.#filter.find(bytes, start, end);
  };

  /**
   * Returns the first match that includes some of the text from `from` up to `to`. It may begin at
   * most {@link maxLeadUnits} before `from`. An empty match must be within or at the ends of that
   * part.
   *
   * @param cut whether the text lacks its beginning, so that `^` does not match at its start
   */
  findTouching(text: string, from: number, to: number, cut = false): Match | null {
    if (from >= longLeadUnits) {
      this.#growing ??= new GrowingText(this.#compiled);
      if (!this.#growing.mayMatchFrom(text, from)) return null;
    }
    const lead = characterStart(text, Math.max(0, from - maxLeadUnits));
    // Most lines have no match; to test for one is much cheaper than to locate it. Conditions such as `^`
    // look at the character before.
    const tested = lead === 0 ? text : text.slice(characterStart(text, lead - 1));
    if (!this.#compiled.test(tested)) return null;
    const matcher = this.#compiled.matcher(text);
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

  /** Returns all matches in a line, at most {@link maxMatchesInLine}. */
  findAll(text: string): Match[] {
    const matches: Match[] = [];
    if (!this.#compiled.test(text)) return matches;
    const matcher = this.#compiled.matcher(text);
    while (matches.length < maxMatchesInLine && matcher.find()) {
      matches.push({ start: matcher.start(), end: matcher.end() });
    }
    return matches;
  }

  /** Returns the capture groups of a match; null for groups that did not participate. */
  groupsOf(text: string, { start }: Match): (string | null)[] {
    const matcher = this.#compiled.matcher(text);
    if (!matcher.find(start)) return [];
    const count = matcher.groupCount();
    return Array.from({ length: count }, (_, index) => matcher.group(index + 1) ?? null);
  }
}

let usualPrompt: Pattern | null = null;

/**
 * Returns the pattern of prompts. Their default is compiled once: that takes longer than a short command.
 *
 * @throws VtrError INVALID_PATTERN
 */
export function promptPatternOf(source: string | undefined): Pattern {
  if (source !== undefined) return new Pattern(source);
  usualPrompt ??= new Pattern(defaultPromptPattern);
  return usualPrompt;
}

/** Returns the index of the second character. */
function startOfSecond(text: string): number {
  return (text.codePointAt(0) ?? 0) > 0xffff ? 2 : Math.min(1, text.length);
}

function invalid(source: string, reason: string, cause?: unknown): VtrError {
  const message = `${JSON.stringify(source)} is not a valid RE2 regular expression: ${reason}`;
  return refused(source, message, cause);
}

function refused(source: string, message: string, cause?: unknown): VtrError {
  return new VtrError('INVALID_PATTERN', message, { cause, details: { pattern: source } });
}

/**
 * Checks a pattern that is configured long before it is used.
 *
 * @throws VtrError INVALID_PATTERN if it is not an RE2 regular expression
 */
export function checkPattern(source: string): void {
  new Pattern(source);
}
