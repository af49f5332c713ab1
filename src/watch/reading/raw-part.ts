import type { RawOutput, ReadBudget } from '#model';

/** Returns the part of the output from `start` up to but excluding `to` that fits a budget. */
export function rawPart(
  chunks: readonly { readonly offset: number; readonly bytes: Uint8Array }[],
  start: number,
  to: number,
  { maxBytes = Number.POSITIVE_INFINITY, keep = 'tail' }: ReadBudget,
): RawOutput {
  const count = Math.min(maxBytes, to - start);
  const from = keep === 'head' ? start : to - count;
  const bytes = new Uint8Array(count);
  for (const chunk of chunks) {
    const first = Math.max(0, from - chunk.offset);
    const last = Math.min(chunk.bytes.length, from + count - chunk.offset);
    if (first < last) bytes.set(chunk.bytes.subarray(first, last), chunk.offset + first - from);
  }
  return { bytes, offset: from, omittedBytes: to - start - count };
}
