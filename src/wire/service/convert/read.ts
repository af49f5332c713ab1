import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import type { OutputPosition as PositionMessage } from '#messages';
import * as wire from '#messages';
import {
  checkBudget,
  checkLine,
  checkOutputFormat,
  type Excerpt,
  type FollowRequest,
  type FollowResult,
  followTimes,
  type ListRequest,
  type OutputPosition,
  outputFormats,
  type RawOutput,
  type ReadBudget,
  type ReadGap,
  type ReadRequest,
  type ReadResult,
  type Redacted,
  type RedactRequest,
  VtrError,
} from '#model';
import {
  enumOf,
  field,
  fieldsOf,
  msField,
  numberField,
  numberOrNull,
  present,
  timeField,
  timeMsField,
  toLongDuration,
  wholeField,
  wordOf,
} from './field.ts';
import { fromExitStatus, toExitStatus } from './session.ts';

/** @throws VtrError INVALID_ARGUMENT for values that proto3 cannot represent */
export function toReadFields(
  request: ReadRequest,
): MessageInitShape<typeof wire.ReadRequestSchema> {
  const format = checkOutputFormat(request.format ?? 'text', outputFormats);
  return {
    ...fieldsOf(request, 'since', 'at'),
    format: enumOf('OutputFormat', format),
    budget: toBudget(request),
    ...fieldsOf(request, 'tellHidden', 'transcript', 'aboveScreen'),
    ...field('until', request.until && toPosition(request.until)),
    ...field('redact', request.redact),
  };
}

export function fromReadRequest(message: wire.ReadRequest): ReadRequest {
  const { since, at, format, budget, until, redact } = message;
  const { tellHidden, transcript, aboveScreen } = message;
  return {
    ...defined({ since, at }),
    ...field('format', wordOf('OutputFormat', format)),
    ...fromBudget(budget),
    ...defined({
      tellHidden: tellHidden || undefined,
      transcript: transcript || undefined,
      aboveScreen: aboveScreen || undefined,
    }),
    ...field('until', until && fromPosition(until)),
    ...field('redact', redact),
  };
}

export function toReadResult(result: ReadResult): wire.ReadResponse {
  const { kind, text, raw, gap, fromLine, mark, revision } = result;
  return create(wire.ReadResponseSchema, {
    kind: enumOf('ReadKind', kind),
    text: toExcerpt(text),
    ...field('raw', raw && toRaw(raw)),
    gap: toGap(gap),
    ...wholeField('fromLine', fromLine),
    ...field('hidden', result.hidden),
    uncertain: [...(result.uncertain ?? [])],
    mark,
    revision: BigInt(revision),
    ...timeField('at', result.atMs),
    ...field('redacted', result.redacted),
  });
}

export function fromReadResult(message: wire.ReadResponse): ReadResult {
  const { kind, text, raw, gap, fromLine, mark, revision } = message;
  return {
    kind: wordOf('ReadKind', kind) ?? 'lines',
    text: fromExcerpt(present(text)),
    ...field('raw', raw && fromRaw(raw)),
    gap: fromGap(gap),
    fromLine: numberOrNull(fromLine),
    ...field('hidden', message.hidden),
    ...(wordOf('ReadKind', kind) === 'transcript' ? { uncertain: message.uncertain } : {}),
    mark,
    revision: Number(revision),
    ...timeMsField('atMs', message.at),
    ...field('redacted', message.redacted),
  };
}

/** @throws VtrError INVALID_ARGUMENT for values that proto3 cannot represent */
export function toBudget(budget: ReadBudget): MessageInitShape<typeof wire.ReadBudgetSchema> {
  const { maxLines, maxBytes, maxTokens, keep } = checkBudget(budget);
  return {
    ...limitField('maxLines', maxLines),
    ...limitField('maxBytes', maxBytes),
    ...limitField('maxTokens', maxTokens),
    keep: enumOf('KeptPart', keep),
  };
}

/** An absent limit means unlimited, so `Infinity` is left out. */
function limitField<Name extends string>(name: Name, limit: number | undefined) {
  return wholeField(name, limit === Number.POSITIVE_INFINITY ? undefined : limit);
}

export function fromBudget(budget: wire.ReadBudget | undefined): ReadBudget {
  if (budget === undefined) return {};
  return {
    ...numberField('maxLines', budget.maxLines),
    ...numberField('maxBytes', budget.maxBytes),
    ...numberField('maxTokens', budget.maxTokens),
    ...field('keep', wordOf('KeptPart', budget.keep)),
  };
}

export function toExcerpt(excerpt: Excerpt): MessageInitShape<typeof wire.ExcerptSchema> {
  const { head, tail, omitted, tokens } = excerpt;
  return { head, tail, tokens: BigInt(tokens), ...field('omitted', omitted && toOmitted(omitted)) };
}

function toOmitted({ lines, bytes, fromLine, toLine }: NonNullable<Excerpt['omitted']>) {
  return {
    lines: BigInt(lines),
    bytes: BigInt(bytes),
    ...wholeField('fromLine', fromLine),
    ...wholeField('toLine', toLine),
  };
}

export function fromExcerpt(excerpt: wire.Excerpt | undefined): Excerpt {
  const { head = '', tail = '', omitted, tokens = 0n } = excerpt ?? {};
  return {
    head,
    tail,
    omitted: omitted === undefined ? null : fromOmitted(omitted),
    tokens: Number(tokens),
  };
}

const fromOmitted = ({ lines, bytes, fromLine, toLine }: wire.Omitted) => ({
  lines: Number(lines),
  bytes: Number(bytes),
  fromLine: numberOrNull(fromLine),
  toLine: numberOrNull(toLine),
});

export const toGap = ({
  lines,
  bytes,
  earlier = 0,
  rows = 0,
  unreadable = 0,
  cleared = false,
}: ReadGap) => ({
  rows,
  unreadable: BigInt(unreadable),
  lines: BigInt(lines),
  earlier: BigInt(earlier),
  bytes: BigInt(bytes),
  cleared,
});

export const fromGap = (gap: wire.ReadGap | undefined): ReadGap => ({
  lines: Number(gap?.lines ?? 0),
  bytes: Number(gap?.bytes ?? 0),
  ...(gap !== undefined && gap.earlier > 0n ? { earlier: Number(gap.earlier) } : {}),
  ...(gap !== undefined && gap.rows > 0 ? { rows: gap.rows } : {}),
  ...(gap !== undefined && gap.unreadable > 0n ? { unreadable: Number(gap.unreadable) } : {}),
  ...(gap?.cleared === true ? { cleared: true } : {}),
});

export const toRaw = ({ bytes, offset, omittedBytes }: RawOutput) => ({
  data: bytes,
  offset: BigInt(offset),
  omittedBytes: BigInt(omittedBytes),
});

export const fromRaw = ({ data, offset, omittedBytes }: wire.RawOutput) => ({
  bytes: data,
  offset: Number(offset),
  omittedBytes: Number(omittedBytes),
});

export function toPosition({ offset, line, col }: OutputPosition) {
  return { offset: BigInt(offset), col, ...(line === null ? {} : { line: BigInt(line) }) };
}

export function fromPosition(position: PositionMessage | undefined): OutputPosition {
  const { offset = 0n, line, col = 0 } = position ?? {};
  return { offset: Number(offset), line: line === undefined ? null : Number(line), col };
}

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

export const toInfoFields = ({ activity = false, redact }: ListRequest) => ({
  activity,
  ...field('redact', redact),
});

/** Returns an answer if secrets were replaced as requested. @throws VtrError UNAVAILABLE */
export function redactedAnswer<T extends Redacted>({ redact }: RedactRequest, answer: T): T {
  if (!redact || answer.redacted !== undefined) return answer;
  const message =
    'the daemon is of an earlier version, which does not replace secrets; vtr serve --restart';
  throw new VtrError('UNAVAILABLE', message);
}
