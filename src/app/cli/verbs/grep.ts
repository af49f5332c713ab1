import { sanitize } from '#base';
import type { SearchResult } from '#model';
import { findSession } from '../addressing.ts';
import { output, reach } from '../common-flags.ts';
import { noExit } from '../exit-codes.ts';
import { wholeNumber } from '../flags.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { printPlain } from '../output/plain-text.ts';
import { sessionArgument } from '../session-argument.ts';
import { defineVerb } from '../verb.ts';

const defaultMatches = 100;
const lines = { from: 0, to: 1000 };

export const grep = defineVerb({
  name: 'grep',
  summary: "search a session's scrollback and screen",
  args: {
    session: sessionArgument,
    pattern: { about: 'a regular expression (RE2: no look-around, no back-references)' },
  },
  flags: {
    ...reach,
    ...output,
    before: wholeNumber('N', 'lines before each match', { short: 'B', ...lines }),
    after: wholeNumber('N', 'lines after each match', { short: 'A', ...lines }),
    context: wholeNumber('N', 'lines before and after', { short: 'C', ...lines }),
    max: wholeNumber('N', `matches to show; ${defaultMatches} if not given`, { from: 1 }),
  },
  details: ['Line 0 is the oldest one that is kept. Exit status 1 says that nothing matches.'],
  examples: [
    { line: 'vtr grep build "error|warning" -C 2', about: 'with two lines around each' },
    { line: 'vtr grep build "^FAIL" --json', about: 'matches for a program' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    const config = await context.config();
    const found = await coordinator.search(session, {
      pattern: args.pattern,
      before: flags.before ?? flags.context ?? config.grepContextBefore ?? 0,
      after: flags.after ?? flags.context ?? config.grepContextAfter ?? 0,
      maxMatches: flags.max ?? defaultMatches,
    });
    if (await wantsJson(context, flags)) printJson(context, matchesJson(found));
    else printPlain(context, ripgrepText(found));
    if (found.truncated) {
      context.say(
        `only the first ${found.matches.length} matches are shown; ask for more by --max`,
      );
    }
    return found.matches.length === 0 ? noExit : 0;
  },
});

/** Line 0 is the oldest one that is kept: the specification counts so, and the coordinator does not. */
function matchesJson({ matches, firstLine, truncated }: SearchResult) {
  return {
    matches: matches.map(({ line, text, before, after }) => ({
      line_number: line - firstLine,
      line: text,
      context_before: before,
      context_after: after,
    })),
    truncated,
    removed: sanitize(ripgrepText({ matches, firstLine })).removed,
  };
}

/** Each line once, though it may stand around several matches; `--` where lines are left out. */
export function ripgrepText({
  matches,
  firstLine,
}: Pick<SearchResult, 'matches' | 'firstLine'>): string {
  const shown = new Map<number, string>();
  for (const { line, text, before, after } of matches) {
    const first = line - firstLine - before.length;
    for (const [index, each] of [...before, text, ...after].entries()) {
      shown.set(first + index, each);
    }
  }
  const rows: string[] = [];
  let last: number | null = null;
  for (const number of [...shown.keys()].sort((a, b) => a - b)) {
    if (last !== null && number > last + 1) rows.push('--');
    rows.push(`scrollback:${number}: ${shown.get(number)}`);
    last = number;
  }
  return rows.map((row) => `${row}\n`).join('');
}
