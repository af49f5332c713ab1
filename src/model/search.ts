import type { CommandChoice } from './command.ts';
import { VtrError } from './errors.ts';
import type { Redacted, RedactRequest } from './read.ts';
import type { CancelSignal } from './wait.ts';

export interface SearchRequest extends RedactRequest {
  /** RE2, matched against unwrapped lines as displayed. */
  readonly pattern: string;
  /** Lines of context before each match, 0..1000. Default: 0. */
  readonly before?: number;
  /** Lines of context after each match, 0..1000. Default: 0. */
  readonly after?: number;
  /** The search stops after this number of matching lines, 1..10,000. Default: 100. */
  readonly maxMatches?: number;
  /** The first line to search. Default: the oldest line kept. */
  readonly from?: number;
  /** The line to stop before. Default: the end. */
  readonly to?: number;
  /** Searches only the output of this command, instead of `from` and `to`. */
  readonly command?: CommandChoice;
  /** Ends the search with CANCELLED. */
  readonly signal?: CancelSignal;
}

/**
 * Finds a line that may match among whole lines as stored in the scrollback: UTF-8, each line ended
 * by a line feed. NUL and the bytes 0x04 to 0x07 are cells that look empty: a space, or nothing at
 * the end of a line. The bytes 0x01 to 0x03 are ignored. The search covers `start` up to but not
 * including `end`.
 *
 * @returns the index of any byte of the first such line, its line feed included; -1 if there is
 * none
 */
export type LineFinder = (bytes: Uint8Array, start: number, end: number) => number;

/** The result of a scan: a line that may match if `found`, else the line to continue from. */
export interface LineScan {
  readonly line: number;
  readonly mayMatch: boolean;
  /** Set if the line before `line` could not be read. */
  readonly unreadable?: true;
}

/** A matching line. */
export interface SearchMatch {
  /** The line number; if `inOutput` is set, counted from the first line of the output. */
  readonly line: number;
  /**
   * Set if the line is output of the requested command that is no longer in the scrollback or on the
   * screen.
   */
  readonly inOutput?: true;
  readonly text: string;
  /** The first match on the line is `text.slice(start, end)`. */
  readonly start: number;
  readonly end: number;
  /** The lines before the match, oldest first; fewer at the beginning of the lines kept. */
  readonly before: readonly string[];
  /** The lines after the match, oldest first; fewer at the end. */
  readonly after: readonly string[];
}

export interface SearchResult extends Redacted {
  /** The revision of the session when the search ended. */
  readonly revision: number;
  /** The oldest line kept when the search began. */
  readonly firstLine: number;
  /**
   * The lines that could not be searched because they are no longer kept: of the session, or of the command. A
   * pattern that was not found may have been there.
   */
  readonly lostLines: number;
  /** How many of them the session has erased from its scrollback, whatever its limit (`clear`). Absent: none. */
  readonly erasedLines?: number;
  /** Oldest first. */
  readonly matches: readonly SearchMatch[];
  /** There are more matching lines than `maxMatches`. */
  readonly truncated: boolean;
}

/**
 * Returns the line from which a search goes on that has not returned all matches; null if it has, or if the last of
 * them is not in a line of the session.
 */
export function nextSearched({
  matches,
  truncated,
}: Pick<SearchResult, 'matches' | 'truncated'>): number | null {
  const last = matches.at(-1);
  return !truncated || last === undefined || last.inOutput ? null : last.line + 1;
}

const defaultMaxMatches = 100;
/** The most matches that one search returns. */
export const maxMatchesLimit = 10_000;
const maxContextLines = 1_000;

/** Returns the counts of a request, clamped to their maximum. @throws VtrError INVALID_ARGUMENT */
export function searchCounts({ before = 0, after = 0, maxMatches }: SearchRequest) {
  return {
    before: count('before', before, 0, maxContextLines),
    after: count('after', after, 0, maxContextLines),
    maxMatches: count('maxMatches', maxMatches ?? defaultMaxMatches, 1, maxMatchesLimit),
  };
}

function count(name: string, value: number, min: number, max: number): number {
  if (value >= min && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY)) {
    return Math.min(value, max);
  }
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${name} is ${value}; give a whole number of at least ${min}`,
  );
}
