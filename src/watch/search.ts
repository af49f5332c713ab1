import type { Clock } from '#base';
import {
  checkLine,
  type SearchMatch,
  type SearchRequest,
  type SearchResult,
  searchCounts,
  VtrError,
} from '#model';
import { Pattern } from './pattern.ts';

/** Lines of a session, as a search sees them. */
export interface Searched {
  readonly revision: number;
  /** The oldest line that is kept. */
  readonly firstLine: number;
  readonly endLine: number;
  /** Lines from `from` up to and without `to`, as far as they are kept. */
  lineTexts(from: number, to: number): Iterable<{ readonly line: number; readonly text: string }>;
}

/** Lines that are read at a time, of which each may have 256 Ki characters. */
const batchLines = 16;

/** UTF-16 code units that are searched before everybody else has a turn. */
const sliceUnits = 128 * 1024;

/**
 * Searches the lines that are there when it is called. Between slices the event loop turns, so a
 * search in long scrollback holds nobody up.
 *
 * @throws VtrError INVALID_PATTERN, INVALID_ARGUMENT, CANCELLED
 */
export async function searchLines(
  searched: Searched,
  request: SearchRequest,
  clock: Clock,
): Promise<SearchResult> {
  checkWanted(request);
  const matches = new Matches(request);
  const { firstLine } = searched;
  const { first, endLine } = searchedLines(searched, request);
  let units = 0;
  for (let from = first; from < endLine && !matches.complete; from += batchLines) {
    const to = Math.min(from + batchLines, endLine);
    for (const { line, text } of searched.lineTexts(from, to)) {
      matches.look(line, text);
      units += text.length;
    }
    if (units < sliceUnits) continue;
    units = 0;
    await new Promise<void>((resolve) => clock.afterPendingIo(resolve));
    checkWanted(request);
  }
  const { found, truncated } = matches;
  return { revision: searched.revision, firstLine, matches: found, truncated };
}

/** @throws VtrError INVALID_ARGUMENT */
function searchedLines({ firstLine, endLine }: Searched, { from, to }: SearchRequest) {
  return {
    first: Math.max(firstLine, checkLine('from', from ?? firstLine)),
    endLine: Math.min(endLine, checkLine('to', to ?? endLine)),
  };
}

function checkWanted({ signal }: SearchRequest): void {
  if (signal?.aborted) throw new VtrError('CANCELLED', 'the search was cancelled');
}

interface OpenMatch extends SearchMatch {
  readonly after: string[];
}

/** The matches so far, with the lines around them. */
class Matches {
  readonly found: OpenMatch[] = [];
  truncated = false;
  readonly #pattern: Pattern;
  readonly #counts: ReturnType<typeof searchCounts>;
  /** The last lines, at most as many as a match shows before itself. */
  readonly #before: string[] = [];
  /** Matches that still want lines after themselves: the last ones of `found`. */
  #open: OpenMatch[] = [];

  constructor(request: SearchRequest) {
    this.#pattern = new Pattern(request.pattern);
    this.#counts = searchCounts(request);
  }

  /** No further line would change anything. */
  get complete(): boolean {
    return this.truncated && this.#open.length === 0;
  }

  /** Takes the next line. */
  look(line: number, text: string): void {
    for (const each of this.#open) each.after.push(text);
    this.#open = this.#open.filter(({ after }) => after.length < this.#counts.after);
    const match = this.truncated ? null : this.#pattern.findTouching(text, 0, text.length);
    if (match !== null) this.#add({ line, text, ...match, before: [...this.#before], after: [] });
    this.#before.push(text);
    if (this.#before.length > this.#counts.before) this.#before.shift();
  }

  #add(match: OpenMatch): void {
    if (this.found.length === this.#counts.maxMatches) {
      this.truncated = true;
      return;
    }
    this.found.push(match);
    if (this.#counts.after > 0) this.#open.push(match);
  }
}
