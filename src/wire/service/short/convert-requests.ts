import {
  type CommandChoice,
  clampWaitMs,
  defaultQuietMs,
  defaultWaitMs,
  type ReadBudget,
  type SpawnRequest,
  type WaitRequest,
} from '#model';
import { durationOf, enumName } from './convert.ts';
import type { Json } from './unary-call.ts';

/** What to wait for. The time-out is always said: who calls waits a little longer for the answer. */
export function conditionsOf(request: WaitRequest): Json {
  const { timeoutMs, quietMs, tail, signal: _, ...same } = request;
  return {
    ...same,
    timeout: durationOf(clampWaitMs(timeoutMs, defaultWaitMs)),
    quiet: quietMs === undefined ? undefined : durationOf(clampWaitMs(quietMs, defaultQuietMs)),
    tail: tail && budgetOf(tail),
  };
}

export const budgetOf = ({ maxLines, maxBytes, maxTokens, keep }: ReadBudget): Json => ({
  maxLines,
  maxBytes,
  maxTokens,
  keep: enumName('KEPT_PART', keep),
});

export const endsOf = ({ lifetime, limits }: SpawnRequest): Json => ({
  lifetime: lifetime && {
    idle: lifetime.idleMs === undefined ? undefined : durationOf(lifetime.idleMs),
    keepExited: lifetime.keepExitedMs === undefined ? undefined : durationOf(lifetime.keepExitedMs),
    maxRun: lifetime.maxRunMs === undefined ? undefined : durationOf(lifetime.maxRunMs),
  },
  limits,
});

export const choiceOf = (choice: CommandChoice): Json =>
  choice === 'last' ? {} : { number: choice };
