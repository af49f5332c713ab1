import type { CommandChoice } from './command.ts';
import { VtrError } from './errors.ts';
import type { CancelSignal } from './wait.ts';

export interface SearchRequest {
  /** RE2, matched against logical lines as a person sees them. */
  readonly pattern: string;
  /** Lines of context before and after each match, 0..1000; none when absent. */
  readonly before?: number;
  readonly after?: number;
  /** The search stops after so many lines that match, 1..10,000; 100 when absent. */
  readonly maxMatches?: number;
  /** First line number that is searched; the oldest kept when absent. */
  readonly from?: number;
  /** Line number to stop before; the end when absent. */
  readonly to?: number;
  /** Searches the output of one command only, instead of `from` and `to`. */
  readonly command?: CommandChoice;
  /** Ends the search with CANCELLED. */
  readonly signal?: CancelSignal;
}

/**
 * Looks for a line that may match among whole lines in the form that scrollback keeps them in, from
 * `start` up to and without `end`: UTF-8, each line ended by a line feed. NUL is an empty cell: a
 * space, or nothing at the end of a line. The bytes 0x01 to 0x03 are nothing.
 *
 * @returns the index of a byte of the first such line, the line feed included; -1 where there is none
 */
export type LineFinder = (bytes: Uint8Array, start: number, end: number) => number;

/** How far lines have been looked at: up to one that may match, or without one up to where to go on. */
export interface LineScan {
  readonly line: number;
  readonly found: boolean;
}

/** A line that matches. */
export interface SearchMatch {
  /** Line number. */
  readonly line: number;
  readonly text: string;
  /** The first match on the line: from this index of `text` up to and without `end`. */
  readonly start: number;
  readonly end: number;
  /** The lines before and after it, in their order; fewer at the ends of what is kept. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface SearchResult {
  /** The screen that the result speaks of is at least this new. */
  readonly revision: number;
  /** The oldest line that was kept when the search began. */
  readonly firstLine: number;
  /** Oldest first. */
  readonly matches: readonly SearchMatch[];
  /** More lines match than were asked for. */
  readonly truncated: boolean;
}

const defaultMaxMatches = 100;
const maxMatchesLimit = 10_000;
const maxContextLines = 1_000;

/** The counts of a request, clamped where they are too high. @throws VtrError INVALID_ARGUMENT */
export function searchCounts({ before = 0, after = 0, maxMatches }: SearchRequest) {
  return {
    before: count('before', before, 0, maxContextLines),
    after: count('after', after, 0, maxContextLines),
    maxMatches: count('maxMatches', maxMatches ?? defaultMaxMatches, 1, maxMatchesLimit),
  };
}

function count(name: string, asked: number, min: number, max: number): number {
  if (asked >= min && (Number.isInteger(asked) || asked === Number.POSITIVE_INFINITY)) {
    return Math.min(asked, max);
  }
  throw new VtrError('INVALID_ARGUMENT', `${name} is ${asked}; give a whole number from ${min} on`);
}
