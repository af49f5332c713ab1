import { type Clock, defined, toDisposable } from '#base';
import type { OwnActivity, WaitRequest, WaitResult } from '#model';
import { promptPatternOf } from '../searching/pattern.ts';
import type { Watched } from '../watched.ts';
import { readingMs } from './asked-question.ts';
import { programAsks } from './asks-condition.ts';
import { promptShown } from './prompt-condition.ts';
import { type ActivityQueries, type QueryActivity, SharedActivity } from './shared-activity.ts';
import { commandBegun, commandFinished, promptMarked } from './shell-conditions.ts';
import { fullScreenStays } from './terminal-conditions.ts';
import type { TypedPrompt } from './typed-prompt.ts';
import { type Condition, waitForAny } from './wait.ts';

/** How long a program must be quiet before it counts as one that asks, if the caller names the prompt, in ms. */
const namedMs = 2_000;

/** The end of a line that is run. */
export interface LineEnds {
  /**
   * `shown`: any prompt is shown, also one from before; with `asks`, a question or the alternate screen ends the
   * wait, too. `begun`: the shell has marked the beginning of the command. `marked`: the shell marks the end.
   * `followed`: the shell marks what comes after the end. `prompt`: the prompt at which the line is typed is shown
   * again. `next`: a program reads the next line.
   */
  readonly by: 'shown' | 'begun' | 'marked' | 'followed' | 'prompt' | 'next';
  /** For `prompt`. */
  readonly typedAt?: TypedPrompt;
  /** Whether a question ends the line too. */
  readonly asks: boolean;
}

/** Its `output` is empty: that of the line is read when it has ended. */
export type LineEnd = WaitResult & {
  /** Whether the system does not report that the program at the prompt reads its terminal. */
  readonly isUnsure?: boolean;
};

/**
 * Waits until a line has ended that is run; see `Coordinator.run`.
 *
 * @throws VtrError INVALID_PATTERN, INVALID_MARK, INVALID_ARGUMENT: synchronously, before the wait
 * begins
 */
export function waitForLine(
  watched: Watched,
  request: WaitRequest,
  clock: Clock,
  query: QueryActivity,
  ends: LineEnds,
): Promise<LineEnd> {
  const shared = SharedActivity.of(watched, clock, query);
  const conditions = conditionsOf(watched, request, query, shared, ends);
  return waitForAny(watched, conditions, request, clock, null, null);
}

function conditionsOf(
  watched: Watched,
  { promptPattern }: WaitRequest,
  query: QueryActivity,
  shared: ActivityQueries,
  { by, typedAt, asks }: LineEnds,
): Condition[] {
  if (by === 'begun') return [commandBegun, promptMarked];
  if (by === 'followed') return [promptMarked];
  const pattern = promptPatternOf(promptPattern);
  const isOwn = promptPattern !== undefined;
  const prompt = { pattern, isOwn, queries: unshared(query) };
  if (by === 'marked') {
    const shown = isOwn ? [promptShown(prompt)] : [];
    // Where the caller names the prompt, any question may be that.
    return [
      ...[commandFinished, promptMarked, ...shown],
      ...(asks ? [programAsks(shared, (_, quietMs) => isOwn && quietMs < readingMs)] : []),
    ];
  }
  if (by === 'shown') {
    // It is reported as a prompt, unless text is typed there.
    const isPrompt = ({ state }: OwnActivity) =>
      state === 'at_prompt' && watched.lineAtCursor().typed.trim() === '';
    const isForOther = (activity: OwnActivity, quietMs: number) =>
      isPrompt(activity) || quietMs < (isOwn ? namedMs : readingMs);
    const noPrompt = [withoutPrompt(programAsks(shared, isForOther)), fullScreenStays];
    return [promptMarked, promptShown(prompt), ...(asks ? noPrompt : [])];
  }
  return [
    promptMarked,
    promptShown({
      ...prompt,
      asks,
      ...defined({ typedAt }),
      afterLine: true,
    }),
  ];
}

/** Reports a prompt as a question: another condition of the wait decides what a prompt is. */
const withoutPrompt = (condition: Condition): Condition => ({
  start: (watched, clock, onMet, since) =>
    condition.start(
      watched,
      clock,
      (met) => onMet(met.outcome === 'prompt' ? { ...met, outcome: 'awaiting_input' } : met),
      since,
    ),
});

/** Queries without a minimum interval: one line is run at a time. */
function unshared(query: QueryActivity): ActivityQueries {
  return {
    request(onRead) {
      let isOpen = true;
      const answer = (activity: Parameters<typeof onRead>[0]) => {
        if (isOpen) onRead(activity);
      };
      query().then(answer, () => answer(null));
      return toDisposable(() => {
        isOpen = false;
      });
    },
  };
}
