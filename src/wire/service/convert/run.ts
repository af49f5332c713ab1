import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import * as wire from '#messages';
import type { PersonTyped, RunRequest, RunResult } from '#model';
import { fromMenu, toMenu } from './activity.ts';
import { fromCommand, toCommand } from './command.ts';
import { fromSenderFields, toSenderFields } from './driver.ts';
import {
  durationField,
  enumOf,
  field,
  fieldsOf,
  fromTimestamp,
  msField,
  numberField,
  toDuration,
  toMs,
  toTimestamp,
  wholeField,
  wordOf,
} from './field.ts';
import { fromBudget, fromExcerpt, fromGap, toBudget, toExcerpt, toGap } from './read.ts';
import { fromExitStatus, toExitStatus } from './session.ts';

/** @throws VtrError INVALID_ARGUMENT for values that proto3 cannot represent */
export function toRunFields(
  request: RunRequest,
): MessageInitShape<typeof wire.RunCommandRequestSchema> {
  return {
    line: request.line,
    ...toSenderFields(request),
    ...durationField('timeout', request.timeoutMs),
    ...field('promptPattern', request.promptPattern),
    budget: toBudget(request),
    ...wholeField('firstBytes', request.firstBytes),
    ...fieldsOf(request, 'asks', 'query'),
    detach: request.detach ?? false,
    ...fieldsOf(request, 'redact', 'inputId'),
  };
}

export function fromRunRequest(message: wire.RunCommandRequest): RunRequest {
  return {
    line: message.line,
    ...fromSenderFields(message),
    ...msField('timeoutMs', message.timeout),
    ...field('promptPattern', message.promptPattern),
    ...fromBudget(message.budget),
    ...numberField('firstBytes', message.firstBytes),
    ...fieldsOf(message, 'asks', 'query'),
    ...defined({ detach: message.detach || undefined }),
    ...fieldsOf(message, 'redact', 'inputId'),
  };
}

export function toRunResult(result: RunResult): wire.RunCommandResponse {
  const { command, exitStatus, openEnd, mark } = result;
  return create(wire.RunCommandResponseSchema, {
    ...outcomeFields(result),
    ...field('command', command && toCommand(command)),
    ...field('exitCode', result.exitCode),
    output: toExcerpt(result.output),
    openEnd,
    gap: toGap(result.gap),
    ...field('exitStatus', exitStatus && toExitStatus(exitStatus)),
    mark,
    revision: BigInt(result.revision),
    timeout: toDuration(result.timeoutMs),
    elapsed: toDuration(result.elapsedMs),
    ...field('question', result.question),
    guess: result.guess ?? false,
    ...field('menu', result.menu && toMenu(result.menu)),
    incomplete: result.incomplete ?? false,
    source: enumOf('RunOutputSource', result.source),
    statusFrom: enumOf('RunStatusSource', result.statusFrom),
    ...field('program', result.program),
    asksForRest: result.asksForRest ?? false,
    firstAtProgram: result.isFirstAtProgram ?? false,
    ...field('person', result.person && toPersonTyped(result.person)),
    ...fieldsOf(result, 'driverEpoch', 'redacted'),
  });
}

export function fromRunResult(message: wire.RunCommandResponse): RunResult {
  const { command, exitCode = null, openEnd, mark } = message;
  return {
    outcome: outcomeOf(message),
    command: command === undefined ? null : fromCommand(command),
    exitCode,
    output: fromExcerpt(message.output),
    openEnd,
    gap: fromGap(message.gap),
    exitStatus: fromExitStatus(message.exitStatus),
    mark,
    revision: Number(message.revision),
    timeoutMs: toMs(message.timeout),
    elapsedMs: toMs(message.elapsed),
    ...field('question', message.question),
    ...defined({ guess: message.guess || undefined }),
    ...field('menu', message.menu && fromMenu(message.menu)),
    ...defined({ incomplete: message.incomplete || undefined }),
    ...field('source', wordOf('RunOutputSource', message.source)),
    ...field('statusFrom', wordOf('RunStatusSource', message.statusFrom)),
    ...field('program', message.program),
    ...defined({
      asksForRest: message.asksForRest || undefined,
      isFirstAtProgram: message.firstAtProgram || undefined,
    }),
    ...field('person', message.person && fromPersonTyped(message.person)),
    ...fieldsOf(message, 'driverEpoch', 'redacted'),
  };
}

function outcomeFields({ outcome }: RunResult) {
  if (outcome === 'detached') return { detached: true };
  if (outcome === 'interrupted') return { interrupted: true };
  return { outcome: enumOf('WaitOutcome', outcome) };
}

const toPersonTyped = ({ name, sinceMs, mark }: PersonTyped) =>
  create(wire.PersonTypedSchema, { name, since: toTimestamp(sinceMs), mark });

const fromPersonTyped = ({ name, since, mark }: wire.PersonTyped): PersonTyped => ({
  name,
  sinceMs: fromTimestamp(since),
  mark,
});

function outcomeOf({
  outcome,
  detached,
  interrupted,
}: wire.RunCommandResponse): RunResult['outcome'] {
  if (detached) return 'detached';
  if (interrupted) return 'interrupted';
  // A server sends only outcomes of a run.
  return (wordOf('WaitOutcome', outcome) ?? 'timed_out') as RunResult['outcome'];
}
