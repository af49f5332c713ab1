import { globPattern, isGlob, nearMisses, quoted } from '#base';
import { checkNotAddress } from '#config';
import {
  asVtrError,
  checkSessionName,
  type ListRequest,
  type SessionInfo,
  type SessionRef,
  VtrError,
} from '#model';
import type { JsonCoordinator } from '#wire/service/short';
import { toggle } from '../arguments/flags.ts';
import { filterText, hasLabels, type LabelFilter, labelFilters } from '../arguments/label-flags.ts';
import { reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import type { Argument } from '../verb.ts';
import {
  type Answer,
  findSession,
  listSessions,
  ownSessions,
  placeAndName,
  splitAddress,
  type Target,
  targetAt,
} from './addressing.ts';
import { clientOf } from './known-coordinators.ts';

/** The argument of verbs that work on several sessions. */
export const sessionsArgument = {
  about: `session name, glob such as 'build-*', or COORDINATOR:NAME`,
  completes: 'session',
  optional: true,
} as const satisfies Argument;

/** The flags of verbs that work on several sessions. */
export const selectionFlags = {
  ...reach,
  all: toggle('all sessions of your own coordinator, or of the one of --coordinator'),
  everywhere: toggle('with a glob, --label or --all: sessions of all known coordinators'),
  label: labelFilters,
};

/** The paragraph about them in the help of those verbs. */
export const selectionDetails =
  'A glob contains *, ? or [. Quote it, so that the shell does not expand it. Globs, --label and --all select sessions of your own coordinator, unless you name another one or give --everywhere; --label alone selects all with the label. A glob that matches nothing is an error. Prints the names of the sessions, unless you give a single name. If one session fails, the others are still done; the exit status is that of the first failure.';

interface SelectionFlags {
  readonly coordinator?: string | undefined;
  readonly all: boolean;
  readonly everywhere?: boolean;
  readonly label: readonly LabelFilter[];
}

/** A session that a verb works on. */
export interface SelectedSession {
  readonly coordinator: JsonCoordinator;
  readonly coordinatorName: string;
  readonly name: string;
  /** With the id, if the session was listed. */
  readonly ref: SessionRef;
  /** Absent if the session was not listed. */
  readonly info?: SessionInfo;
}

/** A name or glob, of several, that matches no session. */
export interface Unmatched {
  readonly pattern: string;
  readonly error: VtrError;
}

export interface Selection {
  readonly sessions: readonly SelectedSession[];
  readonly unmatched: readonly Unmatched[];
  /** Whether the user named one session, without a glob. */
  readonly isOne: boolean;
}

/**
 * Finds the sessions that a user names. A single name is not looked up: the verb's own call fails if
 * there is no such session. If there are several names and globs, also returns those that match nothing.
 *
 * @param isEligible whether a glob or --all selects a session
 * @throws VtrError INVALID_ARGUMENT, SESSION_NOT_FOUND, UNAVAILABLE
 */
export async function selectSessions(
  context: Context,
  patterns: readonly string[],
  flags: SelectionFlags,
  isEligible: (info: SessionInfo) => boolean = () => true,
): Promise<Selection> {
  checkPatterns(patterns, flags);
  const [first = ''] = patterns;
  const isPlain = (pattern: string) => !isGlob(pattern) && flags.label.length === 0;
  if (patterns.length === 1 && isPlain(first)) {
    return { sessions: [await plainSession(context, first, flags)], unmatched: [], isOne: true };
  }
  const selection = new Map<string, SelectedSession>();
  const unmatched: Unmatched[] = [];
  for (const pattern of patterns.length === 0 ? ['*'] : patterns) {
    try {
      const sessions = isPlain(pattern)
        ? [await plainSession(context, pattern, flags)]
        : await matching(context, pattern, flags, isEligible);
      for (const each of sessions) selection.set(`${each.coordinator.socket}:${each.name}`, each);
    } catch (thrown) {
      const error = asVtrError(thrown);
      if (patterns.length === 1 || error.code !== 'SESSION_NOT_FOUND') throw thrown;
      unmatched.push({ pattern, error });
    }
  }
  return { sessions: [...selection.values()], unmatched, isOne: false };
}

/** @throws VtrError INVALID_ARGUMENT */
function checkPatterns(
  patterns: readonly string[],
  { all, everywhere = false, coordinator, label }: SelectionFlags,
): void {
  const fail = (message: string) => {
    throw new VtrError('INVALID_ARGUMENT', message);
  };
  if (patterns.length > 0 && all) fail('a session and --all cannot be used together');
  if (everywhere && coordinator !== undefined) {
    fail('--everywhere and --coordinator cannot be used together');
  }
  if (everywhere && label.length === 0 && patterns.some((pattern) => !isGlob(pattern))) {
    fail(
      '--everywhere needs a glob; to name one session of another coordinator, give COORDINATOR:NAME',
    );
  }
  if (patterns.length > 0 || all || label.length > 0) return;
  fail("missing SESSION; give a name, a glob such as 'build-*', --label or --all");
}

async function plainSession(
  context: Context,
  address: string,
  flags: SelectionFlags,
): Promise<SelectedSession> {
  const { coordinator, coordinatorName, session } = await findSession(context, address, flags);
  return { coordinator, coordinatorName, name: session, ref: session };
}

/** @throws VtrError SESSION_NOT_FOUND if none match, except for --all */
async function matching(
  context: Context,
  address: string,
  flags: SelectionFlags,
  isEligible: (info: SessionInfo) => boolean,
): Promise<SelectedSession[]> {
  const { coordinator: named, session: pattern } = await placeAndName(context, address, flags);
  const test = nameTest(pattern);
  const isSelected = (info: SessionInfo) =>
    test(info.name) && hasLabels(info, flags.label) && isEligible(info);
  const answers = flags.everywhere
    ? await listSessions(context, named)
    : await ownSessions(context, named);
  const sessions = answers.flatMap(({ coordinator: place, sessions }) =>
    sessions.filter(isSelected).map((info) => {
      const { name, id } = info;
      const coordinator = clientOf(context, place);
      return { coordinator, coordinatorName: place.name, name, ref: { name, id }, info };
    }),
  );
  if (sessions.length > 0 || flags.all) return sessions;
  const elsewhere =
    named === undefined && !flags.everywhere ? await listSessions(context, undefined) : [];
  throw noMatchHere(address, flags.label, countsOf(elsewhere, isSelected));
}

/** Returns how many sessions each coordinator has of those that are selected. */
const countsOf = (answers: readonly Answer[], isSelected: (info: SessionInfo) => boolean) =>
  answers
    .map(({ coordinator: { name }, sessions }) => ({
      name,
      count: sessions.filter(isSelected).length,
    }))
    .filter(({ count }) => count > 0);

/** @param elsewhere other coordinators that have such sessions */
function noMatchHere(
  pattern: string,
  labels: readonly LabelFilter[],
  elsewhere: readonly { readonly name: string; readonly count: number }[],
): VtrError {
  const [first] = elsewhere;
  if (first === undefined) return noMatch(pattern, labels);
  const count = elsewhere.reduce((sum, each) => sum + each.count, 0);
  const names = elsewhere.map(({ name }) => name).join(', ');
  return new VtrError(
    'SESSION_NOT_FOUND',
    `no session of your own coordinator matches ${patternText(pattern, labels)}; ${count} on ${names}: give ${first.name}:${pattern} or --everywhere`,
    { details: { name: pattern } },
  );
}

/** The sessions of a coordinator that match. */
export interface MatchingAnswer extends Answer {
  /** Of all its sessions, also of those that do not match. */
  readonly names: readonly string[];
  /** Whether a pattern names the coordinator, as in `COORDINATOR:NAME`. */
  readonly isInPattern: boolean;
}

/**
 * Lists the sessions that match names, globs and labels, of all known coordinators.
 *
 * @throws VtrError SESSION_NOT_FOUND for a pattern that matches nothing, INVALID_ARGUMENT, UNAVAILABLE
 */
export async function listMatching(
  context: Context,
  patterns: readonly string[],
  { coordinator: named, label }: Pick<SelectionFlags, 'coordinator' | 'label'>,
  request: ListRequest,
): Promise<MatchingAnswer[]> {
  const addresses = await Promise.all(
    patterns.map(async (address) => ({
      address,
      ...(await placeAndName(context, address, { coordinator: named })),
    })),
  );
  const tests = addresses.map((each) => ({ ...each, test: nameTest(each.session) }));
  const chosen = new Set(tests.map(({ coordinator }) => coordinator));
  if (tests.length === 0) chosen.add(named);
  const answers: MatchingAnswer[] = [];
  const matched = new Set<string>();
  const names = new Set<string>();
  for (const each of chosen) {
    const testsHere = tests.filter(({ coordinator }) => coordinator === each);
    for (const { coordinator, sessions } of await listSessions(context, each, request)) {
      const namesHere = sessions.map(({ name }) => name);
      for (const name of namesHere) names.add(name);
      const matching = sessions.filter((info) => {
        const hits = testsHere.filter(({ test }) => test(info.name) && hasLabels(info, label));
        for (const { address } of hits) matched.add(address);
        return tests.length === 0 ? hasLabels(info, label) : hits.length > 0;
      });
      const isInPattern = each !== named;
      answers.push({ coordinator, sessions: matching, names: namesHere, isInPattern });
    }
  }
  const missing = addresses.find(({ address }) => !matched.has(address));
  if (missing !== undefined) {
    throw noMatch(missing.address, label, nearMisses(missing.session, [...names]));
  }
  return answers;
}

/**
 * Returns a test for the sessions that names, globs and labels select, also those that come later.
 *
 * @throws VtrError INVALID_NAME, INVALID_ARGUMENT
 */
export async function sessionTest(
  context: Context,
  patterns: readonly string[],
  flags: Pick<SelectionFlags, 'coordinator' | 'label'>,
): Promise<(coordinator: string, info: SessionInfo) => boolean> {
  const tests = await Promise.all(
    patterns.map(async (address) => {
      checkNotAddress(address, 'use --coordinator ADDRESS and the name alone');
      await placeAndName(context, address, flags);
      const { coordinator, session } = splitAddress(address);
      return { coordinator, test: nameTest(session) };
    }),
  );
  const { label } = flags;
  return (name, info) =>
    hasLabels(info, label) &&
    (tests.length === 0 ||
      tests.some(({ coordinator = name, test }) => coordinator === name && test(info.name)));
}

/** Returns the sessions that {@link listMatching} lists, and fails as it does. */
export async function matchingTargets(
  context: Context,
  patterns: readonly string[],
  flags: Pick<SelectionFlags, 'coordinator' | 'label'>,
): Promise<Target[]> {
  const answers = await listMatching(context, patterns, flags, {});
  return answers.flatMap(({ coordinator, sessions }) =>
    sessions.map(({ name }) => ({
      ...targetAt(context, coordinator, name),
      shown: `${coordinator.name}:${name}`,
    })),
  );
}

/** @throws VtrError INVALID_NAME, INVALID_ARGUMENT */
function nameTest(pattern: string): (name: string) => boolean {
  if (!isGlob(pattern)) {
    checkSessionName(pattern);
    return (name) => name === pattern;
  }
  const expression = globPattern(pattern);
  if (expression !== null) return (name) => expression.test(name);
  throw new VtrError('INVALID_ARGUMENT', `glob ${quoted(pattern)} is not valid`);
}

/** @param near names that exist and resemble the pattern */
function noMatch(
  pattern: string,
  labels: readonly LabelFilter[],
  near: readonly string[] = [],
): VtrError {
  const hint =
    near.length > 0 && labels.length === 0
      ? `did you mean ${near.join(' or ')}?`
      : 'list sessions with vtr ls';
  return new VtrError(
    'SESSION_NOT_FOUND',
    `no session matches ${patternText(pattern, labels)}; ${hint}`,
    { details: { name: pattern } },
  );
}

function patternText(pattern: string, labels: readonly LabelFilter[]): string {
  const condition = labels.length === 0 ? '' : ` with label ${labels.map(filterText).join(', ')}`;
  return `${quoted(pattern)}${condition}`;
}
