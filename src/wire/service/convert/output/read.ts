import { create, type MessageInitShape } from '@bufbuild/protobuf';
import * as wire from '#messages';
import { checkOutputFormat, outputFormats, type ReadRequest, type ReadResult } from '#model';
import { defined, field, fieldsOf, numberOrNull, present, wholeField } from '../field.ts';
import { timeField, timeMsField } from '../time.ts';
import { enumOf, wordOf } from '../words.ts';
import {
  fromBudget,
  fromExcerpt,
  fromGap,
  fromRaw,
  toBudget,
  toExcerpt,
  toGap,
  toRaw,
} from './excerpt.ts';
import { fromPosition, toPosition } from './position.ts';

/** @throws VtrError INVALID_ARGUMENT for values that proto3 cannot represent */
export function toReadFields(
  request: ReadRequest,
): MessageInitShape<typeof wire.ReadRequestSchema> {
  const format = checkOutputFormat(request.format ?? 'text', outputFormats);
  return {
    ...fieldsOf(request, 'since', 'at'),
    format: enumOf('OutputFormat', format),
    budget: toBudget(request),
    ...field('tellHidden', request.tellHidden),
    ...field('until', request.until && toPosition(request.until)),
    ...field('redact', request.redact),
  };
}

export function fromReadRequest(message: wire.ReadRequest): ReadRequest {
  const { since, at, format, budget, tellHidden, until, redact } = message;
  return {
    ...defined({ since, at }),
    ...field('format', wordOf('OutputFormat', format)),
    ...fromBudget(budget),
    ...(tellHidden && { tellHidden }),
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
    mark,
    revision: Number(revision),
    ...timeMsField('atMs', message.at),
    ...field('redacted', message.redacted),
  };
}
