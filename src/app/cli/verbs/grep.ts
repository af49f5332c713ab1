import { defined, ignored, isGlob, quoted, sanitize, shellQuoted, wordOrQuoted } from '#base';
import {
  asVtrError,
  type Coordinator,
  counted,
  isAddress,
  maxMatchesLimit,
  nextSearched,
  type SearchMatch,
  type SearchRequest,
  type SearchResult,
  VtrError,
} from '#model';
import { type FlagValues, texts, toggle, wholeNumber } from '../arguments/flags.ts';
import { labelFilters } from '../arguments/label-flags.ts';
import { commandFlag, output, reach, redaction, redactOf } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { mapAtMost } from '../coordinators/act-on-each.ts';
import { findSession, type Target } from '../coordinators/addressing.ts';
import { asItIs, connectionTo } from '../coordinators/known-coordinators.ts';
import { matchingTargets } from '../coordinators/selection.ts';
import { lostExit, noExit } from '../exit-codes.ts';
import { printJson, printPlain, tellRedacted, wantsJson } from '../output/printing.ts';
import { defineVerb } from '../verb.ts';

const defaultMatches = 100;
const searchesAtOnce = 64;
const lines = { from: 0, to: 1000 };

const flags = {
  ...reach,
  ...output,
  ...redaction,
  all: toggle('search all sessions of all coordinators, including exited ones'),
  session: texts('NAME', 'search this session, or those that a glob matches; repeatable', {
    completes: 'session',
  }),
  label: labelFilters,
  command: commandFlag('search only the output of this command of the shell'),
  before: wholeNumber('N', 'print N lines before each match', { short: 'B', ...lines }),
  after: wholeNumber('N', 'print N lines after each match', { short: 'A', ...lines }),
  context: wholeNumber('N', 'print N lines before and after each match', { short: 'C', ...lines }),
  max: wholeNumber(
    'N',
    `print at most N matches per session, up to ${maxMatchesLimit} (default ${defaultMatches})`,
    { from: 1 },
  ),
  'from-line': wholeNumber('LINE_ID', 'search from this line on; not with --command', { from: 0 }),
};

export const grep = defineVerb({
  name: 'grep',
  summary: 'search the output of sessions',
  args: {
    session: {
      about: `session name or glob, such as 'build-*'; not with --all or --session`,
      optional: true,
      completes: 'session',
    },
    pattern: { about: 'regular expression (RE2: no lookaround, no backreferences)' },
  },
  otherFlags: { tail: '--max N', i: '(?i) at the beginning of the pattern' },
  flags,
  details: [
    'Line 0 is the oldest line kept. A wrapped line is one line. Patterns match tabs as the spaces that are displayed. With --all, --session or a glob, each line begins with the session name.',
    'Lines that have left the scrollback are searched, too, if they are archived (see vtr output). stderr, and lost_lines in JSON, report how many lines were not searched.',
    'If there are more matches, stderr prints the --from-line to continue from (next_line_id in JSON). The line_id of a line stays the same while the program prints.',
    `Exit status: 0 if a line matches, 1 if no line matches, ${lostExit} if no line matches but lines could not be searched.`,
  ],
  examples: [
    { line: 'vtr grep build "error|warning" -C 2', about: 'print two lines around each match' },
    { line: 'vtr grep build "^FAIL" --json', about: 'print matches as JSON' },
    { line: 'vtr grep --all "password|secret"', about: 'search every session' },
    { line: `vtr grep 'build-*' "^FAIL"`, about: 'search several sessions' },
    { line: 'vtr grep shell error --command last', about: 'search the output of one command' },
  ],
  async run(context, { args, flags }) {
    const request = await requestOf(context, args.pattern, flags);
    const { targets, areListed } = await targetsOf(context, args.session, flags);
    const isOne = args.session !== undefined && !areListed;
    if (flags['from-line'] !== undefined && (!isOne || flags.command !== undefined)) {
      const message = '--from-line needs one session, and no --command';
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    const far = new FarConnections(context);
    const answers = await mapAtMost(targets, searchesAtOnce, (target) =>
      search(target, far, request, areListed),
    )
      .catch(async (error) => {
        if (isOne) throw await maybeSwapped(context, args, flags, error);
        throw withoutSession(error);
      })
      .finally(() => far.close());
    const hits = answers.filter((each) => each !== null);
    if (await wantsJson(context, flags)) printJson(context, matchesJson(hits, isOne));
    else printPlain(context, matchesText(hits, isOne));
    tellTruncated(context, hits);
    tellLost(context, hits);
    tellRedactedIn(context, hits);
    if (hits.some(({ result }) => result.matches.length > 0)) return 0;
    return hits.some(({ result }) => result.lostLines > 0) ? lostExit : noExit;
  },
});

async function requestOf(
  context: Context,
  pattern: string,
  values: FlagValues<typeof flags>,
): Promise<SearchRequest> {
  const config = await context.config();
  return {
    pattern,
    before: values.before ?? values.context ?? config.grepContextBefore,
    after: values.after ?? values.context ?? config.grepContextAfter,
    maxMatches: values.max ?? defaultMatches,
    ...(values['from-line'] === undefined ? {} : { from: values['from-line'] }),
    ...defined({ command: values.command }),
    ...redactOf(values),
  };
}

/** Adds to the error for a session that does not exist that the words may be in the order of grep(1). */
async function maybeSwapped(
  context: Context,
  { session = '', pattern }: { readonly session?: string | undefined; readonly pattern: string },
  values: FlagValues<typeof flags>,
  thrown: unknown,
): Promise<unknown> {
  const error = asVtrError(thrown);
  if (error.code !== 'SESSION_NOT_FOUND') return thrown;
  try {
    const { coordinator, session: name } = await findSession(context, pattern, values);
    await coordinator.info(name);
  } catch {
    return thrown;
  }
  const message = `there is no session ${quoted(session)}: the session comes before the pattern: vtr grep ${wordOrQuoted(pattern)} ${shellQuoted(session)}`;
  return new VtrError(error.code, message, { details: error.details });
}

function tellRedactedIn(context: Context, hits: readonly Found[]): void {
  const counts = hits.flatMap(({ result: { redacted } }) => redacted ?? []);
  if (counts.length === 0) return;
  tellRedacted(context, { redacted: counts.reduce((sum, each) => sum + each) });
}

/** @throws VtrError INVALID_ARGUMENT, SESSION_NOT_FOUND, UNAVAILABLE */
async function targetsOf(
  context: Context,
  session: string | undefined,
  values: FlagValues<typeof flags>,
): Promise<{ targets: readonly Target[]; areListed: boolean }> {
  const ways = [session !== undefined, values.all, values.session.length > 0];
  if (ways.filter((isGiven) => isGiven).length !== 1) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      'choose the sessions: SESSION before the pattern, --session NAME, or --all',
    );
  }
  const names = session === undefined ? values.session : [session];
  const areListed = values.all || names.some(isGlob) || values.label.length > 0;
  const targets = areListed
    ? matchingTargets(context, names, values)
    : Promise.all(names.map((name) => findSession(context, name, values)));
  return { targets: await targets, areListed };
}

/**
 * Searches one session.
 *
 * @param isListed whether a session that was removed or has no such command is skipped: null
 */
async function search(
  target: Target,
  far: FarConnections,
  request: SearchRequest,
  isListed: boolean,
): Promise<Found | null> {
  try {
    const { coordinator: short, session } = target;
    const coordinator = isListed && isAddress(short.socket) ? await far.to(short.socket) : short;
    return { target, result: await coordinator.search(session, request) };
  } catch (error) {
    if (isListed && gone.has(asVtrError(error).code)) return null;
    throw error;
  }
}

/** One connection for all searches at an address, where each connection is a program. */
class FarConnections {
  readonly #context: Context;
  readonly #all = new Map<string, Promise<Coordinator>>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** @throws VtrError UNAVAILABLE */
  to(address: string): Promise<Coordinator> {
    const connection =
      this.#all.get(address) ?? connectionTo(this.#context, { socket: address }, asItIs);
    this.#all.set(address, connection);
    return connection;
  }

  close(): void {
    for (const each of this.#all.values())
      ignored(
        each.then((connection) => connection.close()),
        'a connection that could not be made need not be closed',
      );
  }
}

/** Removes the name of one session from an error about the pattern, which is that of all sessions. */
function withoutSession(thrown: unknown): VtrError {
  const error = asVtrError(thrown);
  if (error.code !== 'INVALID_PATTERN') return error;
  const message = error.message.replace(/^session \S+: /, '');
  return new VtrError(error.code, message, { cause: error, details: error.details });
}

const gone: ReadonlySet<string> = new Set(['SESSION_NOT_FOUND', 'COMMAND_NOT_FOUND']);

/** The result of a search in one session. */
interface Found {
  readonly target: Target;
  readonly result: SearchResult;
}

/** @param isOne omits the session name from each line */
function matchesText(hits: readonly Found[], isOne: boolean): string {
  const isOneCoordinator = new Set(hits.map(({ target }) => target.coordinatorName)).size <= 1;
  return hits
    .map(({ target: { coordinatorName, session }, result }) => {
      if (isOne) return ripgrepText(result);
      return ripgrepText(result, isOneCoordinator ? session : `${coordinatorName}:${session}`);
    })
    .join('');
}

/** @param isOne returns the one result, not a list of sessions */
function matchesJson(hits: readonly Found[], isOne: boolean) {
  if (isOne) return hits[0] && resultJson(hits[0].result);
  return {
    sessions: hits
      .filter(({ result }) => result.matches.length > 0 || result.lostLines > 0)
      .map(({ target, result }) => ({
        coordinator: target.coordinatorName,
        name: target.session,
        ...resultJson(result),
      })),
  };
}

/** Reports on stderr where `--max` cut the matches. */
function tellTruncated(context: Context, hits: readonly Found[]): void {
  for (const { target, result } of hits) {
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
function tellLost(context: Context, hits: readonly Found[]): void {
  const lost = hits.filter(({ result }) => result.lostLines > 0);
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
      ...defined({ in_output: inOutput || undefined }),
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
