import type { Clock } from '#base';
import {
  type CommandRecord,
  type SearchMatch,
  type SearchRequest,
  type SearchResult,
  searchCounts,
} from '#model';
import type { OutputPart, Readable, ReadableOutputs } from '../watched.ts';
import { searchLines } from './search.ts';

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
    const found = await searchLines(lines, range, clock);
    if (found.truncated || (left === 0 && found.matches.length > 0)) {
      matches.push(...placed(found.matches.slice(0, left), part, linesBefore));
      return { revision, firstLine, lostLines, matches, truncated: true };
    }
    matches.push(...placed(found.matches, part, linesBefore));
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
    ...{ revision: 0, firstLine: 0, endLine: 0 },
    scanLines: (line: number) => ({ line, found: false }),
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
