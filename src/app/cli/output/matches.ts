import { sanitize } from '#base';
import {
  counted,
  maxMatchesLimit,
  nextSearched,
  type SearchMatch,
  type SearchResult,
} from '#model';
import type { Context } from '../context.ts';
import type { Target } from '../coordinators/addressing.ts';

/** The result of a search in one session. */
export interface Found {
  readonly target: Target;
  readonly result: SearchResult;
}

/** @param isOne omits the session name from each line */
export function matchesText(found: readonly Found[], isOne: boolean): string {
  const isOneCoordinator = new Set(found.map(({ target }) => target.coordinatorName)).size <= 1;
  return found
    .map(({ target: { coordinatorName, session }, result }) => {
      if (isOne) return ripgrepText(result);
      return ripgrepText(result, isOneCoordinator ? session : `${coordinatorName}:${session}`);
    })
    .join('');
}

/** @param isOne returns the one result, not a list of sessions */
export function matchesJson(found: readonly Found[], isOne: boolean) {
  if (isOne) return found[0] && resultJson(found[0].result);
  return {
    sessions: found
      .filter(({ result }) => result.matches.length > 0 || result.lostLines > 0)
      .map(({ target, result }) => ({
        coordinator: target.coordinatorName,
        name: target.session,
        ...resultJson(result),
      })),
  };
}

/** Reports on stderr where `--max` cut the matches. */
export function tellTruncated(context: Context, found: readonly Found[]): void {
  for (const { target, result } of found) {
    if (!result.truncated) continue;
    const { length } = result.matches;
    const next = nextSearched(result);
    const ways = [
      ...(length < maxMatchesLimit ? [`--max, up to ${maxMatchesLimit}`] : []),
      ...(next === null ? [] : [`--from-line ${next}`]),
    ];
    const fix =
      ways.length === 0 ? 'search for less' : `see more with ${ways.join(', or go on with ')}`;
    context.say(`session ${target.shown}: only the first ${length} matches are shown; ${fix}`);
  }
}

/** Reports on stderr the lines that could not be searched. */
export function tellLost(context: Context, found: readonly Found[]): void {
  const lost = found.filter(({ result }) => result.lostLines > 0);
  for (const { target, result } of lost) {
    const { lostLines, erasedLines = 0 } = result;
    const where = `session ${target.shown}: not searched`;
    const dropped = lostLines - erasedLines;
    if (erasedLines > 0) {
      context.say(`${where}: ${counted(erasedLines, 'line')} that the session has cleared`);
    }
    if (dropped > 0) context.say(`${where}: ${counted(dropped, 'line')} that are no longer kept`);
  }
  const isDropped = lost.some(({ result }) => result.lostLines > (result.erasedLines ?? 0));
  if (isDropped) context.say('to keep more lines: vtr spawn --scrollback LINES');
}

/** Line 0 is the oldest kept line, as in the specification. The coordinator counts from the first line of the session. */
function resultJson(result: SearchResult) {
  const { matches, firstLine, lostLines, erasedLines = 0, truncated } = result;
  return {
    matches: matches.map(({ line, inOutput = false, text, before, after }) => ({
      line_number: inOutput ? line : line - firstLine,
      line_id: inOutput ? null : line,
      ...(inOutput ? { in_output: true } : {}),
      line: text,
      context_before: before,
      context_after: after,
    })),
    truncated,
    next_line_id: nextSearched(result),
    lost_lines: lostLines,
    erased_lines: erasedLines,
    removed: sanitize(ripgrepText({ matches, firstLine })).removed,
  };
}

/**
 * Prints each line once, even if it is context of several matches. `--` separates groups of lines
 * if there is context. Lines that are only in the output of a command are numbered from its
 * beginning.
 */
export function ripgrepText(
  { matches, firstLine }: Pick<SearchResult, 'matches' | 'firstLine'>,
  name?: string,
): string {
  const inLines = matches.filter(({ inOutput }) => inOutput !== true);
  const inOutput = matches.filter((match) => match.inOutput === true);
  const prefix = name === undefined ? '' : `${name}:`;
  return (
    groupsText(inLines, firstLine, name ?? 'scrollback') +
    groupsText(inOutput, 0, `${prefix}output`)
  );
}

function groupsText(matches: readonly SearchMatch[], firstLine: number, prefix: string): string {
  const shown = new Map<number, string>();
  for (const { line, text, before, after } of matches) {
    const first = line - firstLine - before.length;
    for (const [index, each] of [...before, text, ...after].entries()) {
      shown.set(first + index, each);
    }
  }
  const hasContext = shown.size > matches.length;
  const rows: string[] = [];
  let last: number | null = null;
  for (const number of [...shown.keys()].sort((a, b) => a - b)) {
    if (hasContext && last !== null && number > last + 1) rows.push('--');
    rows.push(`${prefix}:${number}: ${shown.get(number)}`);
    last = number;
  }
  return rows.map((row) => `${row}\n`).join('');
}
