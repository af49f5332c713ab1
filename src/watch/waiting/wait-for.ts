import type { Clock } from '#base';
import { defaultPromptPattern, VtrError, type WaitRequest, type WaitResult } from '#model';
import { Pattern } from '../searching/pattern.ts';
import { PatternList } from '../searching/pattern-list.ts';
import type { Watched } from '../watched.ts';
import { programAsks } from './asks-condition.ts';
import { idleCondition } from './idle-condition.ts';
import { rawCondition, textCondition } from './output-conditions.ts';
import { promptShown } from './prompt-condition.ts';
import { type ActivityQueries, type QueryActivity, SharedActivity } from './shared-activity.ts';
import { commandFinished } from './shell-conditions.ts';
import { bellRings, screenCondition, titleCondition } from './terminal-conditions.ts';
import { type Condition, waitForAny } from './wait.ts';

/**
 * Waits for the first condition of a request. The promise rejects with CANCELLED if
 * `request.signal` is aborted; the program is not affected.
 *
 * @param query the session's activity; without it, `asks` is never met
 * @throws VtrError INVALID_PATTERN, INVALID_MARK, INVALID_ARGUMENT: synchronously, before the wait
 * begins
 */
export function waitFor(
  watched: Watched,
  request: WaitRequest,
  clock: Clock,
  query?: QueryActivity,
): Promise<WaitResult> {
  const queries = query === undefined ? null : SharedActivity.of(watched, clock, query);
  return waitForAny(watched, conditionsOf(request, queries, query), request, clock);
}

/**
 * Returns the conditions of a request in order of precedence: if several are met at once, the first
 * of them wins.
 *
 * @throws VtrError INVALID_PATTERN, INVALID_ARGUMENT
 */
function conditionsOf(
  request: WaitRequest,
  queries: ActivityQueries | null,
  query: QueryActivity = unknown,
): Condition[] {
  const onOutput = request.raw ? rawCondition : textCondition;
  return [
    ...listed('stop', request.stop, (patterns) => onOutput(patterns, 'stopped')),
    ...listed('match', request.match, (patterns) => onOutput(patterns, 'matched')),
    ...listed('screen', request.screen, screenCondition),
    ...(request.finished ? [commandFinished] : []),
    ...promptOf(request, queries),
    ...(request.asks ? [programAsks(query)] : []),
    ...listed('title', asList(request.title), titleCondition),
    ...(request.bell ? [bellRings] : []),
    ...idleOf(request),
  ];
}

/** A failed query: the wait continues. */
const unknown: QueryActivity = () => Promise.reject(new VtrError('INTERNAL_ERROR', 'no activity'));

function listed(
  of: ConstructorParameters<typeof PatternList>[0],
  sources: readonly string[] | undefined,
  condition: (patterns: PatternList) => Condition,
): Condition[] {
  if (sources === undefined || sources.length === 0) return [];
  return [condition(new PatternList(of, sources))];
}

function asList(source: string | undefined): readonly string[] | undefined {
  return source === undefined ? undefined : [source];
}

function promptOf(
  { prompt, promptPattern }: WaitRequest,
  queries: ActivityQueries | null,
): Condition[] {
  if (!prompt) return [];
  const pattern = new Pattern(promptPattern ?? defaultPromptPattern);
  return [promptShown({ pattern, isOwn: promptPattern !== undefined, queries })];
}

function idleOf({ quietMs, ignore = [], countSpinners = false }: WaitRequest): Condition[] {
  const masks = { ignore: ignore.map((source) => new Pattern(source)), countSpinners };
  if (quietMs === undefined) return [];
  if (typeof quietMs === 'number') return [idleCondition(quietMs, masks)];
  throw new VtrError('INVALID_ARGUMENT', 'quietMs is not a number; give milliseconds');
}
