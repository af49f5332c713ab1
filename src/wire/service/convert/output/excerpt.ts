import type { MessageInitShape } from '@bufbuild/protobuf';
import type * as wire from '#messages';
import { checkBudget, type Excerpt, type RawOutput, type ReadBudget, type ReadGap } from '#model';
import { field, numberField, numberOrNull, wholeField } from '../field.ts';
import { enumOf, wordOf } from '../words.ts';

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
