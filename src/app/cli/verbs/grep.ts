import { sanitize } from '#base';
import { type SearchRequest, type SearchResult, VtrError } from '#model';
import { type FlagValues, texts, toggle, wholeNumber } from '../arguments/flags.ts';
import { output, reach } from '../arguments/shared-flags.ts';
import { commandFlag } from '../command-flag.ts';
import type { Context } from '../context.ts';
import { everySession, findSession, type Target } from '../coordinators/addressing.ts';
import { noExit } from '../exit-codes.ts';
import { mapAtMost } from '../map-at-most.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { printPlain } from '../output/plain-text.ts';
import { defineVerb } from '../verb.ts';

const defaultMatches = 100;
const searchesAtOnce = 64;
const lines = { from: 0, to: 1000 };

const flags = {
  ...reach,
  ...output,
  all: toggle('in all sessions of all coordinators, also where the program has ended'),
  session: texts('NAME', 'in this session; may be given again', { completes: 'session' }),
  command: commandFlag('only in the output of this command of its shell'),
  before: wholeNumber('N', 'lines before each match', { short: 'B', ...lines }),
  after: wholeNumber('N', 'lines after each match', { short: 'A', ...lines }),
  context: wholeNumber('N', 'lines before and after', { short: 'C', ...lines }),
  max: wholeNumber('N', `matches to show of a session; ${defaultMatches} if not given`, {
    from: 1,
  }),
};

export const grep = defineVerb({
  name: 'grep',
  summary: 'search the scrollback and the screen of a session, or of all',
  args: {
    session: { about: 'where; not with --all or --session', optional: true, completes: 'session' },
    pattern: { about: 'a regular expression (RE2: no look-around, no back-references)' },
  },
  flags,
  details: [
    'Line 0 is the oldest one that is kept. Lines that wrap are one line. With --all or --session the name of the session stands in front.',
    'Exit status 1 says that nothing matches.',
  ],
  examples: [
    { line: 'vtr grep build "error|warning" -C 2', about: 'with two lines around each' },
    { line: 'vtr grep build "^FAIL" --json', about: 'matches for a program' },
    { line: 'vtr grep --all "password|secret"', about: 'in every session' },
    { line: 'vtr grep shell error --command last', about: 'in the output of one command' },
  ],
  async run(context, { args, flags: given }) {
    const request = await requestOf(context, args.pattern, given);
    const isOne = args.session !== undefined;
    const targets = await targetsOf(context, args.session, given);
    const answers = await mapAtMost(targets, searchesAtOnce, (target) =>
      search(target, request, given.all),
    );
    const found = answers.filter((each) => each !== null);
    if (await wantsJson(context, given))
      printJson(context, isOne ? oneJson(found) : allJson(found));
    else printPlain(context, matchesText(found, isOne));
    tellTruncated(context, found);
    return found.every(({ result }) => result.matches.length === 0) ? noExit : 0;
  },
});

async function requestOf(
  context: Context,
  pattern: string,
  given: FlagValues<typeof flags>,
): Promise<SearchRequest> {
  const config = await context.config();
  return {
    pattern,
    before: given.before ?? given.context ?? config.grepContextBefore ?? 0,
    after: given.after ?? given.context ?? config.grepContextAfter ?? 0,
    maxMatches: given.max ?? defaultMatches,
    ...(given.command === undefined ? {} : { command: given.command }),
  };
}

/** @throws VtrError INVALID_ARGUMENT, SESSION_NOT_FOUND, UNAVAILABLE */
async function targetsOf(
  context: Context,
  session: string | undefined,
  given: FlagValues<typeof flags>,
): Promise<Target[]> {
  const ways = [session !== undefined, given.all, given.session.length > 0];
  if (ways.filter((isGiven) => isGiven).length !== 1) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      'say where to search: SESSION before the pattern, or --session NAME, or --all',
    );
  }
  if (given.all) return everySession(context, given);
  const names = session === undefined ? given.session : [session];
  return Promise.all(names.map((name) => findSession(context, name, given)));
}

/** What was found in a session. */
interface Found {
  readonly target: Target;
  readonly result: SearchResult;
}

/** @param isOneOfAll what was removed meanwhile, or has no such command, is not missed */
async function search(
  target: Target,
  request: SearchRequest,
  isOneOfAll: boolean,
): Promise<Found | null> {
  try {
    return { target, result: await target.coordinator.search(target.session, request) };
  } catch (error) {
    const isGone = error instanceof VtrError && gone.has(error.code);
    if (isOneOfAll && isGone) return null;
    throw error;
  }
}

const gone: ReadonlySet<string> = new Set(['SESSION_NOT_FOUND', 'COMMAND_NOT_FOUND']);

/** With the name of the session in front, where there may be several. */
function matchesText(found: readonly Found[], isOne: boolean): string {
  const isOneCoordinator = new Set(found.map(({ target }) => target.coordinatorName)).size <= 1;
  return found
    .map(({ target: { coordinatorName, session }, result }) => {
      if (isOne) return ripgrepText(result);
      return ripgrepText(result, isOneCoordinator ? session : `${coordinatorName}:${session}`);
    })
    .join('');
}

function tellTruncated(context: Context, found: readonly Found[]): void {
  for (const { target, result } of found) {
    if (!result.truncated) continue;
    context.say(
      `session ${target.session}: only the first ${result.matches.length} matches are shown; ask for more by --max`,
    );
  }
}

const oneJson = ([found]: readonly Found[]) => found && matchesJson(found.result);

const allJson = (found: readonly Found[]) => ({
  sessions: found
    .filter(({ result }) => result.matches.length > 0)
    .map(({ target, result }) => ({
      coordinator: target.coordinatorName,
      name: target.session,
      ...matchesJson(result),
    })),
});

/** Line 0 is the oldest one that is kept: the specification counts so, and the coordinator does not. */
function matchesJson({ matches, firstLine, truncated }: SearchResult) {
  return {
    matches: matches.map(({ line, text, before, after }) => ({
      line_number: line - firstLine,
      line_id: line,
      line: text,
      context_before: before,
      context_after: after,
    })),
    truncated,
    removed: sanitize(ripgrepText({ matches, firstLine })).removed,
  };
}

/** Each line once, though it may stand around several matches; `--` where lines are left out. */
export function ripgrepText(
  { matches, firstLine }: Pick<SearchResult, 'matches' | 'firstLine'>,
  prefix = 'scrollback',
): string {
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
    rows.push(`${prefix}:${number}: ${shown.get(number)}`);
    last = number;
  }
  return rows.map((row) => `${row}\n`).join('');
}
