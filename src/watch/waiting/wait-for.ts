import { type Clock, type Disposable, toDisposable } from '#base';
import {
  checkBudget,
  type DriverState,
  type OwnActivity,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { Pattern, PatternList, promptPatternOf } from '../searching/pattern.ts';
import type { Readable, Watched } from '../watched.ts';
import {
  type AgentSource,
  type AgentStateOptions,
  agentAsks,
  agentIs,
  type StatusSource,
  statusIs,
  withoutAgent,
} from './agent-conditions.ts';
import { readingMs } from './asked-question.ts';
import { programAsks } from './asks-condition.ts';
import { rawCondition, textCondition } from './output-conditions.ts';
import { promptShown } from './prompt-condition.ts';
import { type ActivityQueries, type QueryActivity, SharedActivity } from './shared-activity.ts';
import {
  commandFinished,
  promptKept,
  promptMarked,
  sentCommandsFinished,
  unverifiedFinished,
} from './shell-conditions.ts';
import {
  bellRings,
  idleCondition,
  screenCondition,
  titleCondition,
} from './terminal-conditions.ts';
import { type Condition, type ConditionMet, type ReadActivity, waitForAny } from './wait.ts';

/** Who drives a session. */
export interface DriverSource {
  state(): DriverState;
  /** Calls `listener` after each change. */
  onChange(listener: () => void): Disposable;
}

/** The session around a wait. */
export interface WaitContext {
  /**
   * Queries the session's activity; all waits of a session must give the same. Without it, `asks` is
   * never met.
   */
  readonly activity?: QueryActivity;
  /** Whether the next input of the session is sent with the wait. Its echo does not count. */
  readonly sendsInput?: boolean;
  /** Settles when that input is written. */
  readonly written?: Promise<unknown>;
  /** That input, if it is a prompt, which an agent has taken when it is written. */
  readonly prompt?: string | undefined;
  /** Who drives the session. Without it, `driver` is met at once. */
  readonly driving?: DriverSource;
  /** The agent in the foreground. Without it, there is never one. */
  readonly agent?: AgentSource;
  /** What the program in the foreground says. Without it, `status` is never met. */
  readonly status?: StatusSource;
  /** The session as the result shows it. Default: as it is. */
  readonly shown?: Readable;
  /** Called when it is decided how the wait ends, before its result is made. */
  readonly onMet?: (met: ConditionMet) => void;
}

/**
 * Waits for the first condition of a request. The promise rejects with CANCELLED if
 * `request.signal` is aborted; the program is not affected.
 *
 * @throws VtrError INVALID_PATTERN, INVALID_MARK, INVALID_ARGUMENT: synchronously, before the wait
 * begins
 */
export function waitFor(
  watched: Watched,
  request: WaitRequest,
  clock: Clock,
  context: WaitContext = {},
): Promise<WaitResult> {
  const { activity } = context;
  const queries = activity === undefined ? null : SharedActivity.of(watched, clock, activity);
  const read = queries === null ? null : readActivity(queries, clock);
  const conditions = conditionsOf(request, context, queries);
  return waitForAny(watched, conditions, request, clock, read, context.shown, context.onMet);
}

/** Checks a request before its session is made. @throws VtrError INVALID_PATTERN, INVALID_ARGUMENT */
export function checkWait(request: WaitRequest): void {
  conditionsOf(request, {}, null);
  checkBudget(request.tail ?? {});
}

/** How long the result of a wait that times out may be delayed to read the activity, in ms. */
const maxReadMs = 500;

function readActivity(shared: SharedActivity, clock: Clock): ReadActivity {
  return (onRead) => {
    if (shared.recent !== null) {
      onRead(shared.recent);
      return toDisposable(() => {});
    }
    const parts = [shared.request(onRead), clock.schedule(maxReadMs, () => onRead(null))];
    return toDisposable(() => {
      for (const part of parts) part.dispose();
    });
  };
}

/**
 * Returns the conditions of a request in order of precedence: if several are met at once, the first
 * of them wins.
 *
 * @throws VtrError INVALID_PATTERN, INVALID_ARGUMENT
 */
function conditionsOf(
  request: WaitRequest,
  { activity = unknown, sendsInput = false, prompt, written, driving, agent, status }: WaitContext,
  queries: ActivityQueries | null,
): Condition[] {
  const options = { sendsInput, activity };
  const afterInput = {
    isAfterInput: sendsInput,
    afterMs: request.agentAfterMs,
    prompt: prompt !== undefined && written ? { text: prompt, submitted: written } : undefined,
  };
  const onOutput = (patterns: PatternList, outcome: 'matched' | 'stopped') =>
    request.raw
      ? rawCondition(patterns, outcome, options)
      : textCondition(patterns, outcome, options);
  return [
    ...listed('stop', request.stop, (patterns) => onOutput(patterns, 'stopped')),
    ...listed('match', request.match, (patterns) => onOutput(patterns, 'matched')),
    ...listed('screen', request.screen, screenCondition),
    ...(request.finished
      ? [sendsInput ? sentCommandsFinished : commandFinished, unverifiedFinished(queries)]
      : []),
    ...promptOf(request, queries, agent),
    ...(request.finished || request.prompt ? [promptKept(queries)] : []),
    ...asksOf(request, queries, agent, afterInput),
    ...(request.agent === undefined || request.agent.length === 0 || agent === undefined
      ? []
      : [
          agentIs(agent, request.agent, {
            ...afterInput,
            turn: request.agentTurn,
          }),
        ]),
    ...(request.status === undefined || request.status.length === 0 || status === undefined
      ? []
      : [statusIs(status, request.status, sendsInput)]),
    ...listed('title', asList(request.title), titleCondition),
    ...(request.bell ? [bellRings] : []),
    ...(request.driver ? [notDriven(driving)] : []),
    ...idleOf(request, written),
  ];
}

/** Returns what the conditions for a prompt or the end of a command report themselves, if it stays. */
const reportedAsPrompt =
  ({ prompt, promptPattern, finished }: WaitRequest) =>
  ({ state }: OwnActivity, quietMs: number): boolean => {
    if (quietMs >= readingMs) return false;
    if (prompt === true && promptPattern !== undefined) return true;
    return (prompt === true || finished === true) && state === 'at_prompt';
  };

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

function asksOf(
  request: WaitRequest,
  queries: ActivityQueries | null,
  agent: AgentSource | undefined,
  afterInput: AgentStateOptions,
): Condition[] {
  if (!request.asks) return [];
  const asks = programAsks(queries, reportedAsPrompt(request));
  return agent === undefined ? [asks] : [withoutAgent(asks, agent), agentAsks(agent, afterInput)];
}

function promptOf(
  { prompt, promptPattern, asks, agent: states = [] }: WaitRequest,
  queries: ActivityQueries | null,
  agent: AgentSource | undefined,
): Condition[] {
  if (!prompt) return [];
  const pattern = promptPatternOf(promptPattern);
  const isOwn = promptPattern !== undefined;
  const shown = promptShown({ pattern, isOwn, queries });
  // The composer of an agent looks like a prompt, also while the agent works.
  const isOfAgent = agent !== undefined && !isOwn && (asks === true || states.length > 0);
  return [promptMarked, isOfAgent ? withoutAgent(shown, agent) : shown];
}

function idleOf(
  { quietMs, ignore = [], countClocks = false }: WaitRequest,
  written: WaitContext['written'],
): Condition[] {
  const masks = { ignore: ignore.map((source) => new Pattern(source)), countClocks };
  if (quietMs === undefined) return [];
  if (typeof quietMs === 'number') return [idleCondition(quietMs, masks, written)];
  throw new VtrError('INVALID_ARGUMENT', 'quietMs is not a number; give milliseconds');
}

/** No person drives. Without a source, nobody can. */
const notDriven = (source: DriverSource = undriven): Condition => ({
  start(_watched, _clock, onMet) {
    const check = () => {
      const driver = source.state();
      if (driver.driver?.kind !== 'person') onMet({ outcome: 'driver', driver });
    };
    const changes = source.onChange(check);
    check();
    return { onEvent: () => {}, dispose: () => changes.dispose() };
  },
});

const undriven: DriverSource = {
  state: () => ({ driver: null, epoch: 1 }),
  onChange: () => ({ dispose: () => {} }),
};
