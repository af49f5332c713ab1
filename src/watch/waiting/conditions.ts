import { defaultPromptPattern, VtrError, type WaitRequest } from '#model';
import { Pattern } from '../searching/pattern.ts';
import { PatternList } from '../searching/pattern-list.ts';
import { bellRings, titleCondition } from './event-conditions.ts';
import { idleCondition } from './idle-condition.ts';
import { textCondition } from './output-conditions.ts';
import { rawCondition } from './raw-condition.ts';
import { commandFinished, promptShown } from './shell-conditions.ts';
import { screenCondition } from './terminal-conditions.ts';
import type { Condition } from './wait.ts';

/**
 * What a request asks for, in the order in which it is looked at: what comes first wins where several
 * hold at once.
 *
 * @throws VtrError INVALID_PATTERN, INVALID_ARGUMENT
 */
export function conditionsOf(request: WaitRequest): Condition[] {
  const onOutput = request.raw ? rawCondition : textCondition;
  return [
    ...listed('stop', request.stop, (patterns) => onOutput(patterns, 'stopped')),
    ...listed('match', request.match, (patterns) => onOutput(patterns, 'matched')),
    ...listed('screen', request.screen, screenCondition),
    ...(request.finished ? [commandFinished] : []),
    ...promptOf(request),
    ...listed('title', asList(request.title), titleCondition),
    ...(request.bell ? [bellRings] : []),
    ...idleOf(request),
  ];
}

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

function promptOf({ prompt, promptPattern }: WaitRequest): Condition[] {
  if (!prompt) return [];
  const pattern = new Pattern(promptPattern ?? defaultPromptPattern);
  return [promptShown(pattern, promptPattern !== undefined)];
}

function idleOf({ quietMs, ignore = [], countSpinners = false }: WaitRequest): Condition[] {
  const masks = { ignore: ignore.map((source) => new Pattern(source)), countSpinners };
  if (quietMs === undefined) return [];
  if (typeof quietMs === 'number') return [idleCondition(quietMs, masks)];
  throw new VtrError('INVALID_ARGUMENT', 'quietMs is no number; give milliseconds');
}
