import type { Clock } from '#base';
import {
  type CommandRecord,
  checkLine,
  type LineFinder,
  type LineScan,
  type SearchMatch,
  type SearchRequest,
  type SearchResult,
  searchCounts,
  VtrError,
} from '#model';
import type { OutputPart, Readable, ReadableOutputs } from '../watched.ts';
import { LineScanner, LineWindow, Slices } from './line-scanner.ts';
import { Pattern } from './pattern.ts';

/** The lines of a session that a search covers. */
export interface Searched {
  readonly terminal: SearchedTerminal;
  /** Returns the lines from `from` up to but not including `to` that are kept. */
  lineTexts(from: number, to: number): Iterable<{ readonly line: number; readonly text: string }>;
}

/** What decides which lines that are no longer kept are lost. */
type Lost = Pick<Readable, 'startLine' | 'erasedTo'>;

interface SearchedTerminal {
  readonly revision: number;
  /** The oldest line kept. */
  readonly firstLine: number;
  /** One past the last line. */
  readonly endLine: number;
  /**
   * Scans the lines from `from` up to but not including `to`, up to the first that may match, for
   * at most a fraction of a millisecond.
   */
  scanLines(from: number, to: number, find: LineFinder): LineScan;
}

/**
 * Searches the lines that exist when it is called. It yields to the event loop between slices of
 * time, so a search of long scrollback does not block other work.
 *
 * @param lost the line in which the output of the program begins: lost lines before it do not count; and that before
 *   which it has erased the lines that are no longer kept
 * @throws VtrError INVALID_PATTERN, INVALID_ARGUMENT, CANCELLED
 */
export async function searchLines(
  searched: Searched,
  request: SearchRequest,
  clock: Clock,
  { startLine, erasedTo }: Lost = { startLine: 0, erasedTo: 0 },
): Promise<SearchResult> {
  checkNotCancelled(request);
  const slices = new Slices(clock, () => checkNotCancelled(request));
  const matches = new Matches(searched, request, slices);
  const { firstLine } = searched.terminal;
  const { first, endLine } = searchedLines(searched, request);
  const scanner = new LineScanner(searched.terminal, [matches.pattern.findLine]);
  for (let from = first; from < endLine && !matches.truncated; ) {
    const { line, mayMatch } = scanner.next(from, endLine);
    if (mayMatch) await matches.add(line);
    from = mayMatch ? line + 1 : line;
    if (slices.over) await slices.next();
  }
  const { list, truncated } = matches;
  const { revision } = searched.terminal;
  const from = Math.max(startLine, request.from ?? 0);
  const before = Math.max(0, firstLine - from);
  const erasedLines = Math.max(0, Math.min(firstLine, erasedTo) - from);
  return {
    revision,
    firstLine,
    lostLines: before + scanner.lostLines,
    ...(erasedLines > 0 && { erasedLines }),
    matches: list,
    truncated,
  };
}

/** Returns the range of lines to search. @throws VtrError INVALID_ARGUMENT */
function searchedLines({ terminal }: Searched, { from, to }: SearchRequest) {
  const { firstLine, endLine } = terminal;
  return {
    first: Math.max(firstLine, checkLine('from', from ?? firstLine)),
    endLine: Math.min(endLine, checkLine('to', to ?? endLine)),
  };
}

function checkNotCancelled({ signal }: SearchRequest): void {
  if (signal?.aborted) throw new VtrError('CANCELLED', 'the search was cancelled');
}

/** The matches so far, with their context. */
class Matches {
  readonly list: SearchMatch[] = [];
  truncated = false;
  readonly pattern: Pattern;
  readonly #counts: ReturnType<typeof searchCounts>;
  readonly #endLine: number;
  readonly #window: LineWindow;
  readonly #slices: Slices;

  constructor(searched: Searched, request: SearchRequest, slices: Slices) {
    this.pattern = new Pattern(request.pattern);
    this.#counts = searchCounts(request);
    this.#endLine = searched.terminal.endLine;
    this.#window = new LineWindow(searched);
    this.#slices = slices;
  }

  /** Adds the match in a line, if there is one, with its context. */
  async add(line: number): Promise<void> {
    const text = this.#window.text(line);
    const match = text === undefined ? null : this.pattern.findTouching(text, 0, text.length);
    if (text === undefined || match === null) return;
    const { before, after, maxMatches } = this.#counts;
    if (this.list.length === maxMatches) {
      this.truncated = true;
      return;
    }
    const end = Math.min(line + 1 + after, this.#endLine);
    this.#window.begin(line - before);
    while (this.#window.readTo(end)) if (this.#slices.over) await this.#slices.next();
    const around = {
      before: this.#window.texts(line - before, line),
      after: this.#window.texts(line + 1, end),
    };
    this.list.push({ line, text, ...match, ...around });
  }
}

/**
 * Searches the output of a command.
 *
 * @throws VtrError INVALID_PATTERN, INVALID_ARGUMENT, CANCELLED
 */
export async function searchOutput(
  session: {
    readonly all: { readonly terminal: Pick<Readable['terminal'], 'revision' | 'firstLine'> };
    readonly outputs: ReadableOutputs;
  },
  command: CommandRecord,
  request: SearchRequest,
  clock: Clock,
): Promise<SearchResult> {
  const { revision, firstLine } = session.all.terminal;
  const { maxMatches } = searchCounts(request);
  const matches: SearchMatch[] = [];
  let linesBefore = 0;
  const { parts, lostLines } = await outputOf(session.outputs, command, request, clock);
  for (const part of parts) {
    const { lines, from, to } = part;
    const left = maxMatches - matches.length;
    // One match more than requested shows that there are more.
    const range = { ...request, from, to, maxMatches: Math.max(1, left) };
    const result = await searchLines(lines, range, clock);
    if (result.truncated || (left === 0 && result.matches.length > 0)) {
      matches.push(...placed(result.matches.slice(0, left), part, linesBefore));
      return { revision, firstLine, lostLines, matches, truncated: true };
    }
    matches.push(...placed(result.matches, part, linesBefore));
    linesBefore += to - from;
  }
  return { revision, firstLine, lostLines, matches, truncated: false };
}

async function outputOf(
  outputs: ReadableOutputs,
  command: CommandRecord,
  request: SearchRequest,
  clock: Clock,
): Promise<ReturnType<ReadableOutputs['lines']>> {
  // An invalid request fails also if there is no output.
  await searchLines(noLines, request, clock);
  return outputs.lines(command);
}

const noLines = {
  terminal: {
    revision: 0,
    firstLine: 0,
    endLine: 0,
    scanLines: (line: number) => ({ line, mayMatch: false }),
  },
  lineTexts: () => [],
};

/** Gives matches the numbers of their lines in the session, or else in the output. */
function placed(
  matches: readonly SearchMatch[],
  { from, shift }: OutputPart,
  linesBefore: number,
): SearchMatch[] {
  if (matches.length === 0) return [];
  const by = shift();
  return matches.map((match) =>
    by === null
      ? { ...match, line: match.line - from + linesBefore, inOutput: true }
      : { ...match, line: match.line + by },
  );
}
