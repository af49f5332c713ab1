import { create } from '@bufbuild/protobuf';
import * as wire from '#messages';
import type { Activity, ActivityEvidence } from '#model';
import { fieldsOf } from '../field.ts';
import { fromTimestamp, toTimestamp } from '../time.ts';
import { enumOf, wordOf } from '../words.ts';

export function toActivity({
  state,
  evidence,
  sinceMs,
  revision,
  waitingRuns = [],
}: Activity): wire.GetActivityResponse {
  return create(wire.GetActivityResponseSchema, {
    state: enumOf('ActivityState', state),
    evidence: {
      shellMark: enumOf('ShellMark', evidence.shellMark ?? undefined),
      promptPattern: evidence.promptPattern,
      alternateScreen: evidence.alternateScreen,
      ...fieldsOf(
        evidence,
        'foreground',
        'leaderInForeground',
        'echo',
        'canonical',
        'readingTerminal',
        'alsoWaits',
      ),
      unfinishedLine: evidence.unfinishedLine,
    },
    since: toTimestamp(sinceMs),
    revision: BigInt(revision),
    waitingRuns: [...waitingRuns],
  });
}

export function fromActivity({
  state,
  evidence,
  since,
  revision,
  waitingRuns,
}: wire.GetActivityResponse): Activity {
  return {
    // A state of a later version: `running` at least does not invite input.
    state: wordOf('ActivityState', state) ?? 'running',
    evidence: fromEvidence(evidence),
    sinceMs: fromTimestamp(since),
    revision: Number(revision),
    ...(waitingRuns.length === 0 ? {} : { waitingRuns }),
  };
}

function fromEvidence(evidence: wire.ActivityEvidence | undefined): ActivityEvidence {
  const { leaderInForeground, echo, canonical, readingTerminal, foreground } = evidence ?? {};
  return {
    shellMark: wordOf('ShellMark', evidence?.shellMark ?? 0) ?? null,
    promptPattern: evidence?.promptPattern ?? false,
    alternateScreen: evidence?.alternateScreen ?? false,
    foreground: foreground === undefined ? null : { pid: foreground.pid, name: foreground.name },
    leaderInForeground: leaderInForeground ?? null,
    echo: echo ?? null,
    canonical: canonical ?? null,
    readingTerminal: readingTerminal ?? null,
    alsoWaits: evidence?.alsoWaits ?? null,
    unfinishedLine: evidence?.unfinishedLine ?? false,
  };
}
