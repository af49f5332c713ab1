import { create } from '@bufbuild/protobuf';
import type { TextMatch, WaitResult } from '#model';
import { type WaitEnd, WaitEndSchema, type WaitForResponse } from '../gen/vtr.gen.ts';
import { fromExitStatus, toExitStatus } from './session.ts';
import { toDuration, toMs } from './time.ts';
import { waitOutcomes } from './words.ts';

export function toWaitEnd(result: WaitResult): WaitEnd {
  const { outcome, exitStatus, revision, timeoutMs, elapsedMs } = result;
  return create(WaitEndSchema, {
    outcome: waitOutcomes.toWire(outcome),
    ...(exitStatus === null ? {} : { exitStatus: toExitStatus(exitStatus) }),
    revision: BigInt(revision),
    timeout: toDuration(timeoutMs),
    elapsed: toDuration(elapsedMs),
  });
}

export function fromWaitEnd(end: WaitEnd | undefined): WaitResult {
  return {
    // An outcome that this program does not know yet: at least it is not a match.
    outcome: waitOutcomes.fromWire(end?.outcome ?? 0) ?? 'timed_out',
    exitStatus: fromExitStatus(end?.exitStatus),
    revision: Number(end?.revision ?? 0),
    timeoutMs: toMs(end?.timeout),
    elapsedMs: toMs(end?.elapsed),
  };
}

/** The match of a wait for text, as fields of its answer. */
export function toMatch({ line, text, matched }: TextMatch) {
  return {
    matchedLine: text,
    matchedText: matched,
    ...(line === null ? {} : { lineId: BigInt(line) }),
  };
}

export function fromMatch({ matchedLine, matchedText, lineId }: WaitForResponse): TextMatch {
  const line = lineId === undefined ? null : Number(lineId);
  return { line, text: matchedLine, matched: matchedText };
}
