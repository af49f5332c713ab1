import { create, type MessageInitShape } from '@bufbuild/protobuf';
import * as wire from '#messages';
import { checkLine, type FollowRequest, type FollowResult, followTimes } from '#model';
import { field, fieldsOf, numberField, wholeField } from '../field.ts';
import { fromExitStatus, toExitStatus } from '../sessions/session.ts';
import { msField, toLongDuration } from '../time.ts';

/** @throws VtrError INVALID_ARGUMENT */
export function toFollowFields(
  request: FollowRequest,
): MessageInitShape<typeof wire.FollowRequestSchema> {
  const { timeoutMs, settleMs } = followTimes(request);
  if (request.from !== undefined) checkLine('from', request.from);
  return {
    ...wholeField('from', request.from),
    shown: [...(request.shown ?? [])],
    settle: toLongDuration(settleMs),
    timeout: toLongDuration(timeoutMs),
    ...fieldsOf(request, 'reader', 'redact'),
  };
}

export const fromFollowRequest = (message: wire.FollowRequest): FollowRequest => ({
  ...numberField('from', message.from),
  shown: message.shown,
  ...msField('settleMs', message.settle),
  ...msField('timeoutMs', message.timeout),
  ...fieldsOf(message, 'reader', 'redact'),
});

export const toFollowResult = (result: FollowResult): wire.FollowResponse =>
  create(wire.FollowResponseSchema, {
    text: result.text,
    nextLine: BigInt(result.nextLine),
    lostLines: BigInt(result.lostLines),
    screenLine: BigInt(result.screenLine),
    again: result.again,
    ended: result.ended,
    ...field('exitStatus', result.exitStatus && toExitStatus(result.exitStatus)),
    revision: BigInt(result.revision),
    ...field('redacted', result.redacted),
  });

export const fromFollowResult = (message: wire.FollowResponse): FollowResult => ({
  text: message.text,
  nextLine: Number(message.nextLine),
  lostLines: Number(message.lostLines),
  screenLine: Number(message.screenLine),
  again: message.again,
  ended: message.ended,
  exitStatus: fromExitStatus(message.exitStatus),
  revision: Number(message.revision),
  ...field('redacted', message.redacted),
});
