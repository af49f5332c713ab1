import { RE2JS } from 're2js';
import { quoted } from '#base';
import {
  defaultPromptPattern,
  type LineFinder,
  type MatchedPattern,
  type TextMatch,
  VtrError,
} from '#model';
import { characterStart } from '../character-borders.ts';
import {
  type Automaton,
  automatonOf,
  LineFilter,
  limitStates,
  type State,
  textBegins,
  textEnd,
  unanchored,
} from './line-filter.ts';

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
      throw refused(source, `${quoted(source)} ${problem}; repeat less`);
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
    let isMatch = matcher.find(cut ? Math.max(startOfSecond(text), lead) : lead);
    for (; isMatch; isMatch = matcher.find()) {
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
  const message = `${quoted(source)} is not a valid RE2 regular expression: ${reason}`;
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

/** The text that was read before, and the state behind it. */
interface Read {
  readonly text: string;
  readonly state: State;
}

/**
 * Tests whether a match may end in the new part of a text. Where the text has grown since the last test,
 * it reads only what is new: a long line would take quadratic time if each output read it from the start.
 */
export class GrowingText {
  readonly #automaton: Automaton;
  readonly #start: Read | null;
  #read: Read | null;
  /** The text has led to more states than are kept. */
  #givenUp = false;

  constructor(pattern: RE2JS) {
    this.#automaton = automatonOf(pattern);
    const { failed, prog } = this.#automaton;
    const state = failed ? null : this.#automaton.makeState([prog.start], textBegins, []);
    this.#start = state === null ? null : { text: '', state };
    this.#read = this.#start;
  }

  /**
   * Returns false if no match ends at `from` or behind it. True does not mean that one does: the text before may
   * be cut, and a pattern can have too many states.
   */
  mayMatchFrom(text: string, from: number): boolean {
    const border = characterStart(text, from);
    const entry = this.#knownOf(text, border);
    if (entry === null) return true;
    const before = this.#run(entry.state, text, entry.text.length, border, false);
    this.#read = before === null ? null : { text: text.slice(0, border), state: before };
    return before === null || this.#run(before, text, border, text.length, true) === null;
  }

  /** Returns what is known of the beginning of a text; null if the test has no states. */
  #knownOf(text: string, border: number): Read | null {
    const read = this.#read;
    if (read !== null && read.text.length <= border && text.startsWith(read.text)) return read;
    return this.#givenUp ? null : this.#start;
  }

  /**
   * Returns the state behind a part of a text; null if it is unknown.
   *
   * @param isLast whether the text ends there; the result is null as well if a match ends in the part
   */
  #run(from: State, text: string, start: number, end: number, isLast: boolean): State | null {
    const automaton = this.#automaton;
    let state: State | null = from;
    for (let at = start; at < end; ) {
      const rune = text.codePointAt(at) as number;
      state = automaton.step(state, automaton.runeClass(rune), rune, unanchored);
      this.#givenUp ||= state === null;
      if (state === null || (isLast && state.isMatch)) return null;
      at += rune > 0xffff ? 2 : 1;
    }
    if (!isLast) return state;
    const last = automaton.step(state, automaton.numClasses, textEnd, unanchored);
    return last === null || last.isMatch ? null : state;
  }
}

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
      const hit = this.#findIn(candidate);
      if (hit !== null) return hit;
    }
    return null;
  }

  #findIn({ line, text, from, to, cut }: Candidate): Found | null {
    for (const [index, { source, compiled }] of this.#patterns.entries()) {
      const match = compiled.findTouching(text, from, to, cut);
      if (match === null) continue;
      const matched = text.slice(match.start, match.end);
      return {
        pattern: { of: this.#of, index, source },
        match: { line, text, matched, groups: compiled.groupsOf(text, match) },
      };
    }
    return null;
  }
}
